// Files for a run, matched to what the step wants before they are read: how large a file may be
// follows from how many numbers the tensor has, so that a wrong file is refused before it fills the
// memory.

#include "runs/run_data.hpp"

#include <algorithm>
#include <string_view>

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
    if (all.size() == 1) return 0;
    throw InputError(file.path, fmt::format("found no name; expected NAME=FILE, as the model has "
                                            "several: {}",
                                            fmt::join(names, ", ")));
  }
  const auto found = std::find(names.begin(), names.end(), file.name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError(fmt::format("found the name '{}'; expected {}{}", printable(file.name),
                               fmt::join(names, ", "), did_you_mean(file.name, names)));
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

GivenData read_run_data(const RunFiles& files, const TrainingStep& step) {
  GivenData given;
  if (!files.parameters.empty()) {
    with_place("--parameters", [&] {
      std::size_t most = kMoreBytes;
      for (const StepParameters& each : step.parameters) {
        most += static_cast<std::size_t>(each.count) * kMaxElementBytes;
      }
      const std::string place = shown_source(files.parameters);
      const std::string bytes = read_file(files.parameters, most);
      give_parameters(step, parse_npz(bytes, place, most), place, given);
    });
  }
  read_data("--input", files.inputs, step.inputs, "input", given.inputs);
  read_data("--target", files.targets, step.targets,
            "loss without a target among the inputs; expected --input NAME=FILE", given.targets);
  return given;
}

}  // namespace poet
