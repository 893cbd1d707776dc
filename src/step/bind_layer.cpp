// The table from ops to the functions that make their kernel calls. An op that is not here can be
// solved for, but not run or exported: `custom` layers are described by their costs alone. The
// table is by op and not by node, since all nodes of a layer share its geometry: a function looks
// at the step of the backward pass and picks the kernel.

#include "step/layer_node.hpp"

#include <map>

namespace poet {
namespace {

constexpr int kGruHiddenStep = 2;

using Bind = Calls (*)(const LayerNode&);

const std::map<std::string_view, Bind>& table() {
  static const std::map<std::string_view, Bind> binders = {
      {"conv2d", bind_convolution},
      {"conv1d", bind_convolution},
      {"conv_transpose2d", bind_convolution},
      {"max_pool2d", bind_pool},
      {"avg_pool2d", bind_pool},
      {"adaptive_avg_pool2d", bind_pool},
      {"max_pool1d", bind_pool},
      {"avg_pool1d", bind_pool},
      {"adaptive_avg_pool1d", bind_pool},
      {"global_avg_pool", bind_mean},
      {"mean", bind_mean},
      {"upsample2d", bind_upsample},
      {"linear", bind_linear},
      {"linear_relu", bind_linear},
      {"attention_qkv", bind_linear},
      {"matmul", bind_matmul},
      {"embedding", bind_embedding},
      {"batch_norm2d", bind_batch_norm},
      {"batch_norm1d", bind_batch_norm},
      {"layer_norm", bind_group_norm},
      {"group_norm", bind_group_norm},
      {"relu", bind_map},
      {"relu6", bind_map},
      {"leaky_relu", bind_map},
      {"sigmoid", bind_map},
      {"tanh", bind_map},
      {"hard_sigmoid", bind_map},
      {"hard_swish", bind_map},
      {"silu", bind_map},
      {"gelu", bind_map},
      {"prelu", bind_prelu},
      {"elu", bind_map},
      {"softplus", bind_softplus},
      {"softmax", bind_softmax},
      {"log_softmax", bind_softmax},
      {"dropout", bind_dropout},
      {"stochastic_depth", bind_dropout},
      {"cross_entropy", bind_loss},
      {"cross_entropy_loss", bind_loss},
      {"mse", bind_loss},
      {"add", bind_broadcast},
      {"sub", bind_broadcast},
      {"mul", bind_broadcast},
      {"div", bind_broadcast},
      {"concat", bind_concat},
      {"split", bind_split},
      {"slice", bind_slice},
      {"permute", bind_permute},
      {"attention", bind_attention},
      {"attention_scores", bind_attention_layers},
      {"attention_context", bind_attention_layers},
      {"lstm", bind_lstm},
      {"gru", bind_gru}};
  return binders;
}

}  // namespace

// A formula names whole tensors. Binders that read a part of one add its offset themselves.
OperandSource LayerNode::source_of(const FormulaOperand& operand) const {
  switch (operand.kind) {
    case FormulaOperand::Kind::tensor:
      return {OperandSource::Kind::tensor, operand.index, 0};
    case FormulaOperand::Kind::parameters:
      return source_of(operand.index, 0);
    case FormulaOperand::Kind::one:
      return {OperandSource::Kind::one, -1, 0};
    case FormulaOperand::Kind::none:
      break;
  }
  return {};
}

OperandSource LayerNode::source_of(int parameters, std::int64_t offset) const {
  const int copy = draft_.parameters[parameters].copy;
  if (copy >= 0) return {OperandSource::Kind::tensor, copy, offset};
  return {OperandSource::Kind::parameters, parameters, offset};
}

OperandSource LayerNode::in(std::size_t i) const {
  return source_of(formula_.operands[i]);
}

std::vector<OperandSource> LayerNode::all() const {
  std::vector<OperandSource> sources;
  for (const FormulaOperand& operand : formula_.operands) sources.push_back(source_of(operand));
  return sources;
}

// The tensors of a group lie one after the other, without padding: PyTorch's order, weight then
// bias.
OperandSource LayerNode::weight(std::size_t group, std::size_t t) const {
  const auto place = find_tensor(layer_.exact, {static_cast<int>(group), static_cast<int>(t)});
  if (!place) return {};
  const std::vector<Shape>& shapes = layer_.exact.parameters[place->group].shapes;
  std::int64_t offset = 0;
  for (int before = 0; before < place->tensor; ++before) offset += count_of(shapes[before]);
  return source_of(layer_.parameters[place->group], offset);
}

bool LayerNode::is_of_bias_alone() const {
  if (is_forward()) return false;
  const GradientStep& gradient = layer_.exact.steps[step()];
  if (gradient.of != GradientStep::Of::parameters) return false;
  const std::optional<TensorPlace>& part = layer_.exact.parameters[gradient.index].part;
  return part && part->tensor == 1;
}

OperandSource LayerNode::running(bool variances) const {
  const std::int64_t channels = count_of(layer_.exact.parameters.front().shapes.front());
  return {OperandSource::Kind::running, layer_.parameters.front(), variances ? channels : 0};
}

Calls bind_layer(const LayerNode& node) {
  const auto found = table().find(node.op());
  if (found == table().end()) {
    throw InputError("there is no kernel for this op; 'run' needs one for each op of the model");
  }
  // A reset gate may stand between the bias of its state and the gradient of the gates.
  const bool has_own_kernel = node.op() == "gru" && node.step() == kGruHiddenStep;
  if (node.is_of_bias_alone() && !has_own_kernel) return bind_bias_gradient(node);
  return found->second(node);
}

}  // namespace poet
