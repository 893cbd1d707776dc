// Every graph passes through make_graph, so the rest of the library relies on what it checks: edges
// point forward, costs are finite, and sizes add up to at most 2^53 bytes. Up to there a double is
// exact, which makes coefficients of memory rows exact in the MILP, and no sum of sizes can
// overflow in the judge.

#include "poet/graph.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

void check_cost(const Node& node, int index, double value, const char* what) {
  if (value >= 0 && value <= kMaxCost) return;
  throw InputError(fmt::format("node {} ('{}'): {} is {}; expected a number from 0 to {:g}", index,
                               node.name, what, value, kMaxCost));
}

void check_size(const Node& node, int index, Bytes value, std::string_view what) {
  if (value >= 0 && value <= kMaxBytes) return;
  throw InputError(fmt::format("node {} ('{}'): {} is {}; expected 0 to 2^53 bytes", index,
                               node.name, what, value));
}

/// A copy has all bits of its tensor, and may be longer by the rest of a block.
void check_copy(const Node& node, int index) {
  check_size(node, index, bytes_in_storage(node), "storage_bytes");
  if (bytes_in_storage(node) >= node.bytes) return;
  throw InputError(
      fmt::format("node {} ('{}'): storage_bytes is {}; expected at least its bytes, {}", index,
                  node.name, bytes_in_storage(node), node.bytes));
}

/// An output takes over RAM byte by byte, so the sizes have to be the same.
void check_taken(const std::vector<Node>& nodes, int index, int over) {
  const Node& node = nodes[index];
  if (std::find(node.inputs.begin(), node.inputs.end(), over) == node.inputs.end()) {
    throw InputError(fmt::format("node {} ('{}'): in_place is {}; expected one of its inputs",
                                 index, node.name, over));
  }
  if (nodes[over].bytes == node.bytes) return;
  throw InputError(fmt::format(
      "node {} ('{}'): in_place is {} ('{}') of {} bytes; expected an input of {} bytes", index,
      node.name, over, nodes[over].name, nodes[over].bytes, node.bytes));
}

void check_in_place(const std::vector<Node>& nodes, int index) {
  const Node& node = nodes[index];
  if (node.in_place) check_taken(nodes, index, *node.in_place);
  const std::vector<int>& choices = node.in_place_choices;
  for (const int choice : choices) check_taken(nodes, index, choice);
  if (choices.empty() ||
      (node.in_place && std::find(choices.begin(), choices.end(), *node.in_place) != choices.end()))
    return;
  throw InputError(fmt::format(
      "node {} ('{}'): in_place is {}; expected one of in_place_choices, {}", index, node.name,
      node.in_place ? std::to_string(*node.in_place) : "missing", fmt::join(choices, ", ")));
}

void check_node(const Node& node, int index) {
  check_size(node, index, node.bytes, "bytes");
  check_size(node, index, node.workspace_bytes, "workspace_bytes");
  check_copy(node, index);
  check_cost(node, index, node.runtime_seconds, "runtime_seconds");
  check_cost(node, index, node.energy_joules, "energy_joules");
  check_cost(node, index, node.page_in_energy_joules, "page_in_energy_joules");
  check_cost(node, index, node.page_out_energy_joules, "page_out_energy_joules");
  check_cost(node, index, node.page_in_seconds, "page_in_seconds");
  check_cost(node, index, node.page_out_seconds, "page_out_seconds");
  if (!node.writes_parameters.empty() && node.recompute) {
    throw InputError(fmt::format(
        "node {} ('{}') changes the parameters '{}' and may be computed again; expected "
        "\"recompute\": false",
        index, node.name, node.writes_parameters.front()));
  }
  for (const int input : node.inputs) {
    if (input >= 0 && input < index) continue;
    throw InputError(
        fmt::format("node {} ('{}'): input {} is not an earlier node", index, node.name, input));
  }
}

/// By node, the last stage that may compute it. A stage computes its own node last, so a node may
/// still be computed again in the stage of the one that writes what it reads.
std::vector<int> find_last_stages(const std::vector<Node>& nodes) {
  const int size = static_cast<int>(nodes.size());
  std::map<std::string_view, int> writer;
  for (int k = 0; k < size; ++k) {
    for (const std::string& name : nodes[k].reads_parameters) {
      const auto earlier = writer.find(name);
      if (earlier == writer.end()) continue;
      throw InputError(fmt::format(
          "node {} ('{}') reads the parameters '{}', which the earlier node {} ('{}') changes", k,
          nodes[k].name, name, earlier->second, nodes[earlier->second].name));
    }
    for (const std::string& name : nodes[k].writes_parameters) writer.try_emplace(name, k);
  }
  std::vector<int> last(size, size - 1);
  for (int k = 0; k < size; ++k) {
    if (!nodes[k].recompute) last[k] = k;
    for (const std::string& name : nodes[k].reads_parameters) {
      const auto later = writer.find(name);
      if (later != writer.end()) last[k] = std::min(last[k], later->second);
    }
  }
  return last;
}

/// What only graphs beyond POET's have, so that the digests of POET's stay as they are.
void append_attributes(fmt::memory_buffer& text, const Node& node, bool with_paging_times) {
  const auto append = [&](std::string_view key, const auto& value) {
    fmt::format_to(std::back_inserter(text), " {}={}\n", key, value);
  };
  // Names of parameters count as they are spelt: which nodes share them is what matters.
  const auto append_names = [&](std::string_view key, const std::vector<std::string>& names) {
    for (const std::string& name : names) append(key, fmt::format("{}:{}", name.size(), name));
  };
  if (node.in_place) append("in_place", *node.in_place);
  if (node.workspace_bytes > 0) append("workspace_bytes", node.workspace_bytes);
  if (!node.recompute) append("recompute", false);
  if (!node.page) append("page", false);
  if (bytes_in_storage(node) != node.bytes) append("storage_bytes", bytes_in_storage(node));
  append_names("reads", node.reads_parameters);
  append_names("writes", node.writes_parameters);
  if (!with_paging_times) return;
  append("page_in_seconds", node.page_in_seconds);
  append("page_out_seconds", node.page_out_seconds);
}

}  // namespace

Graph make_graph(std::vector<Node> nodes) {
  if (nodes.empty()) throw InputError("the graph has no nodes; expected at least one");
  Graph graph;
  graph.nodes = std::move(nodes);
  graph.users.resize(graph.nodes.size());
  graph.first_backward = graph.size();
  Bytes total = 0;
  for (int j = 0; j < graph.size(); ++j) {
    Node& node = graph.nodes[j];
    check_node(node, j);
    if (node.bytes > kMaxBytes - total) {
      throw InputError(fmt::format(
          "node {} ('{}'): the outputs up to here add up to more than 2^53 bytes", j, node.name));
    }
    total += node.bytes;
    check_in_place(graph.nodes, j);
    std::sort(node.inputs.begin(), node.inputs.end());
    node.inputs.erase(std::unique(node.inputs.begin(), node.inputs.end()), node.inputs.end());
    for (const int input : node.inputs) graph.users[input].push_back(j);
    if (node.backward) graph.first_backward = std::min(graph.first_backward, j);
  }
  graph.last_stage = find_last_stages(graph.nodes);
  return graph;
}

int last_use(const Graph& graph, int node) {
  const std::vector<int>& users = graph.users[node];
  return users.empty() ? node : users.back();
}

// The text that is hashed writes every double with the fewest digits that read back as the same
// bits, and nothing that could depend on the locale or the machine.
std::string graph_text(const Graph& graph, bool with_paging_times) {
  fmt::memory_buffer text;
  for (const Node& node : graph.nodes) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {}\n", node.bytes,
                   node.runtime_seconds, node.energy_joules, node.page_in_energy_joules,
                   node.page_out_energy_joules, node.backward, fmt::join(node.inputs, ","));
    append_attributes(text, node, with_paging_times);
  }
  return fmt::to_string(text);
}

std::string graph_sha256(const Graph& graph, bool with_paging_times) {
  return sha256_hex(graph_text(graph, with_paging_times));
}

}  // namespace poet
