#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model_spec.hpp"
#include "poet/model.hpp"
#include "poet/order.hpp"
#include "poet/units.hpp"
#include "step/kernel.hpp"

namespace poet {

/// Where a kernel finds an operand.
struct OperandSource {
  enum class Kind {
    tensor,      ///< the output of a node
    parameters,  ///< TrainingStep::parameters
    running,     ///< the running statistics of these parameters
    gradient,    ///< the accumulated gradient of these parameters
    target,      ///< TrainingStep::targets
    one,         ///< the number 1
    workspace,   ///< the node's own
    none         ///< a null pointer
  };
  Kind kind = Kind::none;
  int index = -1;
  std::int64_t offset = 0;  ///< of the first element that is read

  bool operator==(const OperandSource&) const = default;
};

/// A kernel with its geometry and its operands.
struct KernelCall {
  Kernel kernel;
  KernelSpec spec;
  std::vector<OperandSource> in;
};

/// Where a gradient goes that a kernel gives to a sink.
struct SinkUse {
  enum class Into {
    tensor,      ///< stored as the node's own output
    buffer,      ///< likewise, after what `sum` holds is added
    kept,        ///< added to the gradient that stays in RAM until the end of the step
    parameters,  ///< applied to the parameters at once
  };
  Into into = Into::tensor;
  int parameters = -1;    ///< whose gradient it is: TrainingStep::parameters
  int sum = -1;           ///< Into::buffer: the node that holds what came before; -1: none
  bool is_first = false;  ///< Into::kept: nothing came before
  bool tracks = false;  ///< the kernel takes the batch into the running statistics of `parameters`
};

/// A node of the graph as calls of kernels, one after the other. An input has none.
struct StepNode {
  std::string name;
  std::string op;
  Shape shape{};
  Bytes bytes = 0;        ///< that the kernels write of the node's tensor; its rest is padding
  Bytes tile_bytes = 0;   ///< of workspace that its kernel writes
  int loss = -1;          ///< which of the losses it computes, as the model lists them; -1: none
  bool compares = false;  ///< of a loss layer: its first operand with its second, the target
  bool writes_tensor = false;  ///< kernels get the tensor as their output
  std::vector<KernelCall> calls;
  std::optional<SinkUse> sink;  ///< absent: kernels get a null pointer
};

/// What a batch norm has beside gamma and beta: running statistics, a mean and a variance for each
/// channel. They lie beside the tensors of the graph: the gradient node of the norm, which is
/// computed once in a step, takes the batch into them.
struct StepNorm {
  std::string layer;
  double epsilon = 0;
  /// Gamma and beta are applied as they are, with the running statistics folded in, and nothing
  /// takes a batch.
  bool is_frozen = false;
};

/// Whether a node holds where the maxima of a pool were: whole numbers of one byte or two.
inline bool is_index_of_maximum(std::string_view op) {
  return op == "max_pool2d_index" || op == "max_pool1d_index";
}

/// A tensor of parameters: a LayerTensor of a layer.
struct StepTensor {
  std::string name;  ///< as PyTorch has it: tensor_name()
  Shape shape;
  std::optional<float> center{};  ///< LayerTensor::center
};

/// Parameters that lie one after the other, such as a weight and its bias.
struct StepParameters {
  std::string name;
  std::vector<StepTensor> tensors;
  std::int64_t count = 0;
  bool is_trained = false;         ///< a node applies their gradient
  bool is_kept = false;            ///< their gradient stays in RAM
  std::optional<StepNorm> norm{};  ///< of a batch norm; if a part of it trains, of that part
  std::optional<float> value{};    ///< of all elements at first; absent: as the seed has them
  bool has_int8_weights = false;   ///< of a frozen layer: its weight is rounded (int8_weights.hpp)
};

/// Data that a training step is given: floats, or indices below a limit.
struct StepData {
  int node = -1;     ///< the input that holds it; -1: it lies outside the arena
  std::string name;  ///< of the input, or of the loss that the target is for
  Shape shape;
  std::int64_t count = 0;
  std::int64_t index_limit = 0;  ///< 0: floats
  bool zeros = false;            ///< unless other numbers are given
};

/// A training step, or a forward pass alone, with everything that its kernels have to be given. In
/// every order parameters, inputs, targets and losses have the numbers that the model's list gives
/// them, so that a seed and a user's files mean the same data.
struct TrainingStep {
  /// A forward pass: norms use their running statistics, nothing is dropped, and no parameter is
  /// trained.
  bool is_forward = false;
  Update update = Update::fused;
  Optimizer optimizer = Optimizer::sgd;
  std::vector<StepNode> nodes;  ///< of the exact graph, in the order of a schedule
  NodeOrder order{};            ///< of `nodes`, as Model::order
  Copies copies{};              ///< that gradients read
  std::vector<StepParameters> parameters;
  std::vector<StepData> inputs;
  std::vector<StepData> targets;  ///< of losses that name none
  int loss_count = 0;             ///< losses
  /// Of a forward pass: the nodes whose tensors are its results. These are what losses are computed
  /// from, and what nobody reads.
  std::vector<int> outputs{};
};

/// Turns a model of layers into the kernel calls of its exact training step, or with Backward::none
/// of its forward pass in evaluation mode, as PyTorch calls it. Elements are float32, indices
/// int32.
///
/// Throws InputError for a layer that has no kernel (`custom`, masks of rectifiers), other element
/// sizes, buffers that a kernel cannot take over, tensors of 2^31 elements, and for every model
/// that build_model() refuses.
TrainingStep bind_step(const ModelSpec& spec, std::int64_t batch_size);

/// Lets each dropout layer drop other elements in each training step.
void seed_dropout(TrainingStep& step, std::uint64_t seed, int step_number);

}  // namespace poet
