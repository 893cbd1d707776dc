// One panel of a sweep, after figures 3 and 4 of the POET paper: energy overhead against RAM
// budget. The paper's figures show what was found; these also show what is known, as bounds, as
// budgets that are proven infeasible and as budgets where nothing was found in time.
//
// Budgets without a schedule have no energy, so they have no height: their marks stand in rows
// under the axis, one for each curve, where a gap in a curve can be told from a budget that nobody
// asked for. Curves of one set of techniques that miss the same budgets share a row.

#include "pictures/sweep_panel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "pictures/scale.hpp"
#include "pictures/style.hpp"
#include "pictures/sweep_style.hpp"

namespace poet::plot {
namespace {

constexpr double kTitleHeight = 24;
constexpr double kTitleWidth = 14;  ///< of the title of an upright axis
constexpr double kNumbersWidth = 60;
constexpr double kEmptyMargin = 12;     ///< on the right, without an axis
constexpr double kRowHeight = 12;       ///< of the marks for budgets without a schedule
constexpr double kAxisHeight = 42;      ///< numbers and caption
constexpr double kBudgetMargin = 0.04;  ///< of the range of budgets, on either side
constexpr double kPixelsPerBudget = 55;
constexpr std::size_t kFewCurves = 8;  ///< more have smaller points

// The axis begins at the least budget and not at 0: what is left of it was not asked for. Panels of
// one model have one axis, so that platforms can be compared; models have sizes of their own.
Scale budget_scale(const CurveSet& set, const Panel& panel, double left, double right) {
  double low = std::numeric_limits<double>::max();
  double high = 0;
  for (const Panel& other : set.panels) {
    if (other.model != panel.model && panel.axis == BudgetAxis::ram) continue;
    for (const Curve& curve : other.curves) {
      low = std::min(low, budget(curve.points.front(), panel.axis));
      high = std::max(high, budget(curve.points.back(), panel.axis));
    }
  }
  const double margin = high > low
                            ? std::max(kBudgetMargin * (high - low), 1e-6 * high)
                            : std::max(0.1 * high, panel.axis == BudgetAxis::ram ? 1.0 : 0.1);
  return {.low = std::max(0.0, low - margin), .high = high + margin, .from = left, .to = right};
}

/// Points may lie on each other, so each names its curve.
std::string tip(const std::string& label, const CurvePoint& point, BudgetAxis axis) {
  const std::string limit = axis == BudgetAxis::runtime
                                ? fmt::format("runtime {:.4g}x", point.runtime_budget_ratio)
                                : fmt::format("{} ({} bytes)", format_bytes(point.ram_budget_bytes),
                                              point.ram_budget_bytes);
  const std::string named = fmt::format("{}{}{}", label, label.empty() ? "" : ": ", limit);
  const std::string bound = format_joules(point.lower_bound_joules);
  if (point.status == Status::infeasible) return fmt::format("{}: infeasible", named);
  if (!has_schedule(point)) {
    const bool bounded = point.lower_bound_joules > 0;
    return fmt::format("{}: no schedule found{}", named, bounded ? "; at least " + bound : "");
  }
  return fmt::format("{}: {}, {}; {}, lower bound {}", named, format_joules(point.energy_joules),
                     change_text(overhead(point, point.energy_joules)), status_name(point.status),
                     bound);
}

/// The one baseline of all schedules, or 0.
Joules common_baseline(const Panel& panel) {
  Joules common = 0;
  for (const Curve& curve : panel.curves) {
    for (const CurvePoint& point : curve.points) {
      if (!has_schedule(point)) continue;
      if (common > 0 && point.baseline_energy_joules != common) return 0;
      common = point.baseline_energy_joules;
    }
  }
  return common;
}

/// The ticks of the axis in joules; none if the curves differ in their baselines or the labels do
/// not fit.
/// Overheads can be converted to joules only if all schedules have one baseline.
std::vector<Tick> energy_ticks(const Panel& panel, const OverheadAxis& axis) {
  const Joules baseline = common_baseline(panel);
  if (!(baseline > 0)) return {};
  std::vector<Tick> ticks = axis.energy_ticks(baseline);
  const bool fits = std::all_of(ticks.begin(), ticks.end(), [](const Tick& tick) {
    return estimated_width(tick.label, kNoteSize) <= kNumbersWidth - 8;
  });
  return fits ? std::move(ticks) : std::vector<Tick>();
}

/// Budgets without a schedule: of one curve, or of several with the same techniques that have the
/// same ones.
struct GapRow {
  const Curve* curve = nullptr;
  std::string label;
};

bool same_gaps(const Curve& a, const Curve& b, BudgetAxis axis) {
  const auto gap = [&](const CurvePoint& point) {
    return std::pair(budget(point, axis), has_schedule(point) ? Status::optimal : point.status);
  };
  return a.techniques == b.techniques &&
         std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                    [&](const CurvePoint& p, const CurvePoint& q) { return gap(p) == gap(q); });
}

std::vector<GapRow> gap_rows(const CurveSet& set, const Panel& panel) {
  std::vector<GapRow> rows;
  for (const Curve& curve : panel.curves) {
    if (std::all_of(curve.points.begin(), curve.points.end(), has_schedule)) continue;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const GapRow& row) {
      return same_gaps(*row.curve, curve, panel.axis);
    });
    if (same == rows.end()) {
      rows.push_back({&curve, set.label(curve)});
    } else {
      same->label += ", " + set.runtimes[curve.runtime];
    }
  }
  return rows;
}

/// Draws one panel into its place.
class PanelDrawing {
 public:
  PanelDrawing(SvgWriter& svg, const CurveSet& set, const Panel& panel, const PanelPlace& where)
      : svg_(svg),
        set_(set),
        panel_(panel),
        where_(where),
        gaps_(gap_rows(set, panel)),
        top_(where.place.top + kTitleHeight),
        bottom_(where.place.bottom - kAxisHeight - gap_rows_height(set, panel)),
        x_(budget_scale(set, panel, where.place.left + kTitleWidth + kNumbersWidth,
                        where.place.right - right_margin(where))),
        y_(set.panels, bottom_, top_, set.overheads) {}

  // Grid first, then bars, then curves: a point must not be hidden by the bar of another.
  void draw() {
    const char* bent = "logarithmic scale";
    double room = where_.place.right - x_.from;
    if (y_.logarithmic()) room -= estimated_width(bent, kNoteSize) + kEmptyMargin;
    const std::string title = set_.title(panel_);
    svg_.text(x_.from, where_.place.top + 12, "strong", shortened(title, kStrongSize, room), title);
    if (y_.logarithmic()) svg_.text(where_.place.right, where_.place.top + 12, "note end", bent);
    draw_budget_axis();
    draw_overhead_axis();
    draw_infeasible();
    svg_.line(x_.from, bottom_, x_.to, bottom_, "edge");
    for (std::size_t c = 0; c < panel_.curves.size(); ++c) draw_bars(panel_.curves[c], c);
    for (const Curve& curve : panel_.curves) draw_curve(curve);
    for (std::size_t r = 0; r < gaps_.size(); ++r) draw_gaps(gaps_[r], r);
  }

 private:
  static double right_margin(const PanelPlace& where) {
    return where.has_energy_axis ? kTitleWidth + kNumbersWidth : kEmptyMargin;
  }

  double x(const CurvePoint& point) const { return x_(budget(point, panel_.axis)); }
  double y(const CurvePoint& point, Joules energy) const { return y_(overhead(point, energy)); }

  CurveStyle style_of(const Curve& curve) const {
    return {.colour = technique_colour(set_.techniques[curve.techniques]),
            .shape = curve.techniques,
            .dash = curve.runtime,
            .small = panel_.curves.size() > kFewCurves};
  }

  void draw_budget_axis() {
    const int count = static_cast<int>((x_.to - x_.from) / kPixelsPerBudget);
    const double below = where_.place.bottom - kAxisHeight;
    const bool ram = panel_.axis == BudgetAxis::ram;
    for (const Tick& tick :
         ram ? byte_ticks(x_.low, x_.high, count) : ratio_ticks(x_.low, x_.high, count)) {
      svg_.line(x_(tick.value), top_, x_(tick.value), below + 4, "grid");
      svg_.text(x_(tick.value), below + 17, "axis middle", tick.label);
    }
    svg_.text((x_.from + x_.to) / 2, below + 35, "axis middle",
              ram ? "RAM budget" : "runtime budget");
  }

  void draw_overhead_axis() {
    const std::vector<Tick> ticks = y_.ticks();
    for (const Tick& tick : ticks) {
      const double y = y_(tick.value);
      svg_.line(x_.from, y, x_.to, y, "grid");
      svg_.text(x_.from - 8, y + 4, "axis end", tick.label);
    }
    const double middle = (top_ + bottom_) / 2;
    if (where_.overhead_title) {
      svg_.upward_text(where_.place.left + kNoteSize, middle, "axis", "energy overhead");
    }
    if (!where_.has_energy_axis) return;
    const std::vector<Tick> energies = energy_ticks(panel_, y_);
    if (energies.empty()) return;
    svg_.upward_text(where_.place.right - 2, middle, "axis", "energy per step");
    for (const Tick& tick : energies) {
      const double y = y_(tick.value);
      svg_.line(x_.to, y, x_.to + 4, y, "edge");
      svg_.text(x_.to + 8, y + 4, "axis", tick.label);
    }
  }

  void draw_infeasible() {
    const double most = infeasible_for_all(panel_);
    if (most == 0) return;
    const double right = x_(most);
    svg_.element("rect",
                 {{"class", "infeasible"},
                  {"x", x_.from},
                  {"y", top_},
                  {"width", right - x_.from},
                  {"height", bottom_ - top_}},
                 fmt::format("infeasible up to {}", panel_.axis == BudgetAxis::ram
                                                        ? format_bytes(static_cast<Bytes>(most))
                                                        : fmt::format("{:.4g}x", most)));
    const std::string label = "infeasible";
    if (right - x_.from < estimated_width(label, kNoteSize) + 8) return;
    svg_.text((x_.from + right) / 2, top_ + 16, "note middle halo", label);
  }

  void draw_curve(const Curve& curve) {
    PathData line;
    for (const CurvePoint& point : curve.points) {
      if (has_schedule(point)) line.next(x(point), y(point, point.energy_joules));
    }
    if (line.text().empty()) return;
    svg_.element("path", {{"class", curve_class(style_of(curve))}, {"d", line.text()}});
    for (const CurvePoint& point : curve.points) {
      if (!has_schedule(point)) continue;
      draw_point(svg_, style_of(curve), point.status == Status::optimal, x(point),
                 y(point, point.energy_joules), tip(set_.label(curve), point, panel_.axis));
    }
  }

  /// Draws bars from points that are not proven down to their bounds; the bars of several curves
  /// stand side by side.
  void draw_bars(const Curve& curve, std::size_t index) {
    constexpr double kDistance = 3;
    constexpr double kReach = 4;  // no bar leaves its point
    const double middle = (static_cast<double>(panel_.curves.size()) - 1) / 2;
    const double distance = middle > 0 ? std::min(kDistance, kReach / middle) : 0;
    const double offset = distance * (static_cast<double>(index) - middle);
    for (const CurvePoint& point : curve.points) {
      if (point.status != Status::feasible) continue;
      const double at = x(point) + offset;
      draw_bar(svg_, style_of(curve), at, y(point, point.energy_joules),
               y(point, point.lower_bound_joules));
    }
  }

  /// Draws a row under the axis.
  void draw_gaps(const GapRow& row, std::size_t index) {
    const double middle = bottom_ + kRowHeight * (static_cast<double>(index) + 0.5);
    const CurveStyle style = style_of(*row.curve);
    for (const CurvePoint& point : row.curve->points) {
      if (point.status == Status::infeasible) {
        draw_cross(svg_, style, x(point), middle, tip(row.label, point, panel_.axis));
      } else if (!has_schedule(point)) {
        draw_question(svg_, style, x(point), middle, tip(row.label, point, panel_.axis));
      }
    }
  }

  SvgWriter& svg_;
  const CurveSet& set_;
  const Panel& panel_;
  PanelPlace where_;
  std::vector<GapRow> gaps_;
  double top_;
  double bottom_;
  Scale x_;
  OverheadAxis y_;
};

}  // namespace

double gap_rows_height(const CurveSet& set, const Panel& panel) {
  return kRowHeight * static_cast<double>(gap_rows(set, panel).size());
}

bool has_energy_ticks(const CurveSet& set, const Panel& panel) {
  return !energy_ticks(panel, OverheadAxis(set.panels, 1, 0, set.overheads)).empty();
}

void draw_sweep_panel(SvgWriter& svg, const CurveSet& set, const Panel& panel,
                      const PanelPlace& where) {
  svg.open("g");
  PanelDrawing(svg, set, panel, where).draw();
  svg.close();
}

}  // namespace poet::plot
