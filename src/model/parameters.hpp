#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "poet/model.hpp"

namespace poet {

/// How an ONNX file stores a tensor of a layer. A tensor of a recurrence has all directions, one
/// after the other, and gates in an order of their own.
enum class OnnxForm {
  as_is,
  flat,         ///< with any extents
  transposed,   ///< a matrix, by the node that reads it
  gates,        ///< the weights of all gates
  input_bias,   ///< the first half of the biases of all gates
  hidden_bias,  ///< the second half
};

/// A tensor that a layer learns, or that follows its batches.
struct LayerTensor {
  /// As PyTorch has it, after the layer's name and a dot; empty: the layer's name alone.
  std::string_view name;
  std::optional<float> center{};  ///< what it begins near; absent: a weight, by its fan-in
  int group = 0;        ///< an index into ExactLayer::parameters; kStatistics: no gradient
  int onnx_input = -1;  ///< of the node that stands for the layer; -1: files do not have it
  OnnxForm form = OnnxForm::as_is;
  std::span<const std::size_t> gates{};  ///< of a recurrence: where PyTorch's gates are in ONNX
};

inline constexpr int kWeightInput = 1;  ///< LayerTensor::onnx_input of every weight but one
inline constexpr int kStatistics = -1;

/// The tensors of an op, in PyTorch's order; none if it learns nothing. Within a group they lie in
/// this order, and a layer without biases has the first one only. Their extents follow from the
/// layer: ParameterGroup::shapes.
std::span<const LayerTensor> tensors_of_op(std::string_view op);

/// `conv1.weight`, or of a learned tensor the layer's name.
std::string tensor_name(std::string_view layer, const LayerTensor& tensor);

/// What stands in front of `.weight`, such as `conv1`; empty if nothing does.
std::string_view layer_of_weight(std::string_view name);

/// Whether PyTorch calls the weight or the bias of a module so.
bool is_weight_name(std::string_view name);

/// What PyTorch calls the running statistics of a batch norm.
struct StatisticsNames {
  std::string mean, variance, batches;
};
StatisticsNames statistics_names(std::string_view layer);

/// What an optimizer keeps for each parameter, as the state_dict() of PyTorch's has it.
std::span<const std::string_view> moments_of(Optimizer optimizer);

}  // namespace poet
