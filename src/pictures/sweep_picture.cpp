#include <algorithm>

#include "pictures/curves.hpp"
#include "pictures/legend.hpp"
#include "pictures/style.hpp"
#include "pictures/sweep_panel.hpp"
#include "pictures/sweep_style.hpp"
#include "poet/plot.hpp"

namespace poet {
namespace {

using plot::kPageMargin;
using plot::LegendEntry;
using plot::SvgWriter;

constexpr double kHeaderHeight = 58;
constexpr double kHeaderLine = 18;  ///< what all curves have in common
constexpr double kPanelGap = 20;

/// One panel gets more room than several side by side.
struct Grid {
  std::size_t columns = 1;
  double panel_width = 0;
  double panel_height = 0;

  double width() const {
    return 2 * kPageMargin + static_cast<double>(columns) * (panel_width + kPanelGap) - kPanelGap;
  }
  plot::Rectangle place(std::size_t index, double top) const {
    const std::size_t row = index / columns;
    const std::size_t column = index % columns;
    const double left = kPageMargin + static_cast<double>(column) * (panel_width + kPanelGap);
    const double y = top + static_cast<double>(row) * (panel_height + kPanelGap);
    return {.left = left, .top = y, .right = left + panel_width, .bottom = y + panel_height};
  }
};

Grid grid_for(const std::vector<plot::Panel>& panels) {
  Grid grid{.columns = 1, .panel_width = 900, .panel_height = 450};
  if (panels.size() > 1) grid = {.columns = 2, .panel_width = 560, .panel_height = 330};
  double rows = 0;
  for (const plot::Panel& panel : panels) rows = std::max(rows, plot::gap_rows_height(panel));
  grid.panel_height += rows;
  return grid;
}

LegendEntry curve_entry(int style, const std::string& label) {
  return {.mark =
              [style](SvgWriter& svg, double x, double y) {
                svg.line(x - 9, y, x + 9, y, plot::curve_class(style));
                plot::draw_point(svg, style, true, x, y, {});
              },
          .text = label};
}

std::vector<LegendEntry> curve_legend(const plot::CurveSet& set) {
  std::vector<LegendEntry> entries;
  if (set.labels.size() < 2) return entries;
  for (std::size_t s = 0; s < set.labels.size(); ++s) {
    entries.push_back(curve_entry(static_cast<int>(s), set.labels[s]));
  }
  return entries;
}

std::vector<LegendEntry> mark_legend() {
  const auto point = [](bool proven) {
    return [proven](SvgWriter& svg, double x, double y) {
      if (!proven) svg.line(x, y, x, y + 8, plot::curve_class(0));
      plot::draw_point(svg, 0, proven, x, y, {});
    };
  };
  return {{point(true), "proven optimal"},
          {point(false), "not proven; the bar ends at the bound"},
          {[](SvgWriter& svg, double x, double y) { plot::draw_cross(svg, 0, x, y, {}); },
           "infeasible"},
          {[](SvgWriter& svg, double x, double y) { plot::draw_question(svg, 0, x, y, {}); },
           "no schedule found in time"}};
}

void write_pattern(SvgWriter& svg) {
  svg.open("defs");
  svg.open("pattern", {{"id", "infeasible"},
                       {"width", 6},
                       {"height", 6},
                       {"patternUnits", "userSpaceOnUse"},
                       {"patternTransform", "rotate(45)"}});
  svg.element("rect", {{"class", "shade"}, {"width", 2}, {"height", 6}});
  svg.close();
  svg.close();
}

void draw_header(SvgWriter& svg, const plot::CurveSet& set, double width) {
  const double room = width - 2 * kPageMargin;
  svg.text(kPageMargin, 34, "title", "Energy overhead against RAM budget");
  const std::string baseline =
      "Overhead over computing every node once and keeping it as long as needed";
  svg.text(kPageMargin, 54, "note", plot::shortened(baseline, plot::kNoteSize, room));
  if (set.panels.empty()) svg.text(kPageMargin, 74, "strong", "no points");
  if (!set.common.empty()) {
    svg.text(kPageMargin, 72, "strong", plot::shortened(set.common, plot::kStrongSize, room));
  }
}

}  // namespace

std::string sweep_svg(std::span<const CurvePoint> points) {
  const plot::CurveSet set = plot::make_curves(points);
  const Grid grid = grid_for(set.panels);
  const double inner = grid.width() - 2 * kPageMargin;
  const std::vector<LegendEntry> curves = curve_legend(set);
  const std::size_t curves_per_row = plot::legend_columns(curves, inner);
  const bool has_line = !set.common.empty() || set.panels.empty();
  const double curves_top = kHeaderHeight + (has_line ? kHeaderLine : 0) + kPanelGap / 2;
  const double marks_top = curves_top + plot::legend_height(curves.size(), curves_per_row);
  const double panels_top = marks_top + plot::kLegendRowHeight + kPanelGap;
  const std::size_t rows = (set.panels.size() + grid.columns - 1) / grid.columns;
  const double height = panels_top + static_cast<double>(rows) * (grid.panel_height + kPanelGap) -
                        kPanelGap + kPageMargin;

  SvgWriter svg(grid.width(), height, "Energy overhead against RAM budget", set.common,
                plot::sweep_style_sheet());
  write_pattern(svg);
  draw_header(svg, set, grid.width());
  plot::draw_legend(svg, curves, curves_per_row, kPageMargin, grid.width() - kPageMargin,
                    curves_top);
  plot::draw_legend_row(svg, mark_legend(), kPageMargin, marks_top);
  for (std::size_t p = 0; p < set.panels.size(); ++p) {
    plot::draw_sweep_panel(svg, set.panels[p], set.labels, grid.place(p, panels_top));
  }
  return svg.finish();
}

}  // namespace poet
