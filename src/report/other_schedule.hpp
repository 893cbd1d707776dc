#pragma once

#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"

namespace poet {

/// Makes the file of another schedule for the request of a file, from a solve within tighter
/// limits. The bounds stay those of the file, since those of tighter limits say nothing about its
/// request. Without offsets. Throws InternalError as make_schedule_file() does.
ScheduleFile with_other_schedule(const ScheduleFile& file, const SolveResult& result);

}  // namespace poet
