#pragma once

#include <memory>
#include <vector>

#include "import/onnx_graph.hpp"

namespace poet {

// Weights and constants in another form: transposed, cut, joined, or with other extents.

/// Gives a weight its numbers. Few numbers may be scales, sizes or limits, which libonnx and our
/// arithmetic ask for.
void take_numbers(OnnxTensor& weight, std::shared_ptr<const std::vector<float>> numbers);

/// Computes the output of a node that transposes, cuts or joins constants; false for other nodes.
bool fold_form(OnnxGraph& graph, const OnnxNode& node);

/// Whether a node only changes the form of a weight, whose output is then a weight as well: its
/// origin, its form, and its numbers with `keep_numbers` or if the node does not transpose.
bool take_form(OnnxGraph& graph, const OnnxNode& node, bool keep_numbers);

}  // namespace poet
