#pragma once

#include <vector>

#include "poet/graph.hpp"

namespace poet {

/// The forward nodes at which a network can be cut into segments, ascending: no node but the data
/// is read across them.
std::vector<int> cut_nodes(const Graph& graph);

/// The last forward node that reads a node's output; the node itself if none does.
int last_forward_use(const Graph& graph, int node);

/// The first backward node that reads it; the graph's size if none does.
int first_backward_use(const Graph& graph, int node);

}  // namespace poet
