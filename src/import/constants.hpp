#pragma once

#include "import/onnx_graph.hpp"

namespace poet {

/// More numbers than any mask of a sequence has; arithmetic on larger tensors is left to a run.
inline constexpr std::int64_t kMaxKnownNumbers = std::int64_t{1} << 24;

/// Computes a node whose inputs are all known, or which only asks for a shape: the arithmetic on
/// shapes and masks that an export is full of. Fills in the values of the first output, whose shape
/// is known, and returns whether it could.
bool fold_constants(OnnxGraph& graph, const OnnxNode& node);

}  // namespace poet
