#pragma once

#include "poet/report.hpp"
#include "sweep/rows.hpp"

namespace poet {

/// A schedule file as a row of a sweep.
SweepRow report_row(const Report& report);

}  // namespace poet
