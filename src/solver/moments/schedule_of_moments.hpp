#pragma once

#include <span>

#include "poet/schedule.hpp"
#include "solver/moments/moment_model.hpp"

namespace poet {

/// What a whole point of a moment model computes again and pages, as a schedule without residents:
/// every computation, and every arrival, in the last stage of its interval that serves its users. A
/// point says nothing of the RAM between moments, so that the schedule may overrun the budget.
Schedule schedule_of_moments(const MomentModel& model, std::span<const double> values);

}  // namespace poet
