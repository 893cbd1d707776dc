#pragma once

#include <span>
#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// One tensor-producing operation with everything that scheduling needs to know of it.
struct Node {
  std::string name;
  std::string op;
  Bytes bytes = 0;                    ///< size of the output
  Seconds runtime_seconds = 0;        ///< one computation
  Joules energy_joules = 0;           ///< one computation
  Joules page_in_energy_joules = 0;   ///< secondary storage -> RAM, once
  Joules page_out_energy_joules = 0;  ///< RAM -> secondary storage, once
  Seconds page_in_seconds = 0;        ///< told to the user, never charged; 0 where unknown
  Seconds page_out_seconds = 0;       ///< likewise
  std::vector<int> inputs;            ///< indices of earlier nodes, ascending, each once
  bool backward = false;
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

/// The nodes from which node `target` can be reached, itself included, as flags by index.
std::vector<bool> ancestors(const Graph& graph, int target);

}  // namespace poet
