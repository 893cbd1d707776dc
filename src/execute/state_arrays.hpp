#pragma once

#include <span>
#include <string>
#include <vector>

#include "arrays/write_arrays.hpp"
#include "execute/compute.hpp"
#include "execute/run_result.hpp"
#include "step/training_step.hpp"

namespace poet {

/// A tensor of a step with its numbers in a state.
struct StateTensor {
  const StepTensor* about = nullptr;
  std::span<float> values;
};

/// The tensors of one member of the state by the names of the parameters; layers whose vector is
/// empty, such as moments of frozen ones, have none.
std::vector<StateTensor> tensors_of(const TrainingStep& step,
                                    std::vector<std::vector<float>>& groups);

/// Copies of tensors for a file, each with `prefix` in front of its name.
std::vector<ArrayToWrite> arrays_of(const std::vector<StateTensor>& tensors,
                                    const std::string& prefix = {});

/// What a file of parameters holds, and a checkpoint among other things: every parameter, frozen
/// ones as well, as a user states it, and the running statistics of batch norms.
std::vector<ArrayToWrite> parameter_arrays(const TrainingStep& step, const TrainingState& state);

/// What each loss compared with its target in the last step, under the name of the layer that made
/// it; the state must have kept it: TrainingState::outputs. Of a forward pass all of its results.
std::vector<ArrayToWrite> output_arrays(const TrainingStep& step, const TrainingState& state);

/// What a state leaves as files.
RunArrays run_arrays(const TrainingStep& step, TrainingState& state);

}  // namespace poet
