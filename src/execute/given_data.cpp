// Numbers of a user in the place of numbers from a seed, so that a run can be compared with a run
// of PyTorch on the same numbers. What does not match is an error and never a guess: a parameter
// that kept its random value would train as well, and nobody would see why the results differ. All
// that is wrong is collected, since a state_dict with other names is wrong in every line. Infinite
// values and NaNs pass, as PyTorch would train on them; a finite number is refused if float32 makes
// it infinite.

#include "execute/given_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "execute/running_statistics.hpp"
#include "model/parameters.hpp"
#include "model/shape.hpp"
#include "step/int8_weights.hpp"

namespace poet {
namespace {

std::string shape_of(const Shape& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

/// PyTorch has kernels of one extent where others have two; an extent of 1 moves nothing.
Shape without_ones(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

void expect_shape(const NumberArray& found, const Shape& wanted, std::int64_t count,
                  const std::string& place) {
  if (found.has_shape && without_ones(found.shape) != without_ones(wanted)) {
    throw InputError(place, fmt::format("found the shape {}; expected {}", shape_of(found.shape),
                                        shape_of(wanted)));
  }
  if (static_cast<std::int64_t>(found.values.size()) == count) return;
  throw InputError(place, fmt::format("found {} numbers; expected {}, the shape {}",
                                      found.values.size(), count, shape_of(wanted)));
}

float rounded(double value, std::size_t at, const std::string& place) {
  if (std::isfinite(value) && std::fabs(value) > double{std::numeric_limits<float>::max()}) {
    throw InputError(
        place, fmt::format("element {} is {}; expected a number that float32 can hold", at, value));
  }
  return static_cast<float>(value);
}

std::vector<float> floats(const NumberArray& array, const std::string& place) {
  if (array.is_integer) throw InputError(place, "found integers; expected float32 or float64");
  std::vector<float> values;
  values.reserve(array.values.size());
  for (const double value : array.values) values.push_back(rounded(value, values.size(), place));
  return values;
}

/// Matches arrays and parameters by name.
class ParameterMatch {
 public:
  ParameterMatch(const TrainingStep& step, std::span<const NamedArray> arrays,
                 const std::string& place)
      : step_(step), place_(place) {
    for (const StepParameters& parameters : step.parameters) {
      for (const StepTensor& tensor : parameters.tensors) add_name(tensor.name);
    }
    for (const NamedArray& array : arrays) {
      const bool is_progress = array.name.starts_with(kProgressPrefix);
      const bool is_parameter = std::find(names_.begin(), names_.end(), array.name) != names_.end();
      if (is_parameter || statistics_.contains(array.name)) {
        found_[array.name] = &array.array;
      } else if (!is_progress) {
        errors_.collect([&] {
          throw InputError(where(array.name), fmt::format("found an array of this name, which is "
                                                          "not a parameter of the model{}",
                                                          did_you_mean(array.name, names_)));
        });
      }
    }
  }

  void take(GivenData& given) {
    for (std::size_t p = 0; p < step_.parameters.size(); ++p) {
      const StepParameters& wanted = step_.parameters[p];
      std::vector<float>& values = given.parameters[p];
      for (const StepTensor& each : wanted.tensors) {
        errors_.collect([&] {
          const std::vector<float> part = tensor(each.name, each.shape, wanted.value);
          values.insert(values.end(), part.begin(), part.end());
        });
      }
      if (wanted.norm) errors_.collect([&] { take_statistics(p, given); });
      const bool is_whole = std::ssize(values) == wanted.count;
      if (wanted.has_int8_weights && is_whole) {
        errors_.collect([&] {
          with_place(where(wanted.tensors.front().name), [&] { round_to_int8(wanted, values); });
        });
      }
    }
    errors_.throw_if_any();
  }

 private:
  /// A norm that is not a batch norm here may have been one in PyTorch: its statistics may be
  /// there, and are not needed.
  void add_name(const std::string& tensor) {
    names_.emplace_back(tensor);
    const std::string_view layer = layer_of_weight(tensor);
    if (layer.empty() || !is_weight_name(tensor)) return;
    const auto [mean, variance, batches] = statistics_names(layer);
    statistics_.insert({mean, variance, batches});
  }

  void take_statistics(std::size_t p, GivenData& given) {
    const StepParameters& norm = step_.parameters[p];
    const StatisticsNames names = statistics_names(norm.norm->layer);
    const bool has_mean = found_.contains(names.mean);
    const bool has_variance = found_.contains(names.variance);
    GivenStatistics statistics{.running = {}, .batches = batches(names.batches)};
    if (!has_mean && !has_variance) {
      if (found_.contains(names.batches)) given.statistics[p] = std::move(statistics);
      return;
    }
    const Shape& channels = norm.tensors.front().shape;
    statistics.running = tensor(names.mean, channels);
    const std::vector<float> variances = tensor(names.variance, channels);
    for (std::size_t c = 0; c < variances.size(); ++c) {
      if (variances[c] >= 0) continue;
      throw InputError(
          where(names.variance),
          fmt::format("element {} is {}; expected a variance of at least 0", c, variances[c]));
    }
    statistics.running.insert(statistics.running.end(), variances.begin(), variances.end());
    given.statistics[p] = std::move(statistics);
  }

  std::int64_t batches(const std::string& name) const {
    const auto found = found_.find(name);
    if (found == found_.end()) return 0;
    const NumberArray& array = *found->second;
    if (array.is_integer && array.values.size() == 1 && array.values.front() >= 0) {
      return static_cast<std::int64_t>(array.values.front());
    }
    throw InputError(where(name),
                     fmt::format("found {} {}; expected one integer from 0", array.values.size(),
                                 array.is_integer ? "integers" : "floats"));
  }

  std::string where(const std::string& name) const {
    return fmt::format("{}: '{}'", place_, printable(name));
  }

  std::vector<float> tensor(const std::string& name, const Shape& shape,
                            std::optional<float> otherwise = {}) const {
    const auto found = found_.find(name);
    if (found == found_.end() && otherwise) {
      return std::vector<float>(static_cast<std::size_t>(element_count(shape)), *otherwise);
    }
    if (found == found_.end()) {
      throw InputError(where(name),
                       fmt::format("missing; expected an array of the shape {}", shape_of(shape)));
    }
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    expect_shape(*found->second, shape, count, where(name));
    return floats(*found->second, where(name));
  }

  const TrainingStep& step_;
  const std::string& place_;
  std::vector<std::string_view> names_;
  std::set<std::string> statistics_;  ///< what a state of PyTorch may have beside parameters
  std::map<std::string_view, const NumberArray*> found_;
  InputErrors errors_;
};

}  // namespace

void give_parameters(const TrainingStep& step, std::span<const NamedArray> arrays,
                     const std::string& place, GivenData& given) {
  ParameterMatch(step, arrays, place).take(given);
}

std::vector<std::uint32_t> data_bits(const StepData& wanted, const NumberArray& array,
                                     const std::string& place) {
  expect_shape(array, wanted.shape, wanted.count, place);
  std::vector<std::uint32_t> bits;
  if (wanted.index_limit == 0) {
    for (const float value : floats(array, place)) {
      bits.push_back(std::bit_cast<std::uint32_t>(value));
    }
    return bits;
  }
  if (!array.is_integer) throw InputError(place, "found floats; expected int32 or int64 indices");
  for (const double value : array.values) {
    if (value < 0 || value >= static_cast<double>(wanted.index_limit)) {
      throw InputError(place, fmt::format("element {} is {}; expected an index from 0 to {}",
                                          bits.size(), value, wanted.index_limit - 1));
    }
    bits.push_back(static_cast<std::uint32_t>(value));
  }
  return bits;
}

void apply(const TrainingStep& step, const GivenData& given, TrainingState& state) {
  for (const auto& [at, values] : given.parameters) state.parameters[at] = values;
  for (const auto& [at, statistics] : given.statistics) {
    state.batches[at] = statistics.batches;
    if (statistics.running.empty()) continue;
    state.running[at] = statistics.running;
    const StepNorm& norm = *step.parameters[at].norm;
    if (!norm.is_frozen) continue;
    state.unfolded[at] = state.parameters[at];
    state.parameters[at] = folded(state.parameters[at], statistics.running, norm.epsilon);
  }
  for (const auto& [at, bits] : given.inputs) state.inputs[at] = bits;
  for (const auto& [at, bits] : given.targets) state.targets[at] = bits;
}

}  // namespace poet
