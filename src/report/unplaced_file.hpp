#pragma once

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"

namespace poet {

/// make_schedule_file() without offsets: for those who want the figures, or who still change what
/// the file says about its model. Throws as that does.
ScheduleFile make_unplaced_file(const Model& model, const Platform* platform,
                                const Problem& problem, const Request& request,
                                const SolveResult& result);

}  // namespace poet
