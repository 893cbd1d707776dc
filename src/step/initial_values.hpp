#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <poet_seed.h>

#include "step/training_step.hpp"

namespace poet {

/// What the tensors of such parameters are at first. Weights are uniform within +-sqrt(6 / fan-in)
/// (He et al., 2015), where the fan-in is the product of all extents but the first. Biases and
/// betas are uniform within +-0.1, gammas within 1 +- 0.1. A learned tensor may state its value.
std::vector<poet_initial> initial_values(const StepParameters& parameters);

/// Means and variances of a batch norm.
std::int32_t statistics_count(const StepParameters& norm);

/// Running statistics of a batch norm at first: means of 0, then variances of 1.
std::vector<float> initial_statistics(const StepParameters& norm);

/// The index_limit that the runtime knows for such data: -1 if they are zeros.
std::int32_t runtime_limit(const StepData& data);

/// Number `index` of TrainingStep::parameters, as the seed has it.
std::vector<float> initial_parameters(const StepParameters& parameters, std::uint64_t seed,
                                      std::size_t index);

/// The optimizer of a model, as the runtime calls it.
poet_optimizer_kind kind_of(Optimizer optimizer);

}  // namespace poet
