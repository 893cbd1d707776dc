// Only what the picture has is in its legend: a colour if techniques differ, a dash if runtime
// budgets do, a mark if some point has it. An entry for what is not there makes readers look for
// it.

#include "pictures/sweep_legend.hpp"

#include <algorithm>

#include "pictures/sweep_style.hpp"

namespace poet::plot {
namespace {

constexpr double kLineReach = 14;  ///< of a line, to either side: a dash has to show its rhythm

LegendEntry colour_entry(int shape, const std::string& techniques) {
  return {.mark =
              [style = CurveStyle{.colour = technique_colour(techniques), .shape = shape}](
                  SvgWriter& svg, double x, double y) {
                svg.line(x - kLineReach, y, x + kLineReach, y, curve_class(style));
                draw_point(svg, style, true, x, y, {});
              },
          .text = techniques,
          .mark_width = 2 * kLineReach};
}

LegendEntry dash_entry(int dash, const std::string& runtime) {
  return {.mark =
              [dash](SvgWriter& svg, double x, double y) {
                svg.line(x - kLineReach, y, x + kLineReach, y, dash_class(dash));
              },
          .text = runtime,
          .mark_width = 2 * kLineReach};
}

/// Which kinds of points there are.
struct Found {
  bool proven = false;
  bool unproven = false;
  bool infeasible = false;
  bool unknown = false;
};

Found find_marks(const CurveSet& set) {
  Found found;
  for (const Panel& panel : set.panels) {
    for (const Curve& curve : panel.curves) {
      for (const CurvePoint& point : curve.points) {
        found.proven = found.proven || point.status == Status::optimal;
        found.unproven = found.unproven || point.status == Status::feasible;
        found.infeasible = found.infeasible || point.status == Status::infeasible;
        found.unknown =
            found.unknown || (!has_schedule(point) && point.status != Status::infeasible);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<LegendEntry> curve_legend(const CurveSet& set) {
  std::vector<LegendEntry> entries;
  if (set.techniques.size() > 1) {
    for (std::size_t k = 0; k < set.techniques.size(); ++k) {
      entries.push_back(colour_entry(static_cast<int>(k), set.techniques[k]));
    }
  }
  if (set.runtimes.size() > 1) {
    for (std::size_t k = 0; k < set.runtimes.size(); ++k) {
      entries.push_back(dash_entry(static_cast<int>(k), set.runtimes[k]));
    }
  }
  return entries;
}

// Marks are drawn by the functions that draw them in panels, so that legend and chart cannot
// differ.
std::vector<LegendEntry> mark_legend(const CurveSet& set) {
  const Found found = find_marks(set);
  std::vector<LegendEntry> entries;
  if (found.proven) {
    entries.push_back(
        {[](SvgWriter& svg, double x, double y) { draw_point(svg, {}, true, x, y, {}); },
         "proven optimal"});
  }
  if (found.unproven) {
    entries.push_back({[](SvgWriter& svg, double x, double y) {
                         constexpr CurveStyle kSmall{.small = true};
                         draw_bar(svg, kSmall, x, y - 4, y + 7);
                         draw_point(svg, kSmall, false, x, y - 4, {});
                       },
                       "not proven; the bar ends at the bound"});
  }
  if (found.infeasible) {
    entries.push_back(
        {[](SvgWriter& svg, double x, double y) { draw_cross(svg, {}, x, y, {}); }, "infeasible"});
  }
  const bool shaded = std::any_of(set.panels.begin(), set.panels.end(),
                                  [](const Panel& panel) { return infeasible_for_all(panel) > 0; });
  if (shaded) entries.push_back(patch_entry("infeasible", "infeasible for every curve"));
  if (found.unknown) {
    entries.push_back({[](SvgWriter& svg, double x, double y) { draw_question(svg, {}, x, y, {}); },
                       "no schedule found in time"});
  }
  return entries;
}

}  // namespace poet::plot
