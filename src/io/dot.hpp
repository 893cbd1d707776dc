#pragma once

#include <string>

#include "poet/graph.hpp"

namespace poet {

/// The layer graph in Graphviz's DOT language: forward nodes, backward nodes, sizes on the nodes.
std::string to_dot(const Graph& graph, const std::string& name);

}  // namespace poet
