#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/embedded_file.hpp"
#include "base/files/folder.hpp"
#include "export/device_plan.hpp"

namespace poet {

/// runtime/*.c and runtime/*.h, sorted by name.
std::span<const EmbeddedFile> embedded_runtime();

/// What parameters are at first.
struct FirstParameters {
  std::uint64_t seed = 1;
  /// By the order of TrainingStep::parameters, in the place of what the seed gives: all, or none.
  std::map<std::size_t, std::vector<float>> given{};
};

/// Everything that a device needs for a training step: the plan, the runtime with all kernels in
/// one file, the parameters that are not trained, given ones that are, and poet.mk for a Makefile.
FolderFiles c_sources(const DevicePlan& plan, const FirstParameters& first);

/// poet_plan.h: sizes, indices and offsets as macros and enumerators, with the names and shapes of
/// the model in comments.
std::string plan_header(const DevicePlan& plan);

/// poet_plan.c: the plan as constant tables.
std::string plan_source(const DevicePlan& plan);

/// poet_constants.c: the parameters that are not trained.
std::string constants_source(const DevicePlan& plan, const FirstParameters& first);

/// poet_parameters.c: given parameters that are trained, which poet_initialise() copies.
std::string reset_source(const DevicePlan& plan, const FirstParameters& first);

}  // namespace poet
