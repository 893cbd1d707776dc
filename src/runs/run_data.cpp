// Files for a run, matched to what the step wants before they are read: how large a file may be
// follows from how many numbers the tensor has, so that a wrong file is refused before it fills the
// memory.

#include "runs/run_data.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "arrays/read_arrays.hpp"
#include "base/files/files.hpp"
#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"

namespace poet {
namespace {

/// For headers, and for what a user saved along with what is needed.
constexpr std::size_t kMoreBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxElementBytes = 8;
/// Of one file of samples.
constexpr std::size_t kMostDataBytes = std::size_t{1} << 30;
constexpr const char* kOwnTarget =
    "loss without a target among the inputs; expected --input NAME=FILE";

/// A value of --input or --target: a name in front of `=` cannot have a `/`, so `./a=b` is a file.
struct NamedFile {
  std::string_view name;  ///< empty: not given
  std::string path;
};

NamedFile named_file(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = std::string_view(word).substr(0, equals);
  if (equals == std::string::npos || name.find('/') != std::string_view::npos) return {{}, word};
  return {name, word.substr(equals + 1)};
}

std::size_t index_of(const NamedFile& file, const std::vector<StepData>& all, const char* what) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const StepData& each : all) names.emplace_back(each.name);
  if (all.empty()) throw InputError(fmt::format("the model has no {}", what));
  if (file.name.empty()) {
    // A first state is rarely given.
    const auto is_usual = [](const StepData& each) { return !each.zeros; };
    if (all.size() == 1) return 0;
    if (std::count_if(all.begin(), all.end(), is_usual) == 1) {
      return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_usual) - all.begin());
    }
    throw InputError(file.path, fmt::format("found no name; expected NAME=FILE, as the model has "
                                            "several: {}",
                                            fmt::join(names, ", ")));
  }
  const auto found = std::find(names.begin(), names.end(), file.name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError(fmt::format("found the name '{}'; expected {}{}", printable(file.name),
                               fmt::join(names, ", "), did_you_mean(file.name, names)));
}

std::size_t bytes_of_parameters(const TrainingStep& step) {
  std::size_t bytes = 0;
  for (const StepParameters& each : step.parameters) {
    bytes += static_cast<std::size_t>(each.count) * kMaxElementBytes;
  }
  return bytes;
}

std::vector<NamedArray> read_npz(const std::string& path, std::size_t most) {
  return parse_npz(read_file(path, most), shown_source(path), most);
}

/// What a file of --data is for.
struct DataPlace {
  bool is_target = false;
  std::size_t at = 0;
};

DataPlace place_of(const NamedFile& file, const TrainingStep& step, std::size_t unnamed) {
  if (file.name.empty()) {
    if (unnamed > 1) {
      throw InputError(file.path,
                       "found a third file without a name; expected the samples of the "
                       "only input, of the only target, and NAME=FILE for others");
    }
    const bool is_target = unnamed == 1;
    return {is_target, is_target ? index_of(file, step.targets, kOwnTarget)
                                 : index_of(file, step.inputs, "input")};
  }
  std::vector<StepData> all = step.inputs;
  all.insert(all.end(), step.targets.begin(), step.targets.end());
  const std::size_t at = index_of(file, all, "input");
  const bool is_target = at >= step.inputs.size();
  return {is_target, is_target ? at - step.inputs.size() : at};
}

void read_data(const char* option, const std::vector<std::string>& words,
               const std::vector<StepData>& wanted, const char* what,
               std::map<std::size_t, std::vector<std::uint32_t>>& given) {
  for (const std::string& word : words) {
    with_place(option, [&] {
      const NamedFile file = named_file(word);
      const std::size_t at = index_of(file, wanted, what);
      const StepData& data = wanted[at];
      const std::size_t most = static_cast<std::size_t>(data.count) * kMaxElementBytes + kMoreBytes;
      const NumberArray array = read_array(file.path, data.index_limit > 0, most);
      const std::string place = shown_source(file.path);
      if (!given.emplace(at, data_bits(data, array, place)).second) {
        throw InputError(place, fmt::format("'{}' has a file already", printable(data.name)));
      }
    });
  }
}

}  // namespace

void read_parameters(const char* option, const std::string& path, const TrainingStep& step,
                     GivenData& given) {
  with_place(option, [&] {
    const std::string place = shown_source(path);
    give_parameters(step, read_npz(path, kMoreBytes + bytes_of_parameters(step)), place, given);
  });
}

std::optional<std::vector<NamedArray>> read_checkpoint(const char* option, const std::string& path,
                                                       const TrainingStep& step) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  constexpr std::size_t kMoments = 2;  // at most, of each parameter
  return with_place(option, [&] {
    return read_npz(path, kMoreBytes + (1 + kMoments) * bytes_of_parameters(step));
  });
}

GivenData read_run_data(const RunFiles& files, const TrainingStep& step) {
  GivenData given;
  if (!files.parameters.empty()) read_parameters("--parameters", files.parameters, step, given);
  read_data("--input", files.inputs, step.inputs, "input", given.inputs);
  read_data("--target", files.targets, step.targets, kOwnTarget, given.targets);
  return given;
}

DataSet read_data_set(const std::vector<std::string>& words, const TrainingStep& step,
                      std::int64_t batch_size) {
  DataSet data;
  std::string first;  // the file that states how many samples there are
  std::size_t unnamed = 0;
  for (const std::string& word : words) {
    with_place("--data", [&] {
      const NamedFile file = named_file(word);
      const DataPlace to = place_of(file, step, unnamed);
      if (file.name.empty()) ++unnamed;
      const StepData& wanted = to.is_target ? step.targets[to.at] : step.inputs[to.at];
      const std::string place = shown_source(file.path);
      Samples samples = samples_of(
          wanted, batch_size, read_array(file.path, wanted.index_limit > 0, kMostDataBytes), place);
      if (first.empty()) {
        first = place;
        data.samples = samples.count;
      } else if (samples.count != data.samples) {
        throw InputError(place, fmt::format("found {} samples; expected {}, as in {}",
                                            samples.count, data.samples, first));
      }
      auto& all = to.is_target ? data.targets : data.inputs;
      if (!all.emplace(to.at, std::move(samples.bits)).second) {
        throw InputError(place, fmt::format("'{}' has a file already", printable(wanted.name)));
      }
    });
  }
  return data;
}

}  // namespace poet
