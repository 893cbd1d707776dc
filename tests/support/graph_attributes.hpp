#pragma once

#include <string>
#include <utility>
#include <vector>

#include "poet/graph.hpp"
#include "poet/problem.hpp"

namespace poet::test {

/// The same graph with some of what POET's graphs do not have: outputs that may take over an input,
/// workspace, nodes that are computed once or not paged, parameters that nodes read and one later
/// node changes, times of transfers, and copies in whole blocks. `below(n)` draws from 0 to n - 1.
template <typename Below>
Graph with_attributes(Graph graph, Below below) {
  std::vector<Node> nodes = std::move(graph.nodes);
  const int size = static_cast<int>(nodes.size());
  for (Node& node : nodes) {
    node.page_in_seconds = 0.3 * node.runtime_seconds * below(4);
    node.page_out_seconds = 0.2 * node.runtime_seconds * below(4);
    if (below(4) == 0) node.workspace_bytes = node.bytes * (1 + below(8)) / 4;
    if (below(5) == 0) node.recompute = false;
    if (below(5) == 0) node.page = false;
    if (below(3) == 0) node.storage_bytes = (node.bytes + 63) / 64 * 64;
    if (node.inputs.empty() || below(2) == 0) continue;
    node.in_place = node.inputs[below(static_cast<int>(node.inputs.size()))];
    node.bytes = nodes[*node.in_place].bytes;
    node.storage_bytes.reset();
  }
  for (int set = below(3); set > 0 && size > 2; --set) {
    const std::string name = "w" + std::to_string(set);
    const int writer = 1 + below(size - 1);
    nodes[writer].writes_parameters.push_back(name);
    nodes[writer].recompute = false;
    for (int k = 0; k < writer; ++k) {
      if (below(3) == 0) nodes[k].reads_parameters.push_back(name);
    }
  }
  return make_graph(std::move(nodes));
}

}  // namespace poet::test
