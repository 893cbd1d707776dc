#pragma once

#include <optional>
#include <span>
#include <vector>

#include "poet/arena.hpp"
#include "poet/platform.hpp"
#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"
#include "poet/units.hpp"

namespace poet {

/// What the offsets of a schedule have to keep to.
struct PlaceOptions {
  /// Absent: the schedule's RAM budget, or the rounded peak if sizes that the graph does not round
  /// need more.
  std::optional<Bytes> capacity_bytes;
  Bytes alignment = kUsualAlignment;
  /// If it has banks, every tensor lies in one of them, and none is moved; the capacity is what
  /// they have for tensors. May be null.
  const Platform* platform = nullptr;
  /// The model of the schedule, in its order: in banks, it says what is read and written of what
  /// training keeps. May be null if that is nothing.
  const Model* model = nullptr;
  BankCost bank_cost = BankCost::time;
  bool moves = true;       ///< whether tensors may be moved if no offsets are found
  Seconds time_limit = 0;  ///< 0: after usual_search_nodes(), the same on every machine
};

/// A schedule and what is known about its offsets. The schedule has them if `fits`.
struct PlacedSchedule {
  ScheduleFile file;
  bool fits = false;
  PlacementStatus search = PlacementStatus::cut_short;  ///< for offsets without moves
  bool in_the_way = false;  ///< moves were tried, but would be of tensors that are transferred
  Bytes capacity_bytes = 0;
  Bytes peak_bytes = 0;     ///< of sizes rounded up to the alignment: no arena is smaller
  Bytes unmoved_bytes = 0;  ///< the smallest arena that is known to do without moves
  // Over banks only, if nothing fits.
  std::vector<int> left_over;  ///< nodes whose tensors or workspaces found no room, each once
  std::vector<TrainingArray> left_arrays;  ///< that training keeps and that found none
  bool is_above_banks = false;  ///< one of them is larger than every bank that may hold it
};

/// The alignment of the offsets of a file: its graph's, but at least a float's.
Bytes offset_alignment(const ScheduleFile& file);

/// Gives the program of a schedule offsets: in its peak if the search finds them, or else within
/// the capacity, with moves if need be; and slots to its copies in secondary storage. No tensor is
/// moved while it is transferred, which can leave a schedule without offsets even with moves.
/// Throws InputError for a schedule that is not valid without its offsets, naming the first
/// finding, and for an alignment below 1.
PlacedSchedule place_schedule(const ScheduleFile& schedule, const PlaceOptions& options);

/// Gives a valid schedule without offsets its offsets and slots, as place_schedule() does, with all
/// the room that rounding needs. If moves would meet transfers, the arena is larger than the
/// budget. The same schedule always gets the same ones.
void add_offsets(ScheduleFile& file);

/// Returns a program without moves with the offsets of its tensors and workspaces, and with moves
/// where the placement of its lifetimes has them.
std::vector<Instruction> with_offsets(std::span<const Instruction> program,
                                      const ProgramBuffers& lifetimes, const Placement& placement);

/// Writes the slots of its copies into a program without moves.
void write_slots(std::span<Instruction> program, const ProgramCopies& copies,
                 std::span<const Bytes> slots);

}  // namespace poet
