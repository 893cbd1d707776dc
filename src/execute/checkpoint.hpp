#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arrays/read_arrays.hpp"
#include "arrays/write_arrays.hpp"
#include "execute/compute.hpp"
#include "step/training_step.hpp"

namespace poet {

/// How far a training has come, and what decides the data of its next steps.
struct TrainingProgress {
  std::int64_t epochs = 0;  ///< that are finished
  std::int64_t steps = 0;   ///< of all of them
  std::int64_t samples = 0;
  std::uint64_t seed = 1;
  bool shuffle = true;

  bool operator==(const TrainingProgress&) const = default;
};

/// A state between two epochs as arrays: the parameters by their names, the optimizer's moments by
/// PyTorch's names for them (`poet/MOMENT/NAME`, see moments_of()), and the progress.
std::vector<ArrayToWrite> checkpoint_arrays(const TrainingStep& step, TrainingState& state,
                                            const TrainingProgress& progress);

/// Puts such arrays into a state, and returns the progress that they state. Throws InputError, with
/// a line for everything that is wrong, for a file that is no checkpoint, or one of another model
/// or optimizer; `place` is the file.
TrainingProgress restore(const TrainingStep& step, std::span<const NamedArray> arrays,
                         const std::string& place, TrainingState& state);

}  // namespace poet
