#pragma once

#include <string>

#include "poet/schedule_file.hpp"

namespace poet::cli {

/// Says on stderr what a schedule costs: energy, RAM, runtime, recomputations and transfers. `work`
/// ends its last line. Then print_arena().
void print_summary(const ScheduleFile& report, const std::string& work);

/// Says on stderr by how much the offsets exceed the RAM budget, if they do, and what moves them.
void print_arena(const ScheduleFile& report);

/// Says on stderr how much is moved, if anything is. `heading` begins the line.
void print_moves(const ScheduleFile& report, const std::string& heading);

}  // namespace poet::cli
