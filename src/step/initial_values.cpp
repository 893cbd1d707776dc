// Numbers to begin with, for `run`, `export` and a device alike. They come from the C runtime, so
// that host and device cannot differ. The numbers of a tensor depend on the seed, its index and the
// element only (docs/run-format.md), so any part of them can be made by itself and in any order.

#include "step/initial_values.hpp"

#include <fmt/format.h>

#include <array>

#include "poet/error.hpp"
#include "step/int8_weights.hpp"
#include "step/layer_node.hpp"

namespace poet {

// A tensor of one extent is a bias or, in a normalisation, a scale.
std::vector<poet_initial> initial_values(const StepParameters& parameters) {
  std::vector<poet_initial> values;
  for (std::size_t t = 0; t < parameters.shapes.size(); ++t) {
    const Shape& shape = parameters.shapes[t];
    const std::int32_t fan_in = product(shape, 1, shape.size());
    const bool is_weight = shape.size() > 1 && !parameters.center;
    if (parameters.value) {
      values.push_back({.count = count_of(shape), .center = *parameters.value, .spread = 0});
      continue;
    }
    values.push_back({.count = count_of(shape),
                      .center = t == 0 ? parameters.center.value_or(0.0F) : 0.0F,
                      .spread = is_weight ? poet_weight_spread(static_cast<float>(fan_in)) : 0.1F});
  }
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

// A recurrent layer has two groups, of its input and of its state, which PyTorch tells apart by
// ending.
std::vector<std::string> parameter_names(const DraftLayer& owner, const DraftParameters& from) {
  const std::string& layer = owner.spec->name;
  if (owner.exact.is_parameter) return {layer};
  const char* const ending = from.name == layer + ".input"    ? "_ih"
                             : from.name == layer + ".hidden" ? "_hh"
                                                              : "";
  constexpr std::array kTensors = {"weight", "bias"};
  std::vector<std::string> names;
  for (std::size_t t = 0; t < from.shapes.size(); ++t) {
    names.push_back(fmt::format("{}.{}{}", layer, kTensors.at(t), ending));
  }
  return names;
}

}  // namespace poet
