#pragma once

#include <optional>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

/// How many steps that write this much secondary storage survives; absent if the platform does not
/// say, or if nothing is written.
std::optional<double> steps_until_worn(const Platform* platform, Bytes written);

/// make_schedule_file() without offsets: for those who want the figures, or who still change what
/// the file states about its model. Throws as that does.
ScheduleFile make_unplaced_file(const Model& model, const Platform* platform,
                                const Problem& problem, const Request& request,
                                const SolveResult& result);

/// Makes the file of another schedule for the request of a file, from a solve within tighter
/// limits. The file keeps its bounds, since bounds of tighter limits say nothing about its
/// request. Without offsets. Throws InternalError as make_schedule_file() does.
ScheduleFile with_other_schedule(const ScheduleFile& file, const SolveResult& result);

}  // namespace poet
