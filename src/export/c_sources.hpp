#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/embedded_file.hpp"
#include "base/files/folder.hpp"
#include "export/device_plan.hpp"

namespace poet {

/// runtime/*.c and runtime/*.h, sorted by name.
std::span<const EmbeddedFile> embedded_runtime();

/// Everything that a device needs for a training step: the plan, the runtime with all kernels in
/// one file, the parameters of a seed that are not trained, and poet.mk for a Makefile.
FolderFiles c_sources(const DevicePlan& plan, std::uint64_t seed);

/// poet_plan.h: sizes, indices and offsets as macros and enumerators, with the names and shapes of
/// the model in comments.
std::string plan_header(const DevicePlan& plan);

/// poet_plan.c: the plan as constant tables.
std::string plan_source(const DevicePlan& plan);

/// poet_constants.c: the parameters that are not trained, as the seed has them.
std::string constants_source(const DevicePlan& plan, std::uint64_t seed);

}  // namespace poet
