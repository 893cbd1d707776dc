#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/read_arrays.hpp"
#include "execute/compute.hpp"
#include "step/training_step.hpp"

namespace poet {

/// Running statistics of a batch norm: means, then variances; and how many batches they come from.
struct GivenStatistics {
  std::vector<float> running;
  std::int64_t batches = 0;
};

/// Numbers of a user, which replace the random ones. All keys are indices into the lists of
/// TrainingStep.
struct GivenData {
  std::map<std::size_t, std::vector<float>> parameters;
  std::map<std::size_t, GivenStatistics> statistics;          ///< of batch norms, by parameters
  std::map<std::size_t, std::vector<std::uint32_t>> inputs;   ///< as in TrainingState
  std::map<std::size_t, std::vector<std::uint32_t>> targets;  ///< likewise
};

/// How the names of a checkpoint's other arrays begin, beside parameters.
inline constexpr std::string_view kProgressPrefix = "poet/";

/// Takes the parameters of a step from arrays with the names of StepParameters::tensors. float64 is
/// rounded. Batch norms may have running statistics as well, both arrays or none, and the number of
/// batches; statistics of other layers are ignored, and so is the progress in a checkpoint. Any
/// other array has to be one of the step's, and no parameter may be missing unless its layer states
/// a value. Extents of 1 make no difference. Throws InputError with a line for everything that is
/// wrong; `place` is the file.
void give_parameters(const TrainingStep& step, std::span<const NamedArray> arrays,
                     const std::string& place, GivenData& given);

/// The bits of an input or a target. Throws InputError for another shape or count, a float where
/// indices are wanted or the reverse, an index beyond its limit, or a number that no float32 holds.
std::vector<std::uint32_t> data_bits(const StepData& wanted, const NumberArray& array,
                                     const std::string& place);

/// Puts what is given into a state from a seed. Running statistics of a frozen norm are folded into
/// its gamma and beta; without any, these are the folded ones already.
void apply(const TrainingStep& step, const GivenData& given, TrainingState& state);

}  // namespace poet
