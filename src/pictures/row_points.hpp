#pragma once

#include <span>
#include <vector>

#include "poet/plot.hpp"
#include "sweep/rows.hpp"

namespace poet::plot {

/// Turns the rows of a sweep into points of curves.
///
/// A picture shows four things of a row: its model, its platform, its limits and what was found.
/// Whatever else rows may differ in becomes part of a name, so that no two curves of a panel have
/// the same label and mean different problems: the batch size becomes part of the model's name, the
/// factor on memory power part of the platform's.
///
/// A point that failed becomes one without a schedule. It keeps its mark under the axis, because a
/// gap in a curve would look like a budget that was never asked for.
std::vector<CurvePoint> curve_points(std::span<const SweepRow> rows);

}  // namespace poet::plot
