#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"
#include "base/files/folder.hpp"
#include "export/device_plan.hpp"

namespace poet {

/// runtime/*.c and runtime/*.h, sorted by name, and LICENSE.
std::span<const EmbeddedFile> embedded_runtime();

/// What parameters are at first.
struct FirstParameters {
  std::uint64_t seed = 1;
  /// By the order of TrainingStep::parameters, in the place of what the seed gives: all, or none.
  std::map<std::size_t, std::vector<float>> given{};
  /// Likewise of norms that are not frozen, if they are given: running means, then variances.
  std::map<std::size_t, std::vector<float>> running{};
};

/// Everything that a device needs for a training step, or a forward pass: the plan, the runtime
/// with all kernels in one file, the parameters that are not trained, given ones that are, and what
/// builds them. `second`: a forward pass beside a training step; a null pointer if there
/// is none.
FolderFiles c_sources(const DevicePlan& plan, const DevicePlan* second,
                      const FirstParameters& first);

/// Whether a file of an export is C, or C++ for Arduino.
bool is_c_file(std::string_view name);

/// The version of this program, with the commit that it was built from, as semantic versions have
/// it.
std::string_view generator_version();
/// Where its sources are; empty: whoever built it has not said.
std::string_view generator_repository();

/// Gives all words that begin with poet_ and POET_ the name in its place, so that programs can have
/// several exports. Throws InputError for a name that is none, or that the sources use.
void rename_words(FolderFiles& files, const std::string& name);

/// README.md and a program that runs the plan.
FolderFiles example_program(const DevicePlan& plan);

/// Whether an array of numbers is written as words, which take 11 characters each and not 17: above
/// 100 KB, compilers and editors feel it.
constexpr bool are_words(std::int64_t count) {
  return count > std::int64_t{25} * 1024;
}

/// What builds an export, for those who have a build already: poet.mk for a Makefile,
/// CMakeLists.txt, and what PlatformIO, Arduino, ESP-IDF and Zephyr look for. `sources` are the
/// names of its C files.
FolderFiles firmware_builds(const std::vector<std::string>& sources);

/// What the words in the files of a plan begin with.
struct PlanWords {
  std::string macro;   ///< `POET_`
  std::string symbol;  ///< `poet_plan`, and the name of its files
  std::string type;    ///< `poet_`, of enumerations
};
PlanWords words_of(const DevicePlan& plan);

/// poet_plan.h, or poet_inference.h of a second plan: sizes, indices and offsets as macros and
/// enumerators, with the names and shapes of the model in comments. `first`: the plan that this one
/// is second to.
std::string plan_header(const DevicePlan& plan, const DevicePlan* first = nullptr);

/// poet_plan.c, or poet_inference.c: the plan as constant tables.
std::string plan_source(const DevicePlan& plan);

/// poet_constants.c: the parameters that are not trained, then the running statistics that are not
/// tracked.
std::string constants_source(const DevicePlan& plan, const FirstParameters& first);

/// poet_parameters.c: given parameters that are trained, and running statistics that were given,
/// which poet_initialise() copies.
std::string reset_source(const DevicePlan& plan, const FirstParameters& first);

}  // namespace poet
