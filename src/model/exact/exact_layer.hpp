#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/shape.hpp"
#include "poet/model.hpp"

namespace poet {

/// FLOPs of one exp, erf, log or tanh; E in the formulas of docs/model-format.md.
inline constexpr std::int64_t kExpFlop = 10;

/// A tensor as the formulas of one layer name it.
struct TensorRef {
  enum class Kind {
    input,     ///< X: what the layer reads, by its place in the list of inputs
    output,    ///< Y: a node of the layer's forward pass, by its index
    gradient,  ///< dY: the gradient of such a node; left out if nothing gives it one
    step       ///< the result of an earlier step of the layer's backward pass
  };
  /// What the formula needs of the tensor, if a kernel can read it from a copy.
  enum class Copied {
    never,
    values,  ///< from a byte for each element
    sign     ///< likewise, or from a bit
  };
  Kind kind = Kind::input;
  int index = 0;
  Copied copied = Copied::never;
  std::int64_t tile = 0;  ///< elements of a copy that the kernel converts at a time, in workspace
};

namespace ref {
constexpr TensorRef x(int index = 0) {
  return {TensorRef::Kind::input, index};
}
constexpr TensorRef y(int index = 0) {
  return {TensorRef::Kind::output, index};
}
constexpr TensorRef dy(int index = 0) {
  return {TensorRef::Kind::gradient, index};
}
constexpr TensorRef step(int index) {
  return {TensorRef::Kind::step, index};
}
/// A tensor of which a copy will do.
constexpr TensorRef values(TensorRef tensor, std::int64_t tile = 0) {
  return {tensor.kind, tensor.index, TensorRef::Copied::values, tile};
}
constexpr TensorRef sign(TensorRef tensor) {
  return {tensor.kind, tensor.index, TensorRef::Copied::sign};
}
}  // namespace ref

/// One node of a layer's forward pass. It makes one tensor.
struct ForwardNode {
  std::string suffix;  ///< after the layer's name and a dot; empty for the layer's own output
  Shape shape;
  std::int64_t flop = 0;
  std::vector<TensorRef> reads;
  std::vector<TensorRef> over{};          ///< inputs that it may be computed in place over
  std::vector<TensorRef> over_copied{};   ///< likewise, if gradients read bytes of them instead
  std::vector<int> parameters{};          ///< indices into ExactLayer::parameters
  bool is_readable = false;               ///< other layers may read it by its name
  std::optional<int> element_bytes = {};  ///< absent: as activations
};

/// One node of a layer's backward pass, or a gradient that needs no node.
struct GradientStep {
  enum class Of {
    input,       ///< the gradient of input `index`
    parameters,  ///< the gradient of parameters `index`
    inner        ///< a tensor that later steps read
  };
  Of of = Of::input;
  int index = 0;
  Shape shape;
  std::int64_t flop = 0;
  std::vector<TensorRef> reads;
  std::vector<TensorRef> over{};
  std::vector<int> parameters{};         ///< that it reads
  std::optional<int> also_updates = {};  ///< parameters whose gradient this same node makes
  bool is_view = false;                  ///< dY itself is the gradient: no node
  std::string name{};                    ///< of an inner tensor, such as `dgates`
};

/// A tensor of a layer: LayerTensor::group, and its place there.
struct TensorPlace {
  int group = 0;
  int tensor = 0;

  bool operator==(const TensorPlace&) const = default;
};

/// Tensors of parameters that one gradient node serves, such as a weight and its bias.
struct ParameterGroup {
  std::string suffix;  ///< after the layer's name and a dot; empty if the layer has one group
  std::vector<Shape> shapes;
  std::optional<TensorPlace> part{};  ///< the one tensor, if only a part of the op's group trains
  bool trains = true;                 ///< false: the layer is trained, and this is not
};

/// What a layer is in a true training step: the nodes that compute it, its parameters, and how its
/// gradients come about. The steps are in the order in which they could be computed; a step that
/// nothing needs is left out.
struct ExactLayer {
  std::vector<ForwardNode> nodes;
  std::vector<ParameterGroup> parameters{};
  std::vector<GradientStep> steps{};
  std::optional<Shape> view = {};  ///< the layer is its input in another shape: no nodes, no steps
  bool is_loss = false;            ///< backpropagation starts here
  bool is_parameter = false;       ///< the layer stands for its parameters: no nodes
};

/// The number of elements of all tensors of a group.
std::int64_t parameter_count(const ParameterGroup& group);

/// Where a tensor of the op lies; absent if the layer has no such tensor.
std::optional<TensorPlace> find_tensor(const ExactLayer& layer, TensorPlace tensor);

/// Whether the layer has a gradient for a group of its parameters.
bool trains(const ExactLayer& layer, int group);

}  // namespace poet
