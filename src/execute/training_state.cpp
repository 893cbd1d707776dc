#include "execute/training_state.hpp"

#include <bit>

#include <poet_math.h>

namespace poet {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;  // 2^64 / the golden ratio, odd

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

enum class Stream : std::uint64_t { parameters = 1, inputs, targets };

/// Random numbers that depend on the seed, the tensor and the element alone.
class Random {
 public:
  Random(std::uint64_t seed, Stream stream, std::size_t tensor)
      : state_(mix(mix(seed + kGolden) + static_cast<std::uint64_t>(stream) * kGolden) +
               tensor * kGolden) {
    state_ = mix(state_);
  }

  /// Uniform in [-1, 1), in steps of 2^-23: exact in a float.
  float uniform() {
    constexpr float kStep = 1.0F / (1U << 23U);
    return static_cast<float>(next() >> 40U) * kStep - 1;
  }

  std::uint32_t below(std::int64_t limit) {
    return static_cast<std::uint32_t>((next() >> 32U) % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint64_t next() { return mix(state_ += kGolden); }

  std::uint64_t state_;
};

std::vector<float> initial_parameters(const StepParameters& from, Random random) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(from.count));
  for (std::size_t t = 0; t < from.shapes.size(); ++t) {
    const Shape& shape = from.shapes[t];
    std::int64_t fan_in = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
    const bool is_weight = shape.size() > 1 && !from.is_scale;
    const float spread = is_weight ? poet_sqrtf(6.0F / static_cast<float>(fan_in)) : 0.1F;
    const float center = from.is_scale && t == 0 ? 1.0F : 0.0F;
    for (std::int64_t i = shape.front() * fan_in; i > 0; --i) {
      values.push_back(center + spread * random.uniform());
    }
  }
  return values;
}

std::vector<std::uint32_t> data(const StepData& wanted, Random random) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(wanted.count));
  for (std::uint32_t& each : bits) {
    each = wanted.index_limit > 0 ? random.below(wanted.index_limit)
                                  : std::bit_cast<std::uint32_t>(random.uniform());
  }
  return bits;
}

poet_optimizer optimizer(Optimizer kind) {
  poet_optimizer result{};
  result.learning_rate = 0.01F;
  result.momentum = 0.9F;
  switch (kind) {
    case Optimizer::sgd:
      result.kind = POET_SGD;
      break;
    case Optimizer::momentum:
      result.kind = POET_MOMENTUM;
      break;
    case Optimizer::adam:
      result.kind = POET_ADAM;
      result.learning_rate = 0.001F;
      result.beta1 = 0.9F;
      result.beta2 = 0.999F;
      result.epsilon = 1e-8F;
      break;
  }
  return result;
}

}  // namespace

TrainingState initial_state(const TrainingStep& step, std::uint64_t seed) {
  TrainingState state{.optimizer = optimizer(step.optimizer)};
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const StepParameters& from = step.parameters[p];
    const auto count = static_cast<std::size_t>(from.count);
    const bool has_first = from.is_trained && step.optimizer != Optimizer::sgd;
    const bool has_second = from.is_trained && step.optimizer == Optimizer::adam;
    state.parameters.push_back(initial_parameters(from, {seed, Stream::parameters, p}));
    state.first.emplace_back(has_first ? count : 0);
    state.second.emplace_back(has_second ? count : 0);
    state.kept.emplace_back(from.is_kept ? count : 0);
    state.gradients.emplace_back(from.is_trained ? count : 0);
  }
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    state.inputs.push_back(data(step.inputs[i], {seed, Stream::inputs, i}));
  }
  for (std::size_t i = 0; i < step.targets.size(); ++i) {
    state.targets.push_back(data(step.targets[i], {seed, Stream::targets, i}));
  }
  state.losses.resize(step.nodes.size());
  return state;
}

}  // namespace poet
