#pragma once

#include "base/files/folder.hpp"
#include "export/device_plan.hpp"

namespace poet {

/// The program with every address, as a table: what a runtime of one's own needs.
FolderFiles program_table(const PlacedStep& placed);

}  // namespace poet
