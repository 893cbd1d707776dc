#include <fmt/format.h>

#include "pictures/legend.hpp"
#include "pictures/schedule_page.hpp"
#include "pictures/schedule_style.hpp"
#include "pictures/style.hpp"
#include "poet/plot.hpp"

namespace poet {
namespace {

using plot::kPageMargin;
using plot::LegendEntry;
using plot::SvgWriter;

constexpr double kWidth = 1200;
constexpr double kPlotLeft = 210;    ///< room for the names of tensors
constexpr double kPlotRight = 1110;  ///< and for their sizes
constexpr double kGap = 16;
constexpr double kHeadingHeight = 22;
constexpr std::size_t kBandsPerRow = 5;

std::vector<LegendEntry> band_legend(const plot::SchedulePage& page) {
  std::vector<LegendEntry> entries;
  for (const plot::Band& band : page.stack.bands) {
    const std::string size =
        band.node < 0 ? "" : ", " + format_bytes(page.report.graph.nodes[band.node].bytes);
    entries.push_back(plot::patch_entry(band.css_class, band.name + size));
  }
  return entries;
}

LegendEntry triangle_entry(bool down, const char* text) {
  return {[down](SvgWriter& svg, double x, double y) {
            svg.element("path", {{"class", "mark"}, {"d", plot::triangle(x, y, 5, down)}});
          },
          text};
}

std::vector<LegendEntry> lane_legend() {
  return {plot::patch_entry(plot::kRestClass, "in RAM (colours as above)"),
          {[](SvgWriter& svg, double x, double y) {
             svg.element(
                 "rect",
                 {{"class", "ink"}, {"x", x - 2}, {"y", y - 7}, {"width", 4}, {"height", 14}});
           },
           "recomputed"},
          triangle_entry(true, "paged out"),
          {[](SvgWriter& svg, double x, double y) {
             svg.line(x - plot::kMarkWidth / 2, y, x + plot::kMarkWidth / 2, y, "stored");
           },
           "in storage only"},
          triangle_entry(false, "paged in")};
}

}  // namespace

std::string schedule_svg(const ScheduleFile& report) {
  const plot::SchedulePage page = plot::make_schedule_page(report, kPlotLeft, kPlotRight);
  const std::vector<LegendEntry> bands = band_legend(page);
  const double bands_heading = plot::kScheduleHeaderHeight + kGap;
  const double bands_top = bands_heading + kHeadingHeight;
  const double chart_top = bands_top + plot::legend_height(bands.size(), kBandsPerRow) + kGap;
  const double marks_heading = chart_top + plot::kMemoryChartHeight + kGap;
  const double marks_top = marks_heading + kHeadingHeight;
  const double lanes_top = marks_top + plot::kLegendRowHeight + kGap / 2;
  const double height = lanes_top + plot::tensor_lanes_height(page) + kPageMargin;

  SvgWriter svg(kWidth, height, plot::schedule_title(report),
                "RAM over time, and the life of every tensor, in one training step",
                plot::schedule_style_sheet());
  plot::write_schedule_patterns(svg);
  plot::draw_schedule_header(svg, report, kPageMargin, kWidth - kPageMargin);
  svg.text(kPageMargin, bands_heading + kGap, "strong", "RAM by tensor, from the bottom up");
  plot::draw_legend(svg, bands, kBandsPerRow, kPageMargin, kWidth - kPageMargin, bands_top);
  plot::draw_memory_chart(svg, page, chart_top);
  svg.text(kPageMargin, marks_heading + kGap, "strong",
           "Every tensor, in the order of the network");
  plot::draw_legend_row(svg, lane_legend(), kPageMargin, marks_top);
  plot::draw_tensor_lanes(svg, page, lanes_top);
  return svg.finish();
}

}  // namespace poet
