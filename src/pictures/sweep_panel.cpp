// One panel of a sweep, after figures 3 and 4 of the POET paper: energy overhead against RAM
// budget. The paper's figures show what was found; these also show what is known, as bounds, as
// budgets that are proven infeasible and as budgets where nothing was found in time.

#include "pictures/sweep_panel.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "pictures/scale.hpp"
#include "pictures/style.hpp"
#include "pictures/sweep_style.hpp"

namespace poet::plot {
namespace {

constexpr double kTitleHeight = 24;
constexpr double kLeftMargin = 64;
constexpr double kRightMargin = 64;
constexpr double kRowHeight = 12;       ///< of the marks for budgets without a schedule
constexpr double kAxisHeight = 42;      ///< numbers and caption
constexpr double kBudgetMargin = 0.04;  ///< of the range of budgets, on either side
constexpr double kPixelsPerBudget = 90;

Scale budget_scale(const Panel& panel, double left, double right) {
  double low = std::numeric_limits<double>::max();
  double high = 0;
  for (const Curve& curve : panel.curves) {
    low = std::min(low, static_cast<double>(curve.points.front().ram_budget_bytes));
    high = std::max(high, static_cast<double>(curve.points.back().ram_budget_bytes));
  }
  const double margin =
      high > low ? std::max(kBudgetMargin * (high - low), 1e-6 * high) : std::max(0.1 * high, 1.0);
  return {.low = std::max(0.0, low - margin), .high = high + margin, .from = left, .to = right};
}

/// Points may lie on each other, so each names its curve.
std::string tip(const std::string& label, const CurvePoint& point) {
  const std::string budget =
      fmt::format("{}{}{} ({} bytes)", label, label.empty() ? "" : ": ",
                  format_bytes(point.ram_budget_bytes), point.ram_budget_bytes);
  const std::string bound = format_joules(point.lower_bound_joules);
  if (point.status == Status::infeasible) return fmt::format("{}: infeasible", budget);
  if (!has_schedule(point)) {
    const bool bounded = point.lower_bound_joules > 0;
    return fmt::format("{}: no schedule found{}", budget, bounded ? "; at least " + bound : "");
  }
  return fmt::format("{}: {}, {}; {}, lower bound {}", budget, format_joules(point.energy_joules),
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

/// The largest budget that is infeasible for all curves; 0 if one of them has none.
Bytes infeasible_for_all(const Panel& panel) {
  Bytes least = std::numeric_limits<Bytes>::max();
  for (const Curve& curve : panel.curves) least = std::min(least, largest_infeasible(curve));
  return least;
}

std::vector<const Curve*> curves_with_gaps(const Panel& panel) {
  std::vector<const Curve*> result;
  for (const Curve& curve : panel.curves) {
    if (!std::all_of(curve.points.begin(), curve.points.end(), has_schedule)) {
      result.push_back(&curve);
    }
  }
  return result;
}

/// Draws one panel into its place.
class PanelDrawing {
 public:
  PanelDrawing(SvgWriter& svg, const Panel& panel, const std::vector<std::string>& labels,
               const Rectangle& place)
      : svg_(svg),
        panel_(panel),
        labels_(labels),
        place_(place),
        with_gaps_(curves_with_gaps(panel)),
        top_(place.top + kTitleHeight),
        bottom_(place.bottom - kAxisHeight - gap_rows_height(panel)),
        x_(budget_scale(panel, place.left + kLeftMargin, place.right - kRightMargin)),
        y_(panel, bottom_, top_) {}

  void draw() {
    const double room = x_.to - x_.from - kRightMargin;
    svg_.text(x_.from, place_.top + 12, "strong", shortened(panel_.model, kStrongSize, room),
              panel_.model);
    if (y_.logarithmic()) svg_.text(x_.to, place_.top + 12, "note end", "logarithmic scale");
    draw_budget_axis();
    draw_overhead_axis();
    draw_infeasible();
    svg_.line(x_.from, bottom_, x_.to, bottom_, "edge");
    for (std::size_t c = 0; c < panel_.curves.size(); ++c) draw_bars(panel_.curves[c], c);
    for (const Curve& curve : panel_.curves) draw_curve(curve);
    for (std::size_t r = 0; r < with_gaps_.size(); ++r) draw_gaps(*with_gaps_[r], r);
  }

 private:
  double x(const CurvePoint& point) const {
    return x_(static_cast<double>(point.ram_budget_bytes));
  }
  double y(const CurvePoint& point, Joules energy) const { return y_(overhead(point, energy)); }

  void draw_budget_axis() {
    const int count = static_cast<int>((x_.to - x_.from) / kPixelsPerBudget);
    const double below = place_.bottom - kAxisHeight;
    for (const Tick& tick : byte_ticks(x_.low, x_.high, count)) {
      svg_.line(x_(tick.value), top_, x_(tick.value), below + 4, "grid");
      svg_.text(x_(tick.value), below + 17, "axis middle", tick.label);
    }
    svg_.text((x_.from + x_.to) / 2, below + 35, "axis middle", "RAM budget");
  }

  void draw_overhead_axis() {
    const std::vector<Tick> ticks = y_.ticks();
    for (const Tick& tick : ticks) {
      const double y = y_(tick.value);
      svg_.line(x_.from, y, x_.to, y, "grid");
      svg_.text(x_.from - 8, y + 4, "axis end", tick.label);
    }
    const std::vector<std::string> energies = energy_labels(ticks);
    for (std::size_t t = 0; t < energies.size(); ++t) {
      svg_.text(x_.to + 8, y_(ticks[t].value) + 4, "axis", energies[t]);
    }
  }

  /// Labels the ticks in joules. Returns nothing if the curves differ in their baselines or the
  /// labels do not fit.
  std::vector<std::string> energy_labels(const std::vector<Tick>& ticks) const {
    const Joules baseline = common_baseline(panel_);
    if (!(baseline > 0)) return {};
    std::vector<Joules> energies;
    energies.reserve(ticks.size());
    for (const Tick& tick : ticks) energies.push_back(baseline * (1 + tick.value));
    std::vector<std::string> labels = joule_labels(energies);
    const bool fits = std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
      return estimated_width(label, kNoteSize) <= kRightMargin - 8;
    });
    return fits ? std::move(labels) : std::vector<std::string>();
  }

  const std::string& label_of(const Curve& curve) const { return labels_[curve.style]; }

  void draw_infeasible() {
    const Bytes most = infeasible_for_all(panel_);
    if (most == 0) return;
    const double right = x_(static_cast<double>(most));
    svg_.element("rect",
                 {{"class", "infeasible"},
                  {"x", x_.from},
                  {"y", top_},
                  {"width", right - x_.from},
                  {"height", bottom_ - top_}},
                 fmt::format("infeasible up to {}", format_bytes(most)));
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
    svg_.element("path", {{"class", curve_class(curve.style)}, {"d", line.text()}});
    for (const CurvePoint& point : curve.points) {
      if (!has_schedule(point)) continue;
      draw_point(svg_, curve.style, point.status == Status::optimal, x(point),
                 y(point, point.energy_joules), tip(label_of(curve), point));
    }
  }

  /// Draws bars from points that are not proven down to their bounds; the bars of several curves
  /// stand side by side.
  void draw_bars(const Curve& curve, std::size_t index) {
    constexpr double kDistance = 3;
    constexpr double kReach = 4;  // no bar leaves its point
    constexpr double kFoot = 3;
    const double middle = (static_cast<double>(panel_.curves.size()) - 1) / 2;
    const double distance = middle > 0 ? std::min(kDistance, kReach / middle) : 0;
    const double offset = distance * (static_cast<double>(index) - middle);
    for (const CurvePoint& point : curve.points) {
      if (point.status != Status::feasible) continue;
      const double at = x(point) + offset;
      const double bound = y(point, point.lower_bound_joules);
      svg_.element("path", {{"class", bar_class(curve.style)},
                            {"d", PathData()
                                      .move(at, y(point, point.energy_joules))
                                      .vertical(bound)
                                      .move(at - kFoot, bound)
                                      .horizontal(at + kFoot)
                                      .text()}});
    }
  }

  /// Draws under the axis a row for each curve: its budgets without a schedule.
  void draw_gaps(const Curve& curve, std::size_t row) {
    const double middle = bottom_ + kRowHeight * (static_cast<double>(row) + 0.5);
    for (const CurvePoint& point : curve.points) {
      if (point.status == Status::infeasible) {
        draw_cross(svg_, curve.style, x(point), middle, tip(label_of(curve), point));
      } else if (!has_schedule(point)) {
        draw_question(svg_, curve.style, x(point), middle, tip(label_of(curve), point));
      }
    }
  }

  SvgWriter& svg_;
  const Panel& panel_;
  const std::vector<std::string>& labels_;
  Rectangle place_;
  std::vector<const Curve*> with_gaps_;
  double top_;
  double bottom_;
  Scale x_;
  OverheadAxis y_;
};

}  // namespace

double gap_rows_height(const Panel& panel) {
  return kRowHeight * static_cast<double>(curves_with_gaps(panel).size());
}

void draw_sweep_panel(SvgWriter& svg, const Panel& panel, const std::vector<std::string>& labels,
                      const Rectangle& place) {
  svg.open("g");
  PanelDrawing(svg, panel, labels, place).draw();
  svg.close();
}

}  // namespace poet::plot
