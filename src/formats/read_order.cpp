// An order of nodes for a model. It is checked against the model and not only against the edges of
// a graph: with kept gradients, an update has to come after all additions, and no edge says so. A
// schedule file states its order by indices into its model's list. Names are compared all the same:
// the file may be of an older model with as many nodes.

#include "formats/read_order.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "formats/node_reader.hpp"
#include "poet/error.hpp"
#include "poet/schedule_file.hpp"

namespace poet {
namespace {

/// `'conv2', 'relu2', 'fc' and 4 more`
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  const std::size_t count = std::min(names.size(), kNamed);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "));
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

/// A list is typed or made by a script, so the error for one that is not complete names some of the
/// missing nodes.
NodeOrder listed_order(const JsonCursor& root, const Model& given) {
  const NodeReader nodes(given.nodes);
  const int count = static_cast<int>(given.nodes.size());
  NodeOrder order;
  std::vector<int> place(given.nodes.size(), -1);
  for (const JsonCursor& at : root.elements(kMaxListLength)) {
    const int node = nodes.read(at, 0, count - 1);
    if (place[node] >= 0) {
      at.fail(
          fmt::format("found node {} ('{}') a second time, the first is /{}; expected each once",
                      node, printable(given.nodes[node].name), place[node]));
    }
    place[node] = static_cast<int>(order.size());
    order.push_back(node);
  }
  std::vector<std::string> missing;
  for (int node = 0; node < count; ++node) {
    if (place[node] < 0) {
      missing.push_back(fmt::format("{} ('{}')", node, printable(given.nodes[node].name)));
    }
  }
  if (!missing.empty()) {
    root.fail(fmt::format("found {} of {} nodes; expected all, also {}", order.size(), count,
                          first_of(missing)));
  }
  return order;
}

/// The place in the file of what a model lists as node k.
NodeOrder order_of_schedule(const ScheduleFile& file, const JsonCursor& root, const Model& given) {
  const int count = static_cast<int>(given.nodes.size());
  if (file.graph.size() != count) {
    root.fail(fmt::format("found a schedule of {} nodes; expected {}, as the model '{}' has",
                          file.graph.size(), count, printable(given.name)));
  }
  NodeOrder order = file.model.order;
  if (order.empty()) {
    order.resize(given.nodes.size());
    std::iota(order.begin(), order.end(), 0);
  }
  const std::vector<JsonCursor> nodes = root.required("nodes").elements(kMaxListLength);
  for (int p = 0; p < count; ++p) {
    const std::string& expected = given.nodes[order[p]].name;
    if (file.graph.nodes[p].name == expected) continue;
    nodes[p].required("name").fail_expecting(fmt::format(
        "'{}', node {} of the model '{}'", printable(expected), order[p], printable(given.name)));
  }
  return order;
}

/// The nodes of a model with what an order has to keep, before a platform gives them costs.
Graph uncosted(const Model& model) {
  std::vector<Node> nodes;
  nodes.reserve(model.nodes.size());
  for (const ModelNode& node : model.nodes)
    nodes.push_back({.name = node.name, .inputs = node.inputs});
  return make_graph(std::move(nodes));
}

}  // namespace

NodeOrder read_order(std::string_view text, const std::string& source, const Model& given) {
  if (!given.order.empty()) throw InternalError("an order is read for a model in another one");
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  if (!root.is_array() && !root.is_object()) {
    root.fail_expecting("a schedule file, or a list of the nodes of the model");
  }
  NodeOrder order = root.is_array()
                        ? listed_order(root, given)
                        : order_of_schedule(parse_schedule_file(text, source), root, given);
  with_place(root.place(), [&] { check_order(uncosted(given), precedence(given), order); });
  return order;
}

}  // namespace poet
