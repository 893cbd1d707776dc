#pragma once

#include <vector>

#include "execute/compute.hpp"
#include "execute/run_result.hpp"

namespace poet {

/// How far `found` is from `exact`; two gradients of 0 are equal. NaN or infinity if one of them
/// is not finite, or 0 alone.
GradientError gradient_error(const std::vector<float>& found, const std::vector<float>& exact);

/// Computes the step without copies from a state as it was before the step that `found` is after,
/// and fills GradientResult::error of the trained parameters, which `results` lists in order.
void measure_errors(const TrainingStep& exact, TrainingState before, const TrainingState& found,
                    std::vector<GradientResult>& results);

}  // namespace poet
