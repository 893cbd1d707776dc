#pragma once

#include <string_view>

#include "import/layer_list.hpp"

namespace poet {

/// Adds the layers that a node stands for. Throws InputError, without a place, that says what of it
/// no layer has.
using LayerMap = void (*)(LayerList& layers, const OnnxNode& node);

// One function for a few ops; layer_maps.cpp has the table of all.
namespace maps {

void convolution(LayerList& layers, const OnnxNode& node);
void transposed_convolution(LayerList& layers, const OnnxNode& node);
void pool(LayerList& layers, const OnnxNode& node);
void global_pool(LayerList& layers, const OnnxNode& node);
void upsample(LayerList& layers, const OnnxNode& node);
void other_resize(LayerList& layers, const OnnxNode& node);

void linear(LayerList& layers, const OnnxNode& node);
void matmul(LayerList& layers, const OnnxNode& node);
void norm(LayerList& layers, const OnnxNode& node);
void attention(LayerList& layers, const OnnxNode& node);
void recurrence(LayerList& layers, const OnnxNode& node);
void other_recurrence(LayerList& layers, const OnnxNode& node);

void activation(LayerList& layers, const OnnxNode& node);
void clip(LayerList& layers, const OnnxNode& node);
void binary(LayerList& layers, const OnnxNode& node);
void softmax(LayerList& layers, const OnnxNode& node);
void prelu(LayerList& layers, const OnnxNode& node);
void mean(LayerList& layers, const OnnxNode& node);

void reshape(LayerList& layers, const OnnxNode& node);
void transpose(LayerList& layers, const OnnxNode& node);
void concat(LayerList& layers, const OnnxNode& node);
void split(LayerList& layers, const OnnxNode& node);
void slice(LayerList& layers, const OnnxNode& node);
void gather(LayerList& layers, const OnnxNode& node);
void expand(LayerList& layers, const OnnxNode& node);

}  // namespace maps

/// The function for an op of ONNX, or null.
LayerMap find_layer_map(std::string_view op);

}  // namespace poet
