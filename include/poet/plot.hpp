#pragma once

#include <span>
#include <string>

#include "poet/report.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

/// A schedule as an SVG picture: RAM over the course of one training step, stacked by tensor, under
/// the budget; below it what becomes of every tensor. Self-contained, for light and dark screens
/// and for paper. The report must be free of findings (verify_report).
std::string schedule_svg(const Report& report);

/// One budget of a sweep and what was found for it: a point of a curve.
struct CurvePoint {
  std::string model;
  std::string platform;    ///< empty where the model brings its own costs
  std::string techniques;  ///< which ones were allowed, for people: `remat+paging`
  Bytes ram_budget_bytes = 0;
  double runtime_budget_ratio = 0;  ///< multiple of the time to compute every node once
  Status status = Status::unknown;
  Joules energy_joules = 0;       ///< of the schedule; meaningless without one
  Joules lower_bound_joules = 0;  ///< proven; 0 where nothing is known
  Joules baseline_energy_joules = 0;
};

/// A sweep as an SVG picture: energy overhead (energy / baseline - 1) against the RAM budget, as in
/// figures 3 and 4 of the POET paper. A panel per model; in it, a curve per platform, technique set
/// and runtime budget, as far as they differ. Points that are not proven reach down to their bound;
/// the budgets that no curve can meet are shaded. Points may come in any order.
std::string sweep_svg(std::span<const CurvePoint> points);

}  // namespace poet
