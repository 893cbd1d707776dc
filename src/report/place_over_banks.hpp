#pragma once

#include <vector>

#include "poet/arena.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"
#include "poet/units.hpp"

namespace poet {

/// What is known about a program in the banks of a platform.
struct ProgramInBanks {
  PlacementStatus status = PlacementStatus::cut_short;
  Placement placement;  ///< if it fits: offsets that go through the banks one after the other
  BankedFigures
      figures;           ///< if it fits: banks, cost and bound, but for what the program does there
  Bytes room_bytes = 0;  ///< for tensors at most, in all banks together
  // If nothing fits.
  std::vector<int> left_over;  ///< nodes whose tensors or workspaces found no room, each once
  std::vector<TrainingArray> left_arrays;  ///< that training keeps
  Bytes missing_bytes = 0;                 ///< of them, at once
  bool is_above_banks = false;             ///< one of them is larger than every bank
};

/// What to look for.
struct BankWishes {
  const Model* model = nullptr;  ///< of the file, in its order; null if it is not known
  BankCost cost = BankCost::time;
  Bytes alignment = kUsualAlignment;
  Seconds time_limit = 0;  ///< 0: a number of steps, the same on every machine
};

/// Looks for a bank and an offset for every buffer of the program of a file, which has no moves,
/// and for what training keeps, so that what the program reads and writes costs least. Throws
/// InputError if energy is asked for and a bank does not state it, and without the model if
/// training keeps something.
ProgramInBanks place_over_banks(const ScheduleFile& file, const ProgramBuffers& lifetimes,
                                const Platform& platform, const BankWishes& wishes);

}  // namespace poet
