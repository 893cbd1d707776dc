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

/// Which tensors have a lane in the picture of a schedule: all, the tensors of the forward pass,
/// the recomputed or paged ones, or none.
enum class LaneChoice { all, forward, changed, none };

/// What the columns of a schedule's picture are as wide as.
enum class ColumnWidth {
  computation,  ///< all alike
  time,         ///< the time of the computation, with what transfers add to the step
  energy        ///< its energy and the energy of its stage's transfers
};

/// The scale of overheads in the picture of a sweep.
enum class OverheadScale {
  automatic,  ///< logarithmic if a curve would lie flat otherwise
  linear,
  logarithmic  ///< but for overheads near 0, which a logarithm does not show
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
  /// RAM over time alone, beside the RAM of keeping everything.
  bool beside_baseline = false;
  ColumnWidth columns = ColumnWidth::computation;
  // Of sweeps and bars.
  OverheadScale overheads = OverheadScale::automatic;
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
/// set, by colour, and runtime budget, by dash; a set of techniques has one colour in all pictures,
/// and all panels have one axis of overheads. Points that are not proven reach down to their
/// bound; budgets that are infeasible for all curves are shaded. Points may come in any order.
/// Throws InputError for a width out of range.
std::string sweep_svg(std::span<const CurvePoint> points, const PictureOptions& options = {});

/// What one method made of one problem: a bar.
struct MethodBar {
  std::string problem;     ///< what stands above its group: model, platform and budgets
  std::string method;      ///< beside the bar
  std::string techniques;  ///< `both`, `remat`, `paging` or `none`: its colour
  std::string without;     ///< why it has no energy; empty if it has one
  Joules energy_joules = 0;
  Joules lower_bound_joules = 0;  ///< proven for all methods with these techniques; 0: unknown
  Joules baseline_energy_joules = 0;
};

/// Draws a comparison of methods: a group of bars for each problem, in the order of their first
/// appearance, each as long as its energy overhead, on one axis for all groups. The line in a group
/// is the largest bound of its bars. Throws InputError for a width out of range.
std::string methods_svg(std::span<const MethodBar> bars, const PictureOptions& options = {});

}  // namespace poet
