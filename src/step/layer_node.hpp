#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "model/exact/copy_nodes.hpp"
#include "model/exact/draft.hpp"
#include "poet/error.hpp"
#include "step/training_step.hpp"

namespace poet {

/// The geometry of kernels has 32 bits. Throws InputError beyond.
inline std::int32_t narrow(std::int64_t value) {
  if (value > std::numeric_limits<std::int32_t>::max()) {
    throw InputError("a tensor has 2^31 elements or more, expected fewer");
  }
  return static_cast<std::int32_t>(value);
}

/// The product of the extents from `first` up to, but not including, `last`.
inline std::int32_t product(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t result = 1;
  for (std::size_t i = first; i < last; ++i) result *= shape[i];
  return narrow(result);
}

inline std::int32_t count_of(const Shape& shape) {
  return product(shape, 0, shape.size());
}

/// How bytes of a tensor of this shape lie.
inline poet_copy_spec copy_spec(const Shape& shape, bool keeps_sign) {
  const CopyLayout layout = copy_layout(shape);
  return {.groups = narrow(layout.groups),
          .group_size = narrow(layout.group_size),
          .keeps_sign = keeps_sign ? 1 : 0};
}

/// A node that a layer makes, with what its kernel calls follow from.
class LayerNode {
 public:
  /// `target`: the index of the layer's own target in TrainingStep::targets, or -1.
  /// `evaluates`: no training follows, so norms use running statistics and nothing is dropped.
  LayerNode(const Draft& draft, const NodeFormula& formula, int target, bool evaluates)
      : draft_(draft),
        layer_(draft.layers[formula.layer]),
        formula_(formula),
        target_(target),
        evaluates_(evaluates) {}

  std::string_view op() const { return layer_.spec->op; }
  int layer() const { return formula_.layer; }
  bool is_forward() const { return formula_.output >= 0; }
  bool evaluates() const { return evaluates_; }
  int output() const { return formula_.output; }  ///< which of ExactLayer::nodes
  int step() const { return formula_.step; }      ///< which of ExactLayer::steps

  const Shape& x(std::size_t i = 0) const { return layer_.inputs[i].shape; }
  std::size_t input_count() const { return layer_.inputs.size(); }
  const Shape& y(std::size_t i = 0) const { return layer_.exact.nodes[i].shape; }

  std::int32_t value(std::string_view name) const { return narrow(attribute(name).height); }
  bool flag(std::string_view name) const { return attribute(name).height != 0; }
  poet_real number(std::string_view name) const {
    return static_cast<poet_real>(attribute(name).number);
  }
  const Attribute& attribute(std::string_view name) const {
    return layer_.spec->attributes.at(name);
  }

  /// Operand i of the node's formula.
  OperandSource in(std::size_t i) const;
  /// All of them.
  std::vector<OperandSource> all() const;
  std::size_t operand_count() const { return formula_.operands.size(); }
  /// Whether that is a copy of one byte, or one bit, for each element.
  bool reads_bytes(std::size_t i) const { return is_copy(i, "copy_int8"); }
  bool reads_bits(std::size_t i) const { return is_copy(i, "copy_bits"); }
  /// Of such bytes: as their own tensor has them, whose view the formula may read.
  poet_copy_spec copy(std::size_t i) const {
    const NodeFormula& made = draft_.formulas[formula_.operands[i].index];
    return copy_spec(made.operands.front().shape, false);
  }
  /// What a kernel unpacks them into.
  static OperandSource tile() { return {OperandSource::Kind::workspace, -1, 0}; }

  /// Tensor t of a group of the layer's parameters; none if the layer has no such tensor.
  OperandSource weight(std::size_t group = 0, std::size_t t = 0) const;
  OperandSource bias(std::size_t group = 0) const { return weight(group, 1); }
  /// Whose gradient the node makes; 0 if it makes none of parameters.
  int gradient_group() const {
    if (is_forward()) return 0;
    const GradientStep& gradient = layer_.exact.steps[step()];
    return gradient.of == GradientStep::Of::parameters ? gradient.index : 0;
  }
  /// Of a gradient: whether its sink gets the one of the bias as well.
  bool has_bias() const {
    if (is_forward()) return find_tensor(layer_.exact, {0, 1}).has_value();
    return layer_.exact.parameters[gradient_group()].shapes.size() > 1;
  }
  /// Of group 0: LayerTensor's place there of the one tensor that trains; absent: all or none do.
  std::optional<int> trained_part() const {
    const std::optional<TensorPlace>& part = layer_.exact.parameters.front().part;
    return part ? std::optional(part->tensor) : std::nullopt;
  }
  /// Whether the node makes the gradient of a bias without the one of its weight.
  bool is_of_bias_alone() const;
  /// Of such a node: of the bias, and of what its gradient is a sum of, the last operand.
  const Shape& bias_shape() const {
    return layer_.exact.parameters[gradient_group()].shapes.front();
  }
  const Shape& summed_shape() const { return formula_.operands.back().shape; }

  /// Of a batch norm: its running means, or behind them its running variances.
  OperandSource running(bool variances) const;

  /// What a loss is compared with, if it names no input.
  OperandSource own_target() const { return {OperandSource::Kind::target, target_, 0}; }

 private:
  OperandSource source_of(const FormulaOperand& operand) const;
  bool is_copy(std::size_t i, std::string_view op) const {
    const FormulaOperand& operand = formula_.operands[i];
    return operand.is_copy && draft_.model.nodes[operand.index].op == op;
  }
  /// Where kernels find parameters, an index into Draft::parameters, from this element on.
  OperandSource source_of(int parameters, std::int64_t offset) const;

  const Draft& draft_;
  const DraftLayer& layer_;
  const NodeFormula& formula_;
  int target_;
  bool evaluates_;
};

using Calls = std::vector<KernelCall>;

template <typename Spec>
KernelCall call(const TypedKernel<Spec>& kernel, const Spec& spec, std::vector<OperandSource> in) {
  return {kernel.kernel, spec, std::move(in)};
}

// The kernel calls of a node of such a layer. Throw InputError without a place.

Calls bind_convolution(const LayerNode& node);
Calls bind_pool(const LayerNode& node);
Calls bind_upsample(const LayerNode& node);

Calls bind_linear(const LayerNode& node);
Calls bind_matmul(const LayerNode& node);
Calls bind_embedding(const LayerNode& node);
Calls bind_batch_norm(const LayerNode& node);
Calls bind_group_norm(const LayerNode& node);

Calls bind_map(const LayerNode& node);
Calls bind_prelu(const LayerNode& node);
Calls bind_softplus(const LayerNode& node);
Calls bind_softmax(const LayerNode& node);
Calls bind_dropout(const LayerNode& node);
Calls bind_loss(const LayerNode& node);

Calls bind_broadcast(const LayerNode& node);
/// The gradient of a bias without the one of its weight: the sum of the last operand.
Calls bind_bias_gradient(const LayerNode& node);
Calls bind_mean(const LayerNode& node);
Calls bind_concat(const LayerNode& node);
Calls bind_split(const LayerNode& node);
Calls bind_slice(const LayerNode& node);
Calls bind_permute(const LayerNode& node);

Calls bind_attention(const LayerNode& node);
Calls bind_attention_layers(const LayerNode& node);
Calls bind_lstm(const LayerNode& node);
Calls bind_gru(const LayerNode& node);

/// A linear layer of so many rows, as others use it: its gradients.
Calls linear_gradient(const poet_linear_spec& spec, const OperandSource& dy,
                      const OperandSource& weight);

/// The kernel calls of a node that a layer makes. Throws InputError, without a place, if its op has
/// no kernel.
Calls bind_layer(const LayerNode& node);

}  // namespace poet
