#pragma once

#include <string>
#include <vector>

#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// Appends what is wrong with the offsets and slots of a file, and with what its summary says they
/// use, one line each. `platform` may be null: then nobody knows what moves cost.
void check_arena(std::vector<std::string>& found, const ScheduleFile& report,
                 const Platform* platform);

}  // namespace poet
