#pragma once

#include <optional>
#include <span>
#include <string>

#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

// Both functions return a whole SVG document: self-contained, without scripts, for light and dark
// screens and for paper. The same data and options give the same bytes. docs/pictures.md explains
// the pictures.

/// The colours of a picture.
enum class PictureTheme {
  automatic,  ///< as the reader's screen prefers, light on paper
  light,
  dark
};

/// Which tensors have a lane in the picture of a schedule: all, those of the forward pass, those
/// that are recomputed or paged, or none.
enum class LaneChoice { all, forward, changed, none };

/// What the columns of a schedule's picture are as wide as.
enum class ColumnWidth {
  computation,  ///< all alike
  time,         ///< the time of the computation, with what transfers add to the step
  energy        ///< its energy, with that of the transfers of its stage
};

/// The widths that a picture can be laid out for, in millimetres.
inline constexpr double kMinPictureMm = 80;
inline constexpr double kMaxPictureMm = 400;

/// How a picture is drawn. The defaults make a picture for screens.
struct PictureOptions {
  /// The width on paper, in millimetres, from kMinPictureMm to kMaxPictureMm: the picture is laid
  /// out for it, with no text below 6 pt. Empty: for screens, in CSS pixels.
  std::optional<double> width_mm{};
  bool title = true;  ///< false leaves out all that a caption would say: title and figures
  PictureTheme theme = PictureTheme::automatic;
  // Of schedules.
  LaneChoice lanes = LaneChoice::all;
  ColumnWidth columns = ColumnWidth::computation;
};

/// Draws a schedule: RAM over the course of one training step, stacked by tensor, under the budget;
/// below it a lane for each tensor. The file must be free of findings (verify_schedule_file).
/// Throws InputError for a schedule that names a node outside the graph, for a width out of range,
/// and for columns by a time or an energy that is 0 in all.
std::string schedule_svg(const ScheduleFile& file, const PictureOptions& options = {});

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
/// figures 3 and 4 of the POET paper (ICML 2022), or against the runtime budget if that alone
/// varies. It has a panel for each model on each platform, and in it a curve for each technique
/// set, by colour, and runtime budget, by dash. Points that are not proven reach down to their
/// bound; budgets that are infeasible for all curves are shaded. Points may come in any order.
/// Throws InputError for a width out of range.
std::string sweep_svg(std::span<const CurvePoint> points, const PictureOptions& options = {});

}  // namespace poet
