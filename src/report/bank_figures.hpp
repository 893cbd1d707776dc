#pragma once

#include <string>
#include <vector>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"
#include "poet/units.hpp"
#include "schedule/bank_traffic.hpp"

namespace poet {

/// The banks of a platform as files state them, but for what a schedule does there.
std::vector<BankFigures> banks_of(const Platform& platform);

/// Likewise, without their offsets, and with what the reserve takes of them: it fills them from the
/// last one on, but leaves the RAM budget of the schedule to tensors.
std::vector<BankFigures> bank_rooms(const Platform& platform, const ScheduleFile& file);

/// The arrays that training keeps and that have to lie in these banks: none, if the banks have no
/// room for them beside the RAM budget of a file, which is for tensors then.
std::vector<TrainingArray> arrays_in_banks(const std::vector<BankFigures>& banks,
                                           const ScheduleFile& file);

/// What the program of a file reads and writes in each array that training keeps, in no bank yet.
/// The model is in the order of the file.
std::vector<KeptFigures> kept_traffic(const ScheduleFile& file, const Model& model,
                                      const Platform& platform);

/// Takes the bytes of arrays off the room of their banks, and sets the offsets of the banks. Throws
/// InternalError for a bank that has no room.
void keep_in_banks(BankedFigures& banked, std::vector<KeptFigures> kept);

/// The banks of a file with all that follows from its program, its arrays and their rates. What
/// contradicts that they are banks with a program in them is appended to `found`, one line each.
BankedFigures measured_banks(const ScheduleFile& file, std::vector<std::string>& found);

/// The bytes of what training keeps for which the banks of a file have no room beside its budget.
Bytes homeless_bytes(const ScheduleFile& file);

/// The offsets of the banks that the program of a file uses, up to the end of the highest tensor in
/// each, rounded up to the alignment of its graph; none if they are in one arena.
std::vector<BankRange> used_banks(const ScheduleFile& file);

}  // namespace poet
