#pragma once

#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// One operation of a training step, which makes one tensor, with all that scheduling needs to
/// know about it. Costs are finite and not negative.
struct Node {
  std::string name;
  std::string op;
  Bytes bytes = 0;                    ///< size of the output
  Seconds runtime_seconds = 0;        ///< one computation
  Joules energy_joules = 0;           ///< one computation
  Joules page_in_energy_joules = 0;   ///< secondary storage -> RAM, once
  Joules page_out_energy_joules = 0;  ///< RAM -> secondary storage, once
  Seconds page_in_seconds = 0;        ///< reported, never charged; 0 if unknown
  Seconds page_out_seconds = 0;       ///< likewise
  std::vector<int> inputs;            ///< indices of earlier nodes, ascending, each once
  bool backward = false;              ///< whether the node belongs to the backward pass
};

/// A training graph with costs, in topological order. Build it with make_graph.
struct Graph {
  std::vector<Node> nodes;
  std::vector<std::vector<int>> users;  ///< users[i] = nodes that read node i, ascending
  int first_backward = 0;               ///< index of the first backward node, or size()

  int size() const { return static_cast<int>(nodes.size()); }
};

/// Completes a graph: sorts each node's inputs, merges repeated ones (two edges between the
/// same nodes are one edge), and finds the users.
/// Throws InputError for an empty graph, an input that is not an earlier node, a cost that is not
/// between 0 and kMaxCost, or sizes that add up to more than 2^53 bytes.
Graph make_graph(std::vector<Node> nodes);

/// Returns flags by index: the nodes from which node `target` can be reached, itself included.
std::vector<bool> ancestors(const Graph& graph, int target);

/// Returns the SHA-256 of a graph's sizes, costs and edges. Graphs with the same digest pose the
/// same problems, whatever their nodes are called. The times of transfers are not part of it: no
/// schedule is charged for them.
std::string graph_sha256(const Graph& graph);

}  // namespace poet
