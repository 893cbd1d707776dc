#pragma once

#include <optional>

#include "poet/arena.hpp"
#include "poet/schedule_file.hpp"
#include "poet/units.hpp"

namespace poet {

/// What the offsets of a schedule have to keep to.
struct PlaceOptions {
  std::optional<Bytes> capacity_bytes;  ///< absent: the schedule's RAM budget
  Bytes alignment = 4;
  bool moves = true;       ///< whether tensors may be moved if no offsets are found
  Seconds time_limit = 0;  ///< 0: none, unless moves are allowed, which end the search after 10 s
};

/// A schedule and what is known about its offsets. The schedule has them if `fits`.
struct PlacedSchedule {
  ScheduleFile file;
  bool fits = false;
  PlacementStatus search = PlacementStatus::cut_short;  ///< for offsets without moves
  Bytes capacity_bytes = 0;
  Bytes peak_bytes = 0;  ///< of sizes rounded up to the alignment: no arena is smaller
  int move_count = 0;
};

/// Gives the program of a schedule offsets: in its peak if the search finds them, or else within
/// the capacity, with moves if need be. Throws InputError for a schedule that is not valid, naming
/// the first finding, and for an alignment below 1.
PlacedSchedule place_schedule(const ScheduleFile& schedule, const PlaceOptions& options);

}  // namespace poet
