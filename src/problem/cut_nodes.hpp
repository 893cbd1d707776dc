#pragma once

#include <vector>

#include "poet/graph.hpp"

namespace poet {

/// The forward nodes at which a network can be cut into segments, ascending: no node but the data
/// is read across them.
std::vector<int> cut_nodes(const Graph& graph);

}  // namespace poet
