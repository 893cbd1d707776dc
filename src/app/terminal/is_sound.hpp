#pragma once

#include <string>

#include "poet/schedule_file.hpp"

namespace poet::cli {

/// Verifies a schedule and reports all that is wrong with it; `what` says what was not done then.
bool is_sound(const ScheduleFile& file, const std::string& name, const char* what);

}  // namespace poet::cli
