#pragma once

#include <span>
#include <string>

#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

// Both functions return a whole SVG document: self-contained, without scripts, for light and dark
// screens and for paper. The same data gives the same bytes. docs/pictures.md explains the
// pictures.

/// Draws a schedule: RAM over the course of one training step, stacked by tensor, under the budget;
/// below it a lane for each tensor. The file must be free of findings (verify_schedule_file); a
/// schedule that names a node outside the graph throws InputError.
std::string schedule_svg(const ScheduleFile& report);

/// One budget of a sweep and what was found for it, in bytes and joules: a point of a curve.
struct CurvePoint {
  std::string model;
  std::string platform;    ///< empty if the model brings its own costs
  std::string techniques;  ///< those that were allowed, as the legend shows them: `remat + paging`
  Bytes ram_budget_bytes = 0;
  double runtime_budget_ratio = 0;  ///< multiple of the time to compute every node once
  Status status = Status::unknown;
  Joules energy_joules = 0;       ///< of the schedule; meaningless without one
  Joules lower_bound_joules = 0;  ///< proven; 0 if nothing is known
  Joules baseline_energy_joules = 0;
};

/// Draws a sweep: energy overhead (energy / baseline - 1) against the RAM budget, as in
/// figures 3 and 4 of the POET paper (ICML 2022). It has a panel for each model and in it a curve
/// for each platform, technique set and runtime budget, as far as they differ. Points that are not
/// proven reach down to their bound; budgets that are infeasible for all curves are shaded. Points
/// may come in any order.
std::string sweep_svg(std::span<const CurvePoint> points);

}  // namespace poet
