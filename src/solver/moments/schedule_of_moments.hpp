#pragma once

#include <span>

#include "poet/schedule.hpp"
#include "solver/moments/moment_model.hpp"

namespace poet {

/// What a point of a moment model, rounded, computes again and pages, as a schedule without
/// residents: every computation, and every arrival, in the last stage of its interval that serves
/// its users. A whole point fits the budget at the moments, and may overrun it between them.
Schedule schedule_of_moments(const MomentModel& model, std::span<const double> values);

}  // namespace poet
