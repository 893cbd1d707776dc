#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "execute/compute.hpp"
#include "formats/read_inputs.hpp"
#include "step/training_step.hpp"

namespace poet::test {

/// The kernel calls of a model file's exact training step.
inline TrainingStep bound_step(const std::string& text, std::int64_t batch_size = 1) {
  InputErrors errors;
  ModelSpec spec = read_model(text, "tiny.json", errors);
  errors.throw_if_any();
  ask_for_backward(spec, Backward::exact);
  return bind_step(spec, batch_size);
}

/// The loss of a step that starts in this state, which stays as it is.
inline double loss_of(const TrainingStep& step, TrainingState state) {
  compute_unscheduled(step, state);
  double sum = 0;
  for (const float loss : state.losses) sum += double{loss};
  return sum;
}

/// Compares the gradient of one layer's parameters with central differences of the loss along it:
/// (L(w + h u) - L(w - h u)) / 2 h should be |g| for u = g / |g|. Returns their quotient.
inline double gradient_quotient(const TrainingStep& step, const TrainingState& start,
                                const std::vector<float>& gradient, std::size_t parameters) {
  double norm = 0;
  for (const float each : gradient) norm += double{each} * double{each};
  norm = std::sqrt(norm);
  constexpr double kStep = 4e-3;
  const auto moved = [&](double by) {
    TrainingState state = start;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      state.parameters[parameters][i] += static_cast<float>(by * double{gradient[i]} / norm);
    }
    return loss_of(step, std::move(state));
  };
  return (moved(kStep) - moved(-kStep)) / (2 * kStep) / norm;
}

}  // namespace poet::test
