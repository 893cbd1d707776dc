// Every graph passes through make_graph, so the rest of the library relies on what it checks: edges
// point forward, costs are finite, and sizes add up to at most 2^53 bytes. Up to there a double is
// exact, which makes coefficients of memory rows exact in the MILP, and no sum of sizes can
// overflow in the judge.

#include "poet/graph.hpp"

#include <algorithm>
#include <iterator>

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

void check_node(const Node& node, int index) {
  if (node.bytes < 0) {
    throw InputError(
        fmt::format("node {} ('{}'): {} bytes; expected at least 0", index, node.name, node.bytes));
  }
  check_cost(node, index, node.runtime_seconds, "runtime_seconds");
  check_cost(node, index, node.energy_joules, "energy_joules");
  check_cost(node, index, node.page_in_energy_joules, "page_in_energy_joules");
  check_cost(node, index, node.page_out_energy_joules, "page_out_energy_joules");
  for (const int input : node.inputs) {
    if (input >= 0 && input < index) continue;
    throw InputError(
        fmt::format("node {} ('{}'): input {} is not an earlier node", index, node.name, input));
  }
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
    std::sort(node.inputs.begin(), node.inputs.end());
    node.inputs.erase(std::unique(node.inputs.begin(), node.inputs.end()), node.inputs.end());
    for (const int input : node.inputs) graph.users[input].push_back(j);
    if (node.backward) graph.first_backward = std::min(graph.first_backward, j);
  }
  return graph;
}

// One pass suffices: inputs are earlier nodes.
std::vector<bool> ancestors(const Graph& graph, int target) {
  std::vector<bool> reached(graph.nodes.size(), false);
  reached[target] = true;
  for (int j = target; j >= 0; --j) {
    if (!reached[j]) continue;
    for (const int input : graph.nodes[j].inputs) reached[input] = true;
  }
  return reached;
}

// The text that is hashed writes every double with the fewest digits that read back as the same
// bits, and nothing that could depend on the locale or the machine.
std::string graph_sha256(const Graph& graph) {
  fmt::memory_buffer text;
  for (const Node& node : graph.nodes) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {}\n", node.bytes,
                   node.runtime_seconds, node.energy_joules, node.page_in_energy_joules,
                   node.page_out_energy_joules, node.backward, fmt::join(node.inputs, ","));
  }
  return sha256_hex(fmt::to_string(text));
}

}  // namespace poet
