#pragma once

#include <string>

#include "report/place_schedule.hpp"

namespace poet::cli {

/// Places a schedule without moves. If no offsets are found within its capacity, which holds the
/// peak, the problem is solved again with a RAM budget that is lower by the excess, until there are
/// some or no schedule is left. Says on stderr what that costs. Throws as place_schedule() does.
PlacedSchedule place_unmoved(const ScheduleFile& schedule, PlaceOptions options,
                             const std::string& name, bool quiet);

}  // namespace poet::cli
