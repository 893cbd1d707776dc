// What the parts of a schedule's picture share: the page, the timeline of the schedule, the x axis
// and the lanes. It is made once, so that charts stand exactly above each other and columns mean
// the same in all of them. Room beside the charts depends on the names of the tensors that have
// lanes, which is why lanes are chosen before the axis is made.

#include "pictures/schedule_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pictures/style.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"

namespace poet::plot {
namespace {

/// Room beside the charts: on the left for the names of tensors, on the right for their sizes.
struct Beside {
  double left = 0;
  double right = 0;
};

/// The tensors that have a lane.
std::vector<int> chosen_lanes(const Graph& graph, const ScheduleTimeline& timeline,
                              LaneChoice choice) {
  std::vector<int> lanes;
  for (int i = 0; i < graph.size(); ++i) {
    const bool chosen = choice == LaneChoice::all ||
                        (choice == LaneChoice::forward && !graph.nodes[i].backward) ||
                        (choice == LaneChoice::changed && is_changed(timeline.lives[i]));
    if (chosen) lanes.push_back(i);
  }
  return lanes;
}

/// What the widest name needs, and at least this much: the numbers on the axes are there as well.
double room_for_names(const Graph& graph, const std::vector<int>& lanes) {
  double room = 72;
  for (const int i : lanes) {
    room = std::max(room, estimated_width(lane_label(graph, i), kSmallestSize) + kLaneLabelGap);
  }
  return room;
}

/// On paper, as much as the names need, up to a limit; on a screen always the same.
Beside room_beside_charts(const Graph& graph, const std::vector<int>& lanes, const Look& look) {
  if (!look.width_mm) return {.left = 186, .right = 66};
  const Beside most =
      look.narrow() ? Beside{.left = 94, .right = 68} : Beside{.left = 165, .right = 78};
  return {.left = std::min(room_for_names(graph, lanes), most.left), .right = most.right};
}

}  // namespace

bool is_changed(const Life& life) {
  return life.stays.size() > 1 || !life.page_outs.empty();
}

namespace {

/// The baseline computes each stage's node once, so a column is held against the node of its stage.
std::vector<Bytes> ram_of_baseline(const Graph& graph, const ScheduleTimeline& timeline) {
  const std::vector<RamSample> samples = ram_timeline(graph, baseline(graph).schedule);
  std::vector<Bytes> kept;
  for (const RamSample& column : timeline.columns) kept.push_back(samples[column.stage].ram_bytes);
  return kept;
}

}  // namespace

SchedulePage make_schedule_page(const ScheduleFile& file, const PictureOptions& options) {
  constexpr double kScreenWidth = 1200;
  const Look look = make_look(options, kScreenWidth);
  ScheduleTimeline timeline =
      make_timeline(file.graph, file.schedule, file.request.limits.paging_time);
  std::vector<int> lanes = chosen_lanes(file.graph, timeline, options.lanes);
  const Beside beside = room_beside_charts(file.graph, lanes, look);
  ColumnAxis x = make_column_axis(file, timeline, options.columns, look.left() + beside.left,
                                  look.right() - beside.right);
  std::vector<Tick> ticks = column_ticks(x, timeline, options.columns);
  Stack stack = make_stack(file.graph, timeline);
  std::vector<Bytes> kept;
  if (options.beside_baseline) kept = ram_of_baseline(file.graph, timeline);
  return {.file = file,
          .look = look,
          .timeline = std::move(timeline),
          .stack = std::move(stack),
          .x = std::move(x),
          .ticks = std::move(ticks),
          .lanes = std::move(lanes),
          .kept = std::move(kept)};
}

std::string lane_label(const Graph& graph, int node) {
  return fmt::format("{} {}", node, graph.nodes[node].name);
}

std::string describe(const Graph& graph, int node) {
  constexpr double kMaxWidth = 80;  // in characters or so: this goes into a great many tips
  const Node& n = graph.nodes[node];
  return fmt::format("{} {} ({}), {}", node, shortened(n.name, 1, kMaxWidth),
                     shortened(n.op, 1, kMaxWidth), format_bytes(n.bytes));
}

void draw_heading(SvgWriter& svg, const Look& look, double top, const char* text) {
  svg.text(look.left(), top + kStrongSize, "strong", text);
}

void draw_grid(SvgWriter& svg, const SchedulePage& page, double top, double bottom) {
  for (const Tick& tick : page.ticks) {
    const double x = page.x.scale()(tick.value);
    svg.line(x, top, x, bottom, "grid");
  }
  if (page.timeline.boundary < 0) return;
  const double x = page.x(page.timeline.boundary);
  svg.line(x, top, x, bottom, "boundary");
}

}  // namespace poet::plot
