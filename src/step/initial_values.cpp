// Numbers to begin with, for `run`, `export` and a device alike. They come from the C runtime, so
// that host and device cannot differ. The numbers of a tensor depend on the seed, its index and the
// element only (docs/run-format.md), so any part of them can be made by itself and in any order.

#include "step/initial_values.hpp"

#include <algorithm>

#include "poet/error.hpp"
#include "step/int8_weights.hpp"
#include "step/layer_node.hpp"

namespace poet {

std::vector<poet_initial> initial_values(const StepParameters& parameters) {
  std::vector<poet_initial> values;
  for (const auto& [name, shape, center] : parameters.tensors) {
    const bool is_weight = shape.size() > 1 && !center;
    const auto fan_in = static_cast<float>(product(shape, 1, shape.size()));
    const float spread = is_weight ? poet_weight_spread(fan_in) : 0.1F;
    values.push_back({.count = count_of(shape),
                      .center = parameters.value.value_or(center.value_or(0.0F)),
                      .spread = parameters.value ? 0 : spread});
  }
  return values;
}

std::int32_t statistics_count(const StepParameters& norm) {
  return 2 * count_of(norm.tensors.front().shape);
}

std::vector<float> initial_statistics(const StepParameters& norm) {
  std::vector<float> values(static_cast<std::size_t>(statistics_count(norm)));
  std::fill(values.begin() + std::ssize(values) / 2, values.end(), 1.0F);
  return values;
}

std::int32_t runtime_limit(const StepData& data) {
  return data.zeros ? -1 : narrow(data.index_limit);
}

std::vector<float> initial_parameters(const StepParameters& parameters, std::uint64_t seed,
                                      std::size_t index) {
  poet_random random =
      poet_random_of(seed, POET_STREAM_PARAMETERS, static_cast<std::uint32_t>(index));
  std::vector<float> values(static_cast<std::size_t>(parameters.count));
  float* next = values.data();
  for (const poet_initial& tensor : initial_values(parameters)) {
    poet_fill_parameters(&random, &tensor, next);
    next += tensor.count;
  }
  if (parameters.has_int8_weights) round_to_int8(parameters, values);
  return values;
}

poet_optimizer_kind kind_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return POET_SGD;
    case Optimizer::momentum:
      return POET_MOMENTUM;
    case Optimizer::adam:
      return POET_ADAM;
  }
  throw InternalError("an optimizer without a kind");
}

}  // namespace poet
