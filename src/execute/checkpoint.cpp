#include "execute/checkpoint.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "execute/given_data.hpp"
#include "execute/state_arrays.hpp"
#include "model/parameters.hpp"

namespace poet {
namespace {

constexpr unsigned kHalfBits = 32;
constexpr std::uint64_t kLowHalf = 0xffffffffU;

std::string progress_name(const std::string& name) {
  return std::string(kProgressPrefix) + name;
}

/// The moments of all parameters, each with what begins the names of their arrays.
struct Moments {
  std::string prefix;
  std::vector<StateTensor> tensors;
};

std::vector<Moments> moments_in(TrainingState& state, const TrainingStep& step) {
  std::vector<Moments> moments;
  for (const std::string_view name : moments_of(step.optimizer)) {
    auto& groups = moments.empty() ? state.first : state.second;
    moments.push_back({progress_name(fmt::format("{}/", name)), tensors_of(step, groups)});
  }
  return moments;
}

/// The copies that gradients read, as text: the mode, and a line for each tensor.
std::string words_of(const Copies& copies) {
  if (copies.tensors.empty()) return {};
  std::string words = copies.mode == CopyMode::int8 ? "int8" : "exact";
  for (const std::string& tensor : copies.tensors) words += '\n' + tensor;
  return words;
}

ArrayToWrite whole(const char* name, std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::vector<std::int64_t> shape;
  if (count > 1) shape.push_back(count);
  return {.name = progress_name(name), .shape = std::move(shape), .values = std::move(values)};
}

/// The arrays of a checkpoint other than parameters.
class ProgressReader {
 public:
  ProgressReader(std::span<const NamedArray> arrays, const std::string& place)
      : arrays_(arrays), place_(place) {}

  /// Throws InputError unless there is such an array with as many numbers.
  const std::vector<double>& numbers(const std::string& name, std::size_t count,
                                     bool is_integer) const {
    const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                    [&](const NamedArray& each) { return each.name == name; });
    const std::string where = fmt::format("{}: '{}'", place_, printable(name));
    if (found == arrays_.end()) {
      throw InputError(where,
                       "missing; expected a file that an earlier 'run --checkpoint' of the same "
                       "model has written, or no file");
    }
    if (found->array.values.size() != count || found->array.is_integer != is_integer) {
      throw InputError(where, fmt::format("found {} {}; expected {} {}, as a checkpoint of this "
                                          "model has them",
                                          found->array.values.size(),
                                          found->array.is_integer ? "integers" : "floats", count,
                                          is_integer ? "integers" : "floats"));
    }
    return found->array.values;
  }

  /// Throws InputError unless the file was written with these copies.
  void expect_copies(const Copies& copies) const {
    const std::string name = progress_name("copies");
    const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                    [&](const NamedArray& each) { return each.name == name; });
    std::string words;
    if (found != arrays_.end()) {
      for (const double code : found->array.values) words += static_cast<char>(code);
    }
    if (words == words_of(copies)) return;
    throw InputError(
        fmt::format("{}: '{}'", place_, name),
        fmt::format("found a training {}; expected one {}: gradients differ, so go on with the "
                    "schedule that it began with, or give another file",
                    words.empty() ? "without copies" : "with other copies",
                    copies.tensors.empty() ? "without copies" : "with the copies of the schedule"));
  }

  std::int64_t count(const char* name) const {
    const double value = numbers(progress_name(name), 1, true).front();
    if (value >= 0) return static_cast<std::int64_t>(value);
    throw InputError(fmt::format("{}: '{}'", place_, progress_name(name)),
                     fmt::format("found {}; expected a number from 0", value));
  }

 private:
  std::span<const NamedArray> arrays_;
  const std::string& place_;
};

}  // namespace

std::vector<ArrayToWrite> checkpoint_arrays(const TrainingStep& step, TrainingState& state,
                                            const TrainingProgress& progress) {
  std::vector<ArrayToWrite> arrays = parameter_arrays(step, state);
  for (const auto& [prefix, tensors] : moments_in(state, step)) {
    for (ArrayToWrite& array : arrays_of(tensors, prefix)) arrays.push_back(std::move(array));
  }
  arrays.push_back({.name = progress_name("decays"),
                    .shape = {2},
                    .values = std::vector<float>{state.optimizer.decay1, state.optimizer.decay2}});
  arrays.push_back(whole("epochs", {progress.epochs}));
  arrays.push_back(whole("steps", {progress.steps}));
  arrays.push_back(whole("samples", {progress.samples}));
  // Numbers of a file are read as doubles, which hold half of a seed.
  arrays.push_back(whole("seed", {static_cast<std::int64_t>(progress.seed >> kHalfBits),
                                  static_cast<std::int64_t>(progress.seed & kLowHalf)}));
  arrays.push_back(whole("shuffle", {progress.shuffle ? 1 : 0}));
  if (const std::string words = words_of(step.copies); !words.empty()) {
    arrays.push_back(whole("copies", {words.begin(), words.end()}));
  }
  return arrays;
}

TrainingProgress restore(const TrainingStep& step, std::span<const NamedArray> arrays,
                         const std::string& place, TrainingState& state) {
  const ProgressReader reader(arrays, place);
  TrainingProgress progress;
  InputErrors errors;
  errors.collect([&] {
    progress.epochs = reader.count("epochs");
    progress.steps = reader.count("steps");
    progress.samples = reader.count("samples");
    progress.shuffle = reader.count("shuffle") != 0;
    reader.expect_copies(step.copies);
    const std::vector<double>& halves = reader.numbers(progress_name("seed"), 2, true);
    progress.seed =
        static_cast<std::uint64_t>(halves[0]) << kHalfBits | static_cast<std::uint64_t>(halves[1]);
    const std::vector<double>& decays = reader.numbers(progress_name("decays"), 2, false);
    state.optimizer.has_begun = progress.steps > 0 ? 1 : 0;
    state.optimizer.decay1 = static_cast<float>(decays[0]);
    state.optimizer.decay2 = static_cast<float>(decays[1]);
  });
  errors.throw_if_any();  // a file that is not a checkpoint at all needs one line
  GivenData given;
  give_parameters(step, arrays, place, given);
  apply(step, given, state);
  for (const auto& [prefix, tensors] : moments_in(state, step)) {
    for (const StateTensor& tensor : tensors) {
      errors.collect([&, &prefix = prefix] {
        const std::vector<double>& values =
            reader.numbers(prefix + tensor.about->name, tensor.values.size(), false);
        std::transform(values.begin(), values.end(), tensor.values.begin(),
                       [](double value) { return static_cast<float>(value); });
      });
    }
  }
  errors.throw_if_any();
  return progress;
}

}  // namespace poet
