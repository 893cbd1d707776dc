#pragma once

#include <cstdint>
#include <span>

#include "base/embedded_file.hpp"
#include "base/files/folder.hpp"
#include "export/device_plan.hpp"

namespace poet {

/// runtime/*.c and runtime/*.h, sorted by name.
std::span<const EmbeddedFile> embedded_runtime();

/// Everything that a device needs for a training step: the plan, the runtime with all kernels in
/// one file, the parameters of a seed that are not trained, and poet.mk for a Makefile.
FolderFiles c_sources(const DevicePlan& plan, std::uint64_t seed);

}  // namespace poet
