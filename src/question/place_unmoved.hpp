#pragma once

#include <functional>
#include <string>

#include "poet/solve.hpp"
#include "report/place_schedule.hpp"

namespace poet {

/// A schedule that is placed without moves, and how it came about.
struct UnmovedPlacement {
  PlacedSchedule placed;
  Bytes ram_budget_bytes = 0;  ///< of the last solve; 0 if the schedule is the given one
  std::string no_schedule;     ///< why that solve has none; empty if it has one
};

/// Places a schedule without moves. If no offsets are found within its capacity, which holds the
/// peak, the problem is solved again with a RAM budget that is lower by the excess, until there are
/// some or no schedule is left. The settings of its request hold. Throws as place_schedule() does.
UnmovedPlacement place_unmoved(const ScheduleFile& schedule, PlaceOptions options,
                               const std::function<void(const Progress&)>& progress,
                               const std::function<bool()>& interrupted);

}  // namespace poet
