#pragma once

#include <string>

#include "poet/schedule_file.hpp"

namespace poet::cli {

/// Says on stderr what a schedule costs: energy, RAM, runtime, recomputations and transfers. `work`
/// ends the last line.
void print_summary(const ScheduleFile& report, const std::string& work);

}  // namespace poet::cli
