#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "step/training_step.hpp"

namespace poet {

/// What a training step reads and changes beside tensors. All vectors have the order of the lists
/// in TrainingStep.
struct TrainingState {
  poet_optimizer optimizer{};
  std::vector<std::vector<float>> parameters;
  std::vector<std::vector<float>> first;            ///< v of momentum, m of Adam
  std::vector<std::vector<float>> second;           ///< v of Adam
  std::vector<std::vector<float>> kept;             ///< gradients that stay in RAM
  std::vector<std::vector<float>> gradients;        ///< as the optimizer got them in the last step
  std::vector<std::vector<float>> running;          ///< of a batch norm: means, then variances
  std::vector<std::int64_t> batches;                ///< that `running` has taken in
  std::vector<std::vector<std::uint32_t>> inputs;   ///< the bits of floats or indices
  std::vector<std::vector<std::uint32_t>> targets;  ///< likewise
  std::vector<float> losses;                        ///< by StepNode::loss
  /// By parameters: gamma and beta of frozen batch norms, as they were before the running
  /// statistics were folded into `parameters`.
  std::map<std::size_t, std::vector<float>> unfolded{};
  /// By StepNode::loss: what the loss was computed from. Empty: it is not kept.
  std::vector<std::vector<float>> outputs;
  /// Of a forward pass: the tensors of TrainingStep::outputs.
  std::vector<std::vector<float>> results{};
};

/// Parameters and data from a seed, the same on every machine. Weights are uniform within
/// +-sqrt(6 / fan-in) (He et al., 2015), where the fan-in is the product of all extents but the
/// first. Biases and betas are uniform within +-0.1, gammas within 1 +- 0.1, inputs and float
/// targets within +-1, indices below their limit. Running means are 0, running variances 1; they
/// are not folded into frozen norms, whose gammas and betas follow from the seed.
///
/// Rates: SGD and momentum 0.01 with a momentum of 0.9, Adam 0.001 with the constants of Kingma and
/// Ba (2015).
TrainingState initial_state(const TrainingStep& step, std::uint64_t seed);

/// Returns where the tensor of a node is. Called for the node that is computed and for its
/// operands.
using TensorAt = std::function<std::byte*(int node)>;

/// Starts a step: advances the optimizer, and forgets the gradients of the step before.
void begin_step(TrainingState& state);

/// Computes a node by its kernels. An input is copied, the value of a loss is noted. `tile` is
/// workspace of StepNode::tile_bytes.
void compute(const TrainingStep& step, int node, const TensorAt& tensor_at, std::byte* tile,
             TrainingState& state);

/// Computes every node once, each into memory of its own: what a schedule must give as well.
void compute_unscheduled(const TrainingStep& step, TrainingState& state);

}  // namespace poet
