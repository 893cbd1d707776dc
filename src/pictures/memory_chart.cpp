// The chart that the papers on rematerialisation draw, RAM over time, with what they leave out:
// whose bytes they are. It has a column for each computation and not for each stage, because RAM is
// highest during a computation, and one stage may recompute half of the network.

#include <algorithm>

#include <fmt/format.h>

#include "pictures/schedule_page.hpp"
#include "pictures/schedule_style.hpp"

namespace poet::plot {
namespace {

constexpr double kPlotTop = 18;  ///< room for the names of the passes
constexpr double kPlotHeight = 260;
constexpr double kStripTop = 284;
constexpr double kStripHeight = 16;
constexpr double kNumbersBaseline = 314;
constexpr double kCaptionBaseline = 332;

/// A budget far above the peak would press the chart flat; it is named instead of drawn.
constexpr double kMaxBudgetShown = 1.6;
constexpr double kRamHeadroom = 1.06;

struct MemoryAxis {
  Scale y;
  bool shows_budget = true;
};

MemoryAxis memory_axis(const Summary& summary, double top) {
  const auto peak = static_cast<double>(summary.peak_ram_bytes);
  const auto budget = static_cast<double>(summary.ram_budget_bytes);
  const bool shows_budget = budget <= kMaxBudgetShown * peak;
  const double most = std::max(shows_budget ? budget : peak, static_cast<double>(kTickCount));
  return {.y = {.low = 0, .high = kRamHeadroom * most, .from = top + kPlotHeight, .to = top},
          .shows_budget = shows_budget};
}

/// A stretch of columns in which a band has bytes.
struct Run {
  int first = 0;
  int end = 0;  ///< one beyond the last
};

std::vector<Run> runs(const std::vector<Bytes>& bytes) {
  std::vector<Run> result;
  for (int c = 0; c < static_cast<int>(bytes.size()); ++c) {
    if (bytes[c] == 0) continue;
    if (result.empty() || result.back().end != c) result.push_back({.first = c, .end = c});
    result.back().end = c + 1;
  }
  return result;
}

/// Around the area between two edges that have a step at every column.
std::string outline(const Run& run, const std::vector<Bytes>& lower,
                    const std::vector<Bytes>& upper, const Scale& x, const Scale& y) {
  const auto level = [&](Bytes bytes) { return y(static_cast<double>(bytes)); };
  PathData path;
  path.move(x(run.first), level(upper[run.first]));
  for (int c = run.first + 1; c < run.end; ++c) {
    if (upper[c] != upper[c - 1]) path.horizontal(x(c)).vertical(level(upper[c]));
  }
  path.horizontal(x(run.end)).vertical(level(lower[run.end - 1]));
  for (int c = run.end - 1; c > run.first; --c) {
    if (lower[c] != lower[c - 1]) path.horizontal(x(c)).vertical(level(lower[c - 1]));
  }
  return path.horizontal(x(run.first)).close().text();
}

std::string tip(const SchedulePage& page, const Band& band, const Run& run) {
  if (band.node < 0) return band.name;
  return fmt::format("{}, in RAM in stages {} to {}", describe(page.report.graph, band.node),
                     page.timeline.columns[run.first].stage,
                     page.timeline.columns[run.end - 1].stage);
}

void draw_bands(SvgWriter& svg, const SchedulePage& page, const Scale& y) {
  std::vector<Bytes> lower(page.timeline.columns.size(), 0);
  for (const Band& band : page.stack.bands) {
    std::vector<Bytes> upper = lower;
    for (std::size_t c = 0; c < upper.size(); ++c) upper[c] += band.bytes[c];
    for (const Run& run : runs(band.bytes)) {
      svg.element(
          "path",
          {{"class", "band " + band.css_class}, {"d", outline(run, lower, upper, page.x, y)}},
          tip(page, band, run));
    }
    lower = std::move(upper);
  }
}

void draw_memory_ticks(SvgWriter& svg, const SchedulePage& page, const Scale& y) {
  for (const Tick& tick : byte_ticks(y.low, y.high, kTickCount)) {
    svg.line(page.x.from, y(tick.value), page.x.to, y(tick.value), "grid");
    svg.text(page.x.from - 8, y(tick.value) + 4, "axis end", tick.label);
  }
}

void draw_budget(SvgWriter& svg, const SchedulePage& page, const MemoryAxis& axis) {
  const Bytes budget = page.report.summary.ram_budget_bytes;
  const double y = axis.shows_budget ? axis.y(static_cast<double>(budget)) : axis.y.to;
  if (axis.shows_budget) svg.line(page.x.from, y, page.x.to, y, "budget");
  svg.text(page.x.to + 8, y + 1, "axis strong", "RAM budget");
  svg.text(page.x.to + 8, y + 15, "axis strong", format_bytes(budget));
  if (!axis.shows_budget) svg.text(page.x.to + 8, y + 29, "axis", "(above this)");
}

void draw_passes(SvgWriter& svg, const SchedulePage& page, double baseline) {
  if (page.timeline.boundary < 0) return;
  const double x = page.x(page.timeline.boundary);
  svg.text(x - 8, baseline, "axis end", "forward pass");
  svg.text(x + 8, baseline, "axis", "backward pass");
}

std::string strip_class(const SchedulePage& page, const RamSample& column) {
  if (column.node != column.stage) return "ink";
  return page.report.graph.nodes[column.node].backward ? kRestBackwardClass : kRestClass;
}

/// What runs, column by column: the pass, or that it is a recomputation.
void draw_strip(SvgWriter& svg, const SchedulePage& page, double top) {
  svg.text(page.x.from - 8, top + 12, "axis end", "computing");
  for (int c = 0; c < page.timeline.size(); ++c) {
    const RamSample& column = page.timeline.columns[c];
    const char* verb = column.node == column.stage ? "computes" : "recomputes";
    svg.element(
        "rect",
        {{"class", "cell " + strip_class(page, column)},
         {"x", page.x(c)},
         {"y", top},
         {"width", page.x(c + 1) - page.x(c)},
         {"height", kStripHeight}},
        fmt::format("stage {} {} {}; {} in RAM", column.stage, verb,
                    describe(page.report.graph, column.node), format_bytes(column.ram_bytes)));
  }
}

void draw_stage_numbers(SvgWriter& svg, const SchedulePage& page, double top) {
  for (const Tick& tick : page.stage_ticks) {
    svg.line(page.x(tick.value), top + kStripTop + kStripHeight, page.x(tick.value),
             top + kStripTop + kStripHeight + 4, "edge");
    svg.text(page.x(tick.value), top + kNumbersBaseline, "axis middle", tick.label);
  }
  svg.text((page.x.from + page.x.to) / 2, top + kCaptionBaseline, "axis middle",
           "stage; one column per computation, in order of execution");
}

}  // namespace

void draw_memory_chart(SvgWriter& svg, const SchedulePage& page, double top) {
  const double bottom = top + kPlotTop + kPlotHeight;
  const MemoryAxis axis = memory_axis(page.report.summary, top + kPlotTop);
  svg.open("g");
  draw_memory_ticks(svg, page, axis.y);
  draw_grid(svg, page, top + kPlotTop, bottom);
  draw_bands(svg, page, axis.y);
  draw_budget(svg, page, axis);
  draw_passes(svg, page, top + kPlotTop - 6);
  svg.line(page.x.from, bottom, page.x.to, bottom, "edge");
  draw_strip(svg, page, top + kStripTop);
  draw_stage_numbers(svg, page, top);
  svg.close();
}

}  // namespace poet::plot
