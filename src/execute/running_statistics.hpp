#pragma once

#include <cstddef>
#include <vector>

#include "arrays/write_arrays.hpp"
#include "execute/compute.hpp"
#include "step/training_step.hpp"

namespace poet {

/// The batch norms of a step whose running statistics take batches in: indices into
/// TrainingStep::parameters.
std::vector<std::size_t> tracked_norms(const TrainingStep& step);

/// Whether parameters are a batch norm that has running statistics: each does but a frozen one that
/// was given none, as its gamma and beta are the folded ones.
bool has_statistics(const TrainingStep& step, const TrainingState& state, std::size_t parameters);

/// The running statistics of the batch norms of a step as arrays with PyTorch's names
/// (statistics_names). Together with the parameters they are what PyTorch's state_dict has.
std::vector<ArrayToWrite> running_statistics(const TrainingStep& step, const TrainingState& state);

/// Parameters as a user states them: a frozen norm's before its statistics were folded in.
const std::vector<float>& stated_parameters(const TrainingState& state, std::size_t parameters);

/// Gamma and beta, one after the other, of the scale and shift that a frozen norm is: gamma /
/// sqrt(variance + epsilon), and beta - mean times that. `running`: means, then variances.
std::vector<float> folded(const std::vector<float>& parameters, const std::vector<float>& running,
                          double epsilon);

}  // namespace poet
