#pragma once

#include <span>
#include <string>
#include <vector>

#include "poet/plot.hpp"
#include "sweep/rows.hpp"

namespace poet::plot {

/// What the x axis of a sweep counts.
enum class BudgetAxis { ram, runtime };

/// The budget of a point on that axis: bytes, or a multiple of the time to compute every node once.
double budget(const CurvePoint& point, BudgetAxis axis);

/// The points that differ in the budget of the axis alone.
struct Curve {
  int techniques = 0;              ///< its colour: an index into CurveSet::techniques
  int runtime = 0;                 ///< its dash: an index into CurveSet::runtimes
  std::vector<CurvePoint> points;  ///< ascending by budget
};

/// The curves of one model on one platform.
struct Panel {
  std::string model;
  std::string platform;
  BudgetAxis axis = BudgetAxis::ram;
  std::vector<Curve> curves;
};

/// A sweep in the order in which its parts first appear.
struct CurveSet {
  std::vector<Panel> panels;
  std::vector<std::string> models;
  std::vector<std::string> platforms;
  std::vector<std::string> techniques;
  std::vector<std::string> runtimes;  ///< ascending; a single empty one if that is the axis
  BudgetAxis axis = BudgetAxis::ram;
  OverheadScale overheads = OverheadScale::automatic;
  std::string common;  ///< what all curves have in common

  /// What a panel shows, and what is constant in it and in no other one: `linear on m4, remat
  /// only`, or without the platform if there is only one.
  std::string title(const Panel& panel) const;
  /// What a curve differs in from the others of its panel: `remat only, runtime 2x`.
  std::string label(const Curve& curve) const;
};

/// Groups the points of a sweep into panels and curves. The axis is the runtime budget if it varies
/// and no panel has more than one RAM budget.
CurveSet make_curves(std::span<const CurvePoint> points,
                     OverheadScale overheads = OverheadScale::automatic);

/// The words of --techniques as a legend needs them, which has no option beside it.
std::string techniques_name(const TechniqueSet& set);

/// Whether a schedule was found.
bool has_schedule(const CurvePoint& point);

/// energy / baseline - 1, 0 for a baseline of 0: as in a schedule's summary.
double overhead(const CurvePoint& point, Joules energy);

/// Returns the largest budget that is proven too small, or 0 if none is. A smaller budget than an
/// infeasible one is infeasible too.
double largest_infeasible(const Curve& curve, BudgetAxis axis);

/// The largest budget that is infeasible for all curves; 0 if one of them has none.
double infeasible_for_all(const Panel& panel);

/// Turns the rows of a sweep into points of curves.
///
/// A picture shows four things of a row: its model, its platform, its limits and what was found.
/// Every other difference between rows becomes part of a name, so that no two curves of a panel
/// have the same label and mean different problems: the batch size becomes part of the model's
/// name, the factor on memory power part of the platform's, the time of transfers and the budgets
/// for secondary storage part of the techniques'.
///
/// A point that failed becomes one without a schedule. It keeps its mark under the axis, because a
/// gap in a curve would look like a budget that was never asked for.
std::vector<CurvePoint> curve_points(std::span<const SweepRow> rows);

}  // namespace poet::plot
