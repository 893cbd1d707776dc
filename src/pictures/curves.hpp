#pragma once

#include <span>
#include <string>
#include <vector>

#include "poet/plot.hpp"

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

}  // namespace poet::plot
