// Methods side by side: a group of bars for each problem, as long as their overheads. All groups
// have one axis, since the question is whether the exact method is worth it, and a group with an
// axis of its own would make any difference look like a large one. A method without a schedule
// has a text in place of its bar: an empty place would read as no overhead.

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "pictures/curves.hpp"
#include "pictures/legend.hpp"
#include "pictures/style.hpp"
#include "pictures/sweep_panel.hpp"
#include "pictures/sweep_style.hpp"
#include "poet/plot.hpp"
#include "poet/problem.hpp"

namespace poet {
namespace {

using plot::LegendEntry;
using plot::Look;
using plot::OverheadAxis;
using plot::SvgWriter;

constexpr double kBarHeight = 11;
constexpr double kBarStep = 15;
constexpr double kGroupTitle = 20;
constexpr double kGroupGap = 12;
constexpr double kBarAxisHeight = 36;
constexpr double kTitleGap = 10;
constexpr double kMostNames = 0.35;  ///< of the width, for the names of methods

struct BarGroup {
  std::string problem;
  std::vector<MethodBar> bars;
  Joules bound = 0;
};

/// A bound of schedules that leave a technique out says nothing about those that use it.
bool bounds_all(const MethodBar& bar, const std::vector<MethodBar>& others) {
  if (bar.techniques == technique_set_name(kBothTechniques)) return true;
  return std::all_of(others.begin(), others.end(), [&](const MethodBar& other) {
    return other.techniques == bar.techniques ||
           other.techniques == technique_set_name(kNoTechnique);
  });
}

std::vector<BarGroup> groups_of(std::span<const MethodBar> bars) {
  std::vector<BarGroup> groups;
  for (const MethodBar& bar : bars) {
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const BarGroup& group) {
      return group.problem == bar.problem;
    });
    BarGroup& group = at != groups.end() ? *at : groups.emplace_back();
    group.problem = bar.problem;
    group.bars.push_back(bar);
  }
  for (BarGroup& group : groups) {
    for (const MethodBar& bar : group.bars) {
      if (bounds_all(bar, group.bars)) group.bound = std::max(group.bound, bar.lower_bound_joules);
    }
  }
  return groups;
}

double overhead_of(const MethodBar& bar, Joules energy) {
  return plot::overhead({.baseline_energy_joules = bar.baseline_energy_joules}, energy);
}

/// The axis of curves, for one curve that has all bars as points.
OverheadAxis axis_of(std::span<const MethodBar> bars, double left, double right,
                     OverheadScale scale) {
  plot::Panel panel;
  for (const MethodBar& bar : bars) {
    if (!bar.without.empty()) continue;
    panel.curves.push_back({.points = {{.status = Status::feasible,
                                        .energy_joules = bar.energy_joules,
                                        .baseline_energy_joules = bar.baseline_energy_joules}}});
  }
  return OverheadAxis(std::span(&panel, 1), left, right, scale);
}

std::string tip_of(const MethodBar& bar) {
  return fmt::format("{}: {}, {} over the baseline", bar.method, format_joules(bar.energy_joules),
                     change_text(overhead_of(bar, bar.energy_joules)));
}

std::string bar_class(const MethodBar& bar) {
  return fmt::format("dot{}", plot::technique_colour(bar.techniques));
}

/// The sets of techniques that there are, by colour.
std::vector<LegendEntry> legend_of(const std::vector<BarGroup>& groups) {
  std::vector<LegendEntry> entries;
  for (const TechniqueSet& techniques : {kBothTechniques, kOnlyRemat, kOnlyPaging, kNoTechnique}) {
    const std::string_view set = technique_set_name(techniques);
    const bool is_there = std::any_of(groups.begin(), groups.end(), [&](const BarGroup& group) {
      return std::any_of(group.bars.begin(), group.bars.end(),
                         [&](const MethodBar& bar) { return bar.techniques == set; });
    });
    if (!is_there) continue;
    entries.push_back(plot::patch_entry(fmt::format("dot{}", plot::technique_colour(set)),
                                        plot::techniques_name(techniques)));
  }
  const bool bounded = std::any_of(groups.begin(), groups.end(),
                                   [](const BarGroup& group) { return group.bound > 0; });
  if (bounded) {
    entries.push_back(
        {[](SvgWriter& svg, double x, double y) { svg.line(x, y - 7, x, y + 7, "budget"); },
         "no schedule in the given order needs less"});
  }
  return entries;
}

class BarDrawing {
 public:
  BarDrawing(const std::vector<BarGroup>& groups, std::span<const MethodBar> bars, const Look& look,
             const PictureOptions& options)
      : groups_(groups),
        look_(look),
        names_(name_width(bars)),
        axis_(axis_of(bars, left(), look.right() - kValueWidth, options.overheads)),
        legend_(legend_of(groups)) {
    if (options.title) title_ = "Energy overhead by method";
  }

  std::string draw() {
    const double legend_top = look_.margin + (title_.empty() ? 0 : look_.title_size + kTitleGap);
    const double top = legend_top + plot::legend_rows_height(legend_, look_.room()) + kTitleGap;
    double bottom = top;
    for (const BarGroup& group : groups_) bottom += height_of(group) + kGroupGap;
    SvgWriter svg(look_, bottom + kBarAxisHeight + look_.margin, "Energy overhead by method", "",
                  plot::sweep_style_sheet(look_));
    if (!title_.empty()) {
      svg.text(look_.left(), look_.margin + 0.75 * look_.title_size, "title", title_);
    }
    plot::draw_legend_rows(svg, legend_, look_.left(), look_.right(), legend_top);
    draw_axis(svg, top, bottom);
    double y = top;
    for (const BarGroup& group : groups_) {
      draw_group(svg, group, y);
      y += height_of(group) + kGroupGap;
    }
    return svg.finish();
  }

 private:
  static constexpr double kValueWidth = 64;  ///< beside the longest bar

  double left() const { return look_.left() + names_; }

  double name_width(std::span<const MethodBar> bars) const {
    double widest = 0;
    for (const MethodBar& bar : bars) {
      widest = std::max(widest, plot::estimated_width(bar.method, plot::kNoteSize));
    }
    return std::min(widest + 10, kMostNames * look_.room());
  }

  static double height_of(const BarGroup& group) {
    return kGroupTitle + kBarStep * static_cast<double>(group.bars.size());
  }

  void draw_axis(SvgWriter& svg, double top, double bottom) {
    double free_from = 0;  // labels of narrow pages are left out, not laid on each other
    for (const plot::Tick& tick : axis_.ticks()) {
      const double x = axis_(tick.value);
      svg.line(x, top, x, bottom, "grid");
      const double half = plot::estimated_width(tick.label, plot::kNoteSize) / 2;
      if (x - half < free_from) continue;
      svg.text(x, bottom + 14, "axis middle", tick.label);
      free_from = x + half + 6;
    }
    const char* name =
        axis_.logarithmic() ? "energy overhead, logarithmic scale" : "energy overhead";
    svg.text((left() + look_.right()) / 2, bottom + 31, "axis middle",
             plot::shortened(name, plot::kNoteSize, look_.right() - left()));
  }

  void draw_group(SvgWriter& svg, const BarGroup& group, double top) {
    svg.text(look_.left(), top + 13, "strong",
             plot::shortened(group.problem, plot::kStrongSize, look_.room()), group.problem);
    const double first = top + kGroupTitle;
    const double end = first + kBarStep * static_cast<double>(group.bars.size());
    double y = first;
    for (const MethodBar& bar : group.bars) {
      draw_bar(svg, bar, y);
      y += kBarStep;
    }
    svg.line(left(), first - 2, left(), end, "edge");
    if (group.bound > 0) draw_bound(svg, group, first);
    y = first;  // texts are above the line
    for (const MethodBar& bar : group.bars) {
      draw_texts(svg, bar, y);
      y += kBarStep;
    }
  }

  /// Beside all bars that it bounds: an order of its own may need less.
  void draw_bound(SvgWriter& svg, const BarGroup& group, double first) {
    const auto is_bounded = [](const MethodBar& bar) {
      return !bar.without.empty() || bar.lower_bound_joules > 0;
    };
    const auto y_of = [&](auto bar) {
      return first + kBarStep * static_cast<double>(bar - group.bars.begin());
    };
    const double x = axis_(overhead_of(group.bars.front(), group.bound));
    auto end = group.bars.begin();
    while (true) {
      const auto begin = std::find_if(end, group.bars.end(), is_bounded);
      if (begin == group.bars.end()) return;
      end = std::find_if_not(begin, group.bars.end(), is_bounded);
      svg.line(x, y_of(begin) - 2, x, y_of(end), "budget");
    }
  }

  void draw_bar(SvgWriter& svg, const MethodBar& bar, double y) {
    if (!bar.without.empty()) return;
    svg.element("rect",
                {{"class", bar_class(bar)},
                 {"x", left()},
                 {"y", y},
                 {"width", std::max(axis_(overhead_of(bar, bar.energy_joules)) - left(), 1.0)},
                 {"height", kBarHeight}},
                tip_of(bar));
  }

  void draw_texts(SvgWriter& svg, const MethodBar& bar, double y) {
    svg.text(left() - 6, y + 9, "axis end",
             plot::shortened(bar.method, plot::kNoteSize, names_ - 8), bar.method);
    if (!bar.without.empty()) {
      svg.text(left() + 6, y + 9, "note halo",
               plot::shortened(bar.without, plot::kNoteSize, look_.right() - left() - 8),
               bar.without);
      return;
    }
    const double x = axis_(overhead_of(bar, bar.energy_joules));
    svg.text(x + 5, y + 9, "axis halo",
             fmt::format("{:.3g} %", 100 * overhead_of(bar, bar.energy_joules)));
  }

  const std::vector<BarGroup>& groups_;
  const Look& look_;
  std::string title_;
  double names_;
  OverheadAxis axis_;
  std::vector<LegendEntry> legend_;
};

}  // namespace

std::string methods_svg(std::span<const MethodBar> bars, const PictureOptions& options) {
  const Look look = plot::make_look(options, 948);
  const std::vector<BarGroup> groups = groups_of(bars);
  return BarDrawing(groups, bars, look, options).draw();
}

}  // namespace poet
