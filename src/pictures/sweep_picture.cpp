// The whole picture of a sweep: what all curves have in common, the two legends, then the panels.
// As in the picture of a schedule, heights are summed up before the first element is written.

#include "pictures/curves.hpp"
#include "pictures/legend.hpp"
#include "pictures/style.hpp"
#include "pictures/sweep_grid.hpp"
#include "pictures/sweep_legend.hpp"
#include "pictures/sweep_panel.hpp"
#include "pictures/sweep_style.hpp"
#include "poet/plot.hpp"

namespace poet {
namespace {

using plot::LegendEntry;
using plot::Look;
using plot::SvgWriter;

constexpr double kHeaderGap = 10;
constexpr double kLineHeight = 16;

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

/// The text above the panels: a title, what the overhead is over, and what all curves have in
/// common.
struct Header {
  std::string title;
  std::vector<std::string> notes;
  std::vector<std::string> common;

  double height(const Look& look) const {
    const auto lines = static_cast<double>(notes.size() + common.size());
    return (title.empty() ? 0 : look.title_size + 6) + kLineHeight * lines +
           (lines > 0 ? kHeaderGap : 0);
  }
};

// Notes go with the title: who leaves it out has a caption under the figure, which says the same.
// Only an empty picture says that it is empty in any case.
Header make_header(const plot::CurveSet& set, const Look& look, const PictureOptions& options) {
  Header header;
  if (options.title) {
    header.title = set.axis == plot::BudgetAxis::ram ? "Energy overhead against RAM budget"
                                                     : "Energy overhead against runtime budget";
    header.notes =
        plot::wrapped("Overhead over computing every node once and keeping it as long as needed",
                      plot::kNoteSize, look.room());
    header.common = plot::wrapped(set.common, plot::kStrongSize, look.room());
  }
  if (set.panels.empty()) header.common = {"no points"};
  return header;
}

void draw_header(SvgWriter& svg, const Header& header, const Look& look) {
  double y = look.margin;
  if (!header.title.empty()) {
    svg.text(look.left(), y + 0.75 * look.title_size, "title",
             plot::shortened(header.title, look.title_size, look.room()));
    y += look.title_size + 6;
  }
  const auto draw_lines = [&](const std::vector<std::string>& lines, const char* css_class) {
    for (const std::string& line : lines) {
      svg.text(look.left(), y + plot::kNoteSize, css_class, line);
      y += kLineHeight;
    }
  };
  draw_lines(header.notes, "note");
  draw_lines(header.common, "strong");
}

}  // namespace

std::string sweep_svg(std::span<const CurvePoint> points, const PictureOptions& options) {
  const plot::CurveSet set = plot::make_curves(points, options.overheads);
  const Look look = plot::make_look(options, plot::sweep_screen_width(set));
  const plot::PanelGrid grid(set, look);
  const Header header = make_header(set, look, options);
  const std::vector<LegendEntry> curves = plot::curve_legend(set);
  const std::vector<LegendEntry> marks = plot::mark_legend(set);
  const std::size_t per_row = plot::legend_columns(curves, look.room());
  const double curves_top = look.margin + header.height(look);
  const double marks_top = curves_top + plot::legend_height(curves.size(), per_row);
  const double panels_top =
      marks_top + plot::legend_rows_height(marks, look.room()) + (marks.empty() ? 0 : kHeaderGap);
  const double height = panels_top + grid.height() + look.margin;

  const bool ram = set.axis == plot::BudgetAxis::ram;
  SvgWriter svg(
      look, height,
      ram ? "Energy overhead against RAM budget" : "Energy overhead against runtime budget",
      set.common, plot::sweep_style_sheet(look));
  write_pattern(svg);
  draw_header(svg, header, look);
  plot::draw_legend(svg, curves, per_row, look.left(), look.right(), curves_top);
  plot::draw_legend_rows(svg, marks, look.left(), look.right(), marks_top);
  for (std::size_t p = 0; p < set.panels.size(); ++p) {
    plot::draw_sweep_panel(svg, set, set.panels[p], grid.place(p, panels_top));
  }
  return svg.finish();
}

}  // namespace poet
