#pragma once

#include "base/files/folder.hpp"
#include "export/device_plan.hpp"

namespace poet {

/// The offsets of a program as TensorFlow Lite for Microcontrollers takes them: the metadata
/// "OfflineMemoryAllocation" of a model (tensorflow/lite/micro/docs/memory_management.md), which
/// are little-endian int32: the version, the number of subgraphs, the number of tensors, and an
/// offset for each tensor. Each lifetime is a tensor of its own, as TensorFlow Lite knows no
/// tensor that comes back. Beside the metadata there is a table of what each tensor is.
///
/// Throws InputError if the program moves a tensor, or for an offset beyond 2^31 - 1.
FolderFiles memory_plan(const PlacedStep& placed);

/// The program with every address, as a table: what a runtime of one's own needs.
FolderFiles program_table(const PlacedStep& placed);

}  // namespace poet
