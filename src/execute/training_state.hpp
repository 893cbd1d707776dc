#pragma once

#include <cstdint>
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
  std::vector<std::vector<std::uint32_t>> inputs;   ///< the bits of floats or indices
  std::vector<std::vector<std::uint32_t>> targets;  ///< likewise
  std::vector<float> losses;                        ///< by node; 0 for a node that is no loss
};

/// Parameters and data from a seed, the same on every machine. Weights are uniform within
/// +-sqrt(6 / fan-in) (He et al., 2015), where the fan-in is the product of all extents but the
/// first. Biases and betas are uniform within +-0.1, gammas within 1 +- 0.1, inputs and float
/// targets within +-1, indices below their limit.
///
/// Rates: SGD and momentum 0.01 with a momentum of 0.9, Adam 0.001 with the constants of Kingma and
/// Ba (2015).
TrainingState initial_state(const TrainingStep& step, std::uint64_t seed);

}  // namespace poet
