#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/order_rules.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {

/// All sizes of these graphs are multiples.
inline constexpr Bytes kBytesOfOrders = 16;

/// Lets some nodes take over an input of their own size, or one of several. In the given order it
/// is the one that the rule for any order says.
inline Graph with_take_over(std::vector<Node> nodes, Random& random) {
  for (Node& node : nodes) {
    if (node.inputs.empty() || random.below(2) == 0) continue;
    node.bytes = nodes[node.inputs[random.below(static_cast<int>(node.inputs.size()))]].bytes;
    for (const int input : node.inputs) {
      if (nodes[input].bytes == node.bytes) node.in_place_choices.push_back(input);
    }
    if (random.below(2) == 0) {
      std::reverse(node.in_place_choices.begin(), node.in_place_choices.end());
    }
    node.in_place = node.in_place_choices.front();
    if (node.in_place_choices.size() == 1) node.in_place_choices.clear();
  }
  const Graph graph = make_graph(nodes);
  NodeOrder given(nodes.size());
  std::iota(given.begin(), given.end(), 0);
  for (int k = 0; k < graph.size(); ++k) nodes[k].in_place = taken_over(graph, given, k);
  return make_graph(std::move(nodes));
}

/// Nodes that read some of the four before and at times one further back, with all that exact
/// graphs have: some are computed once, or not paged, or need workspace; outputs take over inputs,
/// some of them with a choice; parameters are read and then written once or twice. Forward nodes
/// and backward ones are mixed in the second half.
inline Graph graph_with_orders(Random& random, int size) {
  const auto one_in = [&](int count) { return random.below(count) == 0; };
  std::vector<Node> nodes;
  for (int k = 0; k < size; ++k) {
    Node node = random_node(random, k);
    node.bytes = kBytesOfOrders * (one_in(8) ? 0 : 1 + random.below(4));
    node.page_in_seconds = 0.3 * node.runtime_seconds * random.below(4);
    node.page_out_seconds = 0.2 * node.runtime_seconds * random.below(4);
    if (k > 4 && one_in(3)) node.inputs.push_back(random.below(k - 4));
    for (int input = std::max(0, k - 4); input < k; ++input) {
      if (one_in(3)) node.inputs.push_back(input);
    }
    if (one_in(5)) node.recompute = false;
    if (one_in(6)) node.page = false;
    if (one_in(5)) node.workspace_bytes = kBytesOfOrders * (1 + random.below(3));
    node.backward = k >= size / 2 && !one_in(3);
    nodes.push_back(std::move(node));
  }
  for (int set = random.below(3); set > 0; --set) {
    const std::string name = fmt::format("w{}", set);
    const int writer = 2 + random.below(size - 2);
    for (int k = 0; k < writer; ++k) {
      if (one_in(3)) nodes[k].reads_parameters.push_back(name);
    }
    for (const int k : {writer, writer + 1 + random.below(3)}) {
      if (k >= size || (k != writer && one_in(2))) continue;
      nodes[k].writes_parameters.push_back(name);
      nodes[k].recompute = false;
    }
  }
  return with_take_over(std::move(nodes), random);
}

}  // namespace poet::test
