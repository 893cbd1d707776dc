#pragma once

#include "import/graph_builder.hpp"

namespace poet {

// What no single layer stands for, as nodes that layers stand for. Each function adds such nodes to
// the builder, or none: then the node stays, and its layer map says what no layer has.

void lower_elementwise(GraphBuilder& builder);
void lower_products(GraphBuilder& builder);
void lower_shapes(GraphBuilder& builder);
void lower_padding(GraphBuilder& builder);
void lower_resize(GraphBuilder& builder);

/// Weights and constants that hide elements from a softmax, with numbers that are finite.
int finite_mask(GraphBuilder& builder, int mask);

/// The same for what patterns would be looked for in.
void lower_old_broadcast(GraphBuilder& builder);

/// What of a Resize or an Upsample no layer has.
std::string fault_of_resize(const OnnxGraph& graph, const OnnxNode& node);

/// All of them.
void lower(OnnxGraph& graph);

/// Layers that read a weight with different companions, such as a bias of their own, or read it
/// transposed, or a bias that other layers add as well: what they share becomes a parameter of its
/// own, with one gradient. Throws InputError, without a place, for what no layers can share.
void share_weights(OnnxGraph& graph);

/// What tells the weight of a layer apart from other weights, and forms of the same one.
std::string weight_key(const OnnxGraph& graph, const OnnxNode& node, int weight);

}  // namespace poet
