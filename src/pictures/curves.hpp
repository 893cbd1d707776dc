#pragma once

#include <span>
#include <string>
#include <vector>

#include "poet/plot.hpp"
#include "sweep/rows.hpp"

namespace poet::plot {

/// The points that differ in the RAM budget alone.
struct Curve {
  int style = 0;                   ///< the same in every panel for the same label
  std::vector<CurvePoint> points;  ///< ascending by budget
};

/// The curves of one model.
struct Panel {
  std::string model;
  std::vector<Curve> curves;
};

/// A sweep in the order in which its parts first appear.
struct CurveSet {
  std::vector<Panel> panels;
  std::vector<std::string> labels;  ///< by style: what the curves differ in
  std::string common;               ///< what they have in common
};

/// Groups the points of a sweep into panels and curves.
CurveSet make_curves(std::span<const CurvePoint> points);

/// Whether a schedule was found.
bool has_schedule(const CurvePoint& point);

/// energy / baseline - 1, 0 for a baseline of 0: as in a schedule's summary.
double overhead(const CurvePoint& point, Joules energy);

/// Returns the largest budget that is proven too small, or 0 if none is. A smaller budget than an
/// infeasible one is infeasible too.
Bytes largest_infeasible(const Curve& curve);

/// Turns the rows of a sweep into points of curves.
///
/// A picture shows four things of a row: its model, its platform, its limits and what was found.
/// Whatever else rows may differ in becomes part of a name, so that no two curves of a panel have
/// the same label and mean different problems: the batch size becomes part of the model's name, the
/// factor on memory power part of the platform's, the time of transfers and the budgets for
/// secondary storage part of the techniques'.
///
/// A point that failed becomes one without a schedule. It keeps its mark under the axis, because a
/// gap in a curve would look like a budget that was never asked for.
std::vector<CurvePoint> curve_points(std::span<const SweepRow> rows);

}  // namespace poet::plot
