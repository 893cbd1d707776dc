#pragma once

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "question/watched_solve.hpp"
#include "report/energy_box.hpp"

namespace poet {

/// How much more than the best a schedule can cost within a box of energy figures. The problem is
/// solved at each corner, beginning with `schedule`; the time limit of `options` is about all of
/// these solves together. The schedule must be valid within the limits.
EnergyRange energy_range(const EnergyBox& box, const Limits& limits, const Schedule& schedule,
                         const SolveOptions& options, const SolveFunction& work);

}  // namespace poet
