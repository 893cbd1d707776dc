#pragma once

#include <vector>

#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"
#include "poet/units.hpp"
#include "schedule/bank_traffic.hpp"

namespace poet {

/// The banks of a platform with the room that each has for the tensors of a schedule. What training
/// keeps beside tensors, as far as the file says so, fills the banks from the last one on, but for
/// the RAM budget of the schedule, which is for tensors.
std::vector<BankFigures> bank_rooms(const Platform& platform, const ScheduleFile& file);

/// The bytes of what training keeps for which the banks of a file have no room beside its budget.
Bytes homeless_bytes(const ScheduleFile& file);

/// Sets what the program of a file does in its banks, whose rooms and rates are known, and their
/// sums. The program has offsets.
void measure_banks(ScheduleFile& file);

/// The offsets of the banks that the program of a file uses, up to the end of the highest tensor in
/// each, rounded up to the alignment of its graph; none if they are in one arena.
std::vector<BankRange> used_banks(const ScheduleFile& file);

}  // namespace poet
