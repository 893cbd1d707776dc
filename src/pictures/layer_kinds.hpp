#pragma once

#include <string>
#include <vector>

#include "poet/graph.hpp"

namespace poet::plot {

/// Returns by node what kind of layer it belongs to: the op of a forward node, and for a backward
/// node that of the layer whose gradient it is, which its name tells: `grad(conv1)`. A backward
/// node with another name has its own op, without the `_grad` that it ends in.
std::vector<std::string> layer_kinds(const Graph& graph);

}  // namespace poet::plot
