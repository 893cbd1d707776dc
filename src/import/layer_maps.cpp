// Which function makes layers of which op. A name that begins with a dot is one that fuse() gave to
// a pattern. docs/import.md has the same table for users. An op that is not here causes no error of
// its own; to_layers.cpp collects all of them for one message.

#include "import/layer_maps.hpp"

namespace poet {

LayerMap find_layer_map(std::string_view op) {
  static const std::map<std::string_view, LayerMap> maps_by_op = {
      {"Conv", maps::convolution},
      {"ConvTranspose", maps::transposed_convolution},
      {"MaxPool", maps::pool},
      {"AveragePool", maps::pool},
      {"GlobalAveragePool", maps::global_pool},
      {"GlobalMaxPool", maps::global_pool},
      {".upsample2d", maps::upsample},
      {"Resize", maps::other_resize},
      {"Upsample", maps::other_resize},
      {".linear", maps::linear},
      {"MatMul", maps::matmul},
      {".matmul", maps::matmul},
      {"BatchNormalization", maps::norm},
      {"LayerNormalization", maps::norm},
      {"InstanceNormalization", maps::norm},
      {".layer_norm", maps::norm},
      {".group_norm", maps::norm},
      {".attention", maps::attention},
      {".lstm", maps::recurrence},
      {".gru", maps::recurrence},
      {"LSTM", maps::other_recurrence},
      {"GRU", maps::other_recurrence},
      {"RNN", maps::other_recurrence},
      {"Relu", maps::activation},
      {"LeakyRelu", maps::activation},
      {"Sigmoid", maps::activation},
      {"Tanh", maps::activation},
      {"HardSigmoid", maps::activation},
      {"HardSwish", maps::activation},
      {"Dropout", maps::activation},
      {".stochastic_depth", maps::activation},
      {".gelu", maps::activation},
      {".silu", maps::activation},
      {".hard_swish", maps::activation},
      {".hard_sigmoid", maps::activation},
      {"Clip", maps::clip},
      {"Add", maps::binary},
      {"Sub", maps::binary},
      {"Mul", maps::binary},
      {"Div", maps::binary},
      {"Softmax", maps::softmax},
      {"LogSoftmax", maps::softmax},
      {"PRelu", maps::prelu},
      {"Elu", maps::activation},
      {"Softplus", maps::activation},
      {"ReduceMean", maps::mean},
      {"Reshape", maps::reshape},
      {"Flatten", maps::reshape},
      {"Squeeze", maps::reshape},
      {"Unsqueeze", maps::reshape},
      {"Transpose", maps::transpose},
      {"Concat", maps::concat},
      {"Split", maps::split},
      {"Slice", maps::slice},
      {"Gather", maps::gather},
      {"Expand", maps::expand},
  };
  const auto found = maps_by_op.find(op);
  return found == maps_by_op.end() ? nullptr : found->second;
}

}  // namespace poet
