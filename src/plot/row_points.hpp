#pragma once

#include <span>
#include <vector>

#include "poet/plot.hpp"
#include "sweep/rows.hpp"

namespace poet::plot {

/// The rows of a sweep as points of curves. What curves of one panel may differ in besides their
/// limits becomes part of a name: the batch size of the model's, the factor on memory power of the
/// platform's. A point that failed is one without a schedule.
std::vector<CurvePoint> curve_points(std::span<const SweepRow> rows);

}  // namespace poet::plot
