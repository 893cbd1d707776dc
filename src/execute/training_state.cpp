#include "execute/training_state.hpp"

#include <poet_seed.h>

#include "step/initial_values.hpp"

namespace poet {
namespace {

std::vector<std::uint32_t> data(const StepData& wanted, poet_random random) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(wanted.count));
  poet_fill_data(&random, static_cast<std::int32_t>(wanted.count),
                 static_cast<std::int32_t>(wanted.index_limit), bits.data());
  return bits;
}

}  // namespace

TrainingState initial_state(const TrainingStep& step, std::uint64_t seed) {
  TrainingState state{.optimizer = poet_usual_optimizer(kind_of(step.optimizer))};
  const auto random = [&](poet_stream stream, std::size_t tensor) {
    return poet_random_of(seed, stream, static_cast<std::uint32_t>(tensor));
  };
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const StepParameters& from = step.parameters[p];
    const auto count = static_cast<std::size_t>(from.count);
    const bool has_first = from.is_trained && step.optimizer != Optimizer::sgd;
    const bool has_second = from.is_trained && step.optimizer == Optimizer::adam;
    state.parameters.push_back(initial_parameters(from, seed, p));
    state.first.emplace_back(has_first ? count : 0);
    state.second.emplace_back(has_second ? count : 0);
    state.kept.emplace_back(from.is_kept ? count : 0);
    state.gradients.emplace_back(from.is_trained ? count : 0);
  }
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    state.inputs.push_back(data(step.inputs[i], random(POET_STREAM_INPUTS, i)));
  }
  for (std::size_t i = 0; i < step.targets.size(); ++i) {
    state.targets.push_back(data(step.targets[i], random(POET_STREAM_TARGETS, i)));
  }
  state.losses.resize(step.nodes.size());
  return state;
}

}  // namespace poet
