// A schedule file in another order than the one of its model. What the problem is does not depend
// on the order, so a file is compared with others by the graph that its nodes make when they are
// put back. Two digests tell both apart: one of the nodes as they are listed, which bounds are
// about, and one of the nodes put back.

#include "report/file_order.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

std::string digest_of(const Graph& graph, const ScheduleFile& file) {
  return graph_sha256(graph, file.request.limits.paging_time);
}

void compare_digest(std::vector<std::string>& found, const char* key, const std::string& stated,
                    const std::string& expected, const char* of) {
  if (stated == expected) return;
  found.push_back(
      fmt::format("model.{} is {:.12}...; expected {:.12}..., the digest of the nodes {}", key,
                  stated, expected, of));
}

std::string shown(const std::optional<int>& node) {
  return node ? fmt::format("{}", *node) : std::string("missing");
}

/// The choice is made once for an order, so a file cannot choose another way.
void compare_choices(std::vector<std::string>& found, const Graph& stated, const Graph& expected) {
  for (int k = 0; k < stated.size(); ++k) {
    const Node& is = stated.nodes[k];
    const Node& should_be = expected.nodes[k];
    if (is.in_place == should_be.in_place) continue;
    found.push_back(fmt::format("node {} ('{}'): in_place is {}; expected {}, of the choices {}", k,
                                printable(is.name), shown(is.in_place), shown(should_be.in_place),
                                fmt::join(is.in_place_choices, ", ")));
  }
}

void find_without_order(std::vector<std::string>& found, const ScheduleFile& file) {
  if (!file.model.graph_sha256.empty() || !file.model.order_sha256.empty()) {
    found.emplace_back("model.order is missing; expected it beside the digests of an order");
  }
  const bool chooses = std::any_of(file.graph.nodes.begin(), file.graph.nodes.end(),
                                   [](const Node& n) { return !n.in_place_choices.empty(); });
  if (chooses) {
    found.emplace_back("model.order is missing; expected it beside in_place_choices of nodes");
  }
}

/// A search has one mode, and its figures stand beside it.
void find_about_copies(std::vector<std::string>& found, const ScheduleFile& file) {
  const CopyChoice choice = file.request.settings.copies;
  const Copies& copies = file.model.copies;
  if (choice == CopyChoice::none) {
    if (file.copied == CopyFigures()) return;
    found.emplace_back("summary has figures without copies; expected them beside request.copies");
  } else if (!copies.tensors.empty() && name_of(copies.mode) != name_of(choice)) {
    found.push_back(fmt::format("request.copies is {}, but model.copies are {}", name_of(choice),
                                name_of(copies.mode)));
  }
}

}  // namespace

// Checked in both directions, as the nodes of a file may be listed in no legal order of their own.
Graph put_back(const Graph& graph, const NodeOrder& order) {
  const NodeOrder back = inverse(order);
  check_order(graph, precedence(graph), back);
  Graph given = permuted(graph, back);
  check_order(given, precedence(given), order);
  return given;
}

Graph given_graph(const ScheduleFile& file) {
  if (file.model.order.empty()) return file.graph;
  Graph given = put_back(file.graph, file.model.order);
  // As make_unplaced_file() leaves the nodes of a file in the given order.
  for (Node& node : given.nodes) node.in_place_choices.clear();
  return given;
}

std::string given_graph_sha256(const ScheduleFile& file) {
  return digest_of(given_graph(file), file);
}

std::string problem_sha256(const ScheduleFile& file) {
  const std::string& stated = file.model.uncopied_graph_sha256;
  return stated.empty() ? given_graph_sha256(file) : stated;
}

std::string own_sha256(const ScheduleFile& file) {
  return file.model.copies.tensors.empty() ? file.model.order_sha256 : digest_of(file.graph, file);
}

std::optional<Model> in_order_of(const ScheduleFile& file, const Model& given,
                                 const Platform* platform) {
  if (given.nodes.size() != file.graph.nodes.size()) return std::nullopt;
  const NodeOrder& order = file.model.order;
  if (order.empty()) return given;
  if (!is_legal(cost_graph(given, platform), {}, order)) return std::nullopt;
  return permuted(given, order);
}

std::vector<std::string> order_findings(const ScheduleFile& file) {
  std::vector<std::string> found;
  const NodeOrder& order = file.model.order;
  if (file.bought.given_order_energy_joules && file.request.settings.order != OrderKind::search) {
    found.emplace_back(
        "summary.given_order_energy_joules is there; expected it only if request.order is search");
  }
  find_about_copies(found, file);
  if (order.empty()) {
    find_without_order(found, file);
    return found;
  }
  if (std::is_sorted(order.begin(), order.end())) {
    found.emplace_back("model.order is the given order; expected another one, or no such key");
  }
  if (file.request.settings.order == OrderKind::given) {
    found.emplace_back("request.order is missing; expected it beside model.order");
  }
  try {
    const Graph given = put_back(file.graph, order);
    compare_digest(found, "graph_sha256", file.model.graph_sha256, digest_of(given, file),
                   "in the given order");
    compare_digest(found, "order_sha256", file.model.order_sha256, digest_of(file.graph, file),
                   "as they are listed");
    compare_choices(found, file.graph, permuted(given, order));
  } catch (const InputError& error) {
    found.push_back(fmt::format("model.order is not legal: {}", error.what()));
  }
  return found;
}

std::vector<std::string> order_findings(const ScheduleFile& file, const Model& given) {
  std::vector<std::string> found;
  const NodeOrder& order = file.model.order;
  if (order.empty()) return found;
  if (given.nodes.size() != order.size()) {
    found.push_back(fmt::format("model.order has {} nodes; expected {}, as the model has",
                                order.size(), given.nodes.size()));
    return found;
  }
  Graph listed;
  try {
    listed = put_back(file.graph, order);
    check_order(listed, precedence(given), order);
  } catch (const InputError& error) {
    found.push_back(fmt::format("model.order is not legal for the model: {}", error.what()));
    return found;
  }
  for (int k = 0; k < listed.size(); ++k) {
    const std::vector<int>& is = listed.nodes[k].in_place_choices;
    const std::vector<int>& should_be = given.nodes[k].in_place_choices;
    if (is == should_be) continue;
    found.push_back(fmt::format(
        "node {} ('{}'): in_place_choices, in the given order, are [{}]; expected [{}], as the "
        "model says",
        places_of(order)[k], printable(listed.nodes[k].name), fmt::join(is, ", "),
        fmt::join(should_be, ", ")));
  }
  return found;
}

}  // namespace poet
