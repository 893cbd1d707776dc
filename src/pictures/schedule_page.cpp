#include "pictures/schedule_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kMinTickDistance = 34;

/// Every so many stages, as long as their numbers keep clear of each other: a burst of
/// recomputation moves stages apart, and the ends of a chart close together.
std::vector<Tick> stage_ticks(const ScheduleTimeline& timeline, const Scale& x) {
  const int stages = static_cast<int>(timeline.stage_columns.size());
  const int fit = static_cast<int>((x.to - x.from) / kMinTickDistance);
  const int step = std::max(1, static_cast<int>(round_step(stages, fit)));
  std::vector<Tick> ticks;
  for (int t = 0; t < stages; t += step) {
    const double column = timeline.stage_columns[t];
    if (!ticks.empty() && x(column) - x(ticks.back().value) < kMinTickDistance) continue;
    ticks.push_back({.value = column, .label = fmt::format("{}", t)});
  }
  return ticks;
}

}  // namespace

SchedulePage make_schedule_page(const ScheduleFile& report, double left, double right) {
  SchedulePage page{
      .report = report,
      .timeline = make_timeline(report.graph, report.schedule, report.request.paging_time)};
  page.stack = make_stack(page.report.graph, page.timeline);
  page.x = {.low = 0, .high = static_cast<double>(page.timeline.size()), .from = left, .to = right};
  page.stage_ticks = stage_ticks(page.timeline, page.x);
  return page;
}

std::string describe(const Graph& graph, int node) {
  constexpr double kMaxWidth = 80;  // in characters or so: this goes into a great many tips
  const Node& n = graph.nodes[node];
  return fmt::format("{} {} ({}), {}", node, shortened(n.name, 1, kMaxWidth),
                     shortened(n.op, 1, kMaxWidth), format_bytes(n.bytes));
}

void draw_grid(SvgWriter& svg, const SchedulePage& page, double top, double bottom) {
  for (const Tick& tick : page.stage_ticks) {
    svg.line(page.x(tick.value), top, page.x(tick.value), bottom, "grid");
  }
  if (page.timeline.boundary < 0) return;
  const double x = page.x(page.timeline.boundary);
  svg.line(x, top, x, bottom, "boundary");
}

}  // namespace poet::plot
