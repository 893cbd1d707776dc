#pragma once

#include <string>
#include <vector>

#include <poet_seed.h>

#include "model/exact/draft.hpp"
#include "step/training_step.hpp"

namespace poet {

/// What the tensors of such parameters are at first. Weights are uniform within +-sqrt(6 / fan-in)
/// (He et al., 2015), where the fan-in is the product of all extents but the first. Biases and
/// betas are uniform within +-0.1, gammas within 1 +- 0.1. A learned tensor may state its value.
std::vector<poet_initial> initial_values(const StepParameters& parameters);

/// The index_limit that the runtime knows for such data: -1 if they are zeros.
std::int32_t runtime_limit(const StepData& data);

/// Number `index` of TrainingStep::parameters, as the seed has it.
std::vector<float> initial_parameters(const StepParameters& parameters, std::uint64_t seed,
                                      std::size_t index);

/// The optimizer of a model, as the runtime calls it.
poet_optimizer_kind kind_of(Optimizer optimizer);

/// What PyTorch calls the tensors of a layer's parameters, in the order in which they lie in
/// memory: `conv1.weight` and `conv1.bias`, gamma and beta of a normalisation likewise;
/// `cell.weight_ih` and `cell.bias_ih` of the input of an lstm or gru, `cell.weight_hh` and
/// `cell.bias_hh` of its state. A learned tensor has the name of its layer.
std::vector<std::string> parameter_names(const DraftLayer& owner, const DraftParameters& from);

}  // namespace poet
