#pragma once

#include <vector>

#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// Whether a file needs version 2 for anything but offsets. Only then do its nodes have the times
/// of transfers: offsets may have been added to a file of version 1.
bool is_beyond_poet(const ScheduleFile& file);

/// The program without what offsets add to it.
std::vector<Instruction> without_offsets(std::vector<Instruction> program);

/// Whether the program of a file has offsets.
bool has_offsets(const ScheduleFile& file);

}  // namespace poet
