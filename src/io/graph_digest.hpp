#pragma once

#include <string>

#include "poet/graph.hpp"

namespace poet {

/// SHA-256 of a graph's sizes, costs and edges. Graphs with the same digest pose the same problems,
/// whatever their nodes are called. The times of transfers, which nothing is charged for, do not
/// count.
std::string graph_sha256(const Graph& graph);

}  // namespace poet
