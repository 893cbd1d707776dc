#pragma once

#include <string>
#include <vector>

#include "import/onnx_graph.hpp"

namespace poet {

// Exports take layers apart. Each pass finds a pattern of nodes and puts one node in its place,
// whose op is a layer of ours with a dot in front, such as `.gelu`.

/// Removes what computes nothing: Identity, Cast, Dropout of an inference, pairs of transpositions
/// that undo each other.
void remove_idle_nodes(OnnxGraph& graph);
/// `.layer_norm` from nine nodes, and `.group_norm` from an InstanceNormalization between two
/// changes of shape.
void fuse_norms(OnnxGraph& graph);
/// `.gelu`, `.silu`, `.hard_swish` and `.hard_sigmoid`.
void fuse_activations(OnnxGraph& graph);
/// `.linear` from Gemm, or from MatMul with a weight and an Add; `.bias` of convolutions likewise.
void fuse_linear(OnnxGraph& graph);
/// `.attention` from two MatMul with a Softmax between, and the changes of shape around them.
void fuse_attention(OnnxGraph& graph, std::vector<std::string>& notes);
/// `.stochastic_depth` from a product with random numbers.
void fuse_random(OnnxGraph& graph);
/// `.lstm` and `.gru` of one direction with the batch first, and transpositions around them.
void fuse_recurrence(OnnxGraph& graph);
/// What of an LSTM or a GRU no layer has, with what it takes instead; empty if there is nothing.
std::string fault_of_recurrence(const OnnxGraph& graph, const OnnxNode& node);

/// Padding with zeros goes into the window that reads it.
void fuse_padding(OnnxGraph& graph);
/// Slices that take a tensor apart without a rest become a Split.
void fuse_slices(OnnxGraph& graph);

/// All of them, in an order in which each finds what it looks for.
void fuse(OnnxGraph& graph, std::vector<std::string>& notes);

}  // namespace poet
