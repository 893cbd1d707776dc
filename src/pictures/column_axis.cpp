// What a schedule is drawn over. Each computation has a column, because RAM changes with
// computations and not with time alone; whether columns are equally wide, or as wide as the time or
// the energy that they take, is the user's choice. Transfers belong to a stage and not to a
// computation, so they count at its last column. An overlapped transfer takes time only as far as
// it is longer than the computations of its stage, which makes the last column wider and no other.

#include "pictures/column_axis.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet::plot {
namespace {

constexpr double kMinStageDistance = 34;
constexpr double kTickDistance = 60;

std::vector<double> edges_of(const ScheduleFile& file, const ScheduleTimeline& timeline,
                             ColumnWidth columns) {
  if (columns == ColumnWidth::time) {
    return time_so_far(file.graph, file.schedule, timeline, file.request.limits.paging_time);
  }
  std::vector<double> edges(timeline.columns.size() + 1);
  if (columns == ColumnWidth::energy) {
    const EnergySoFar energy = energy_so_far(file.graph, file.schedule, timeline);
    for (std::size_t e = 0; e < edges.size(); ++e) edges[e] = energy.total(e);
  } else {
    std::iota(edges.begin(), edges.end(), 0.0);
  }
  return edges;
}

/// Every so many stages, as long as their numbers keep clear of each other: a burst of
/// recomputation moves stages apart, and the ends of a chart close together.
std::vector<Tick> stage_ticks(const ScheduleTimeline& timeline, const Scale& x) {
  const int stages = static_cast<int>(timeline.stage_columns.size());
  const int fit = static_cast<int>((x.to - x.from) / kMinStageDistance);
  const int step = std::max(1, static_cast<int>(round_step(stages, fit)));
  std::vector<Tick> ticks;
  for (int t = 0; t < stages; t += step) {
    const double column = timeline.stage_columns[t];
    if (!ticks.empty() && x(column) - x(ticks.back().value) < kMinStageDistance) continue;
    ticks.push_back({.value = column, .label = fmt::format("{}", t)});
  }
  return ticks;
}

const char* caption(ColumnWidth columns) {
  switch (columns) {
    case ColumnWidth::computation:
      return "stage; one column per computation, in order of execution";
    case ColumnWidth::time:
      return "time; one column per computation, in order of execution";
    case ColumnWidth::energy:
      return "energy; one column per computation, in order of execution";
  }
  return "";
}

bool ends_stage(const ScheduleTimeline& timeline, int column) {
  return column + 1 == timeline.size() ||
         timeline.columns[column + 1].stage != timeline.columns[column].stage;
}

Joules paging_energy(const Graph& graph, const Stage& stage) {
  Joules energy = 0;
  for (const int i : stage.page_out) energy += graph.nodes[i].page_out_energy_joules;
  for (const int i : stage.page_in) energy += graph.nodes[i].page_in_energy_joules;
  return energy;
}

Seconds paging_time_of(const Graph& graph, const Stage& stage) {
  Seconds time = 0;
  for (const int i : stage.page_out) time += graph.nodes[i].page_out_seconds;
  for (const int i : stage.page_in) time += graph.nodes[i].page_in_seconds;
  return time;
}

}  // namespace

// Three sums and not one: a chart stacks them, and only two of them can be saved on.
EnergySoFar energy_so_far(const Graph& graph, const Schedule& schedule,
                          const ScheduleTimeline& timeline) {
  EnergySoFar sums{.first = {0}, .again = {0}, .paging = {0}};
  for (int c = 0; c < timeline.size(); ++c) {
    const RamSample& column = timeline.columns[c];
    const Joules energy = graph.nodes[column.node].energy_joules;
    const bool again = column.node != column.stage;
    const Joules paging =
        ends_stage(timeline, c) ? paging_energy(graph, schedule.stages[column.stage]) : 0;
    sums.first.push_back(sums.first.back() + (again ? 0 : energy));
    sums.again.push_back(sums.again.back() + (again ? energy : 0));
    sums.paging.push_back(sums.paging.back() + paging);
  }
  return sums;
}

// Free transfers take no time, blocking ones are added to their stage, and overlapped ones make it
// longer only if they outlast its computations.
std::vector<Seconds> time_so_far(const Graph& graph, const Schedule& schedule,
                                 const ScheduleTimeline& timeline, PagingTime paging_time) {
  std::vector<Seconds> sums{0};
  Seconds stage_start = 0;
  for (int c = 0; c < timeline.size(); ++c) {
    const RamSample& column = timeline.columns[c];
    Seconds now = sums.back() + graph.nodes[column.node].runtime_seconds;
    if (ends_stage(timeline, c)) {
      const Seconds paging = paging_time_of(graph, schedule.stages[column.stage]);
      if (paging_time == PagingTime::blocking) now += paging;
      if (paging_time == PagingTime::overlapped) now = std::max(now, stage_start + paging);
      stage_start = now;
    }
    sums.push_back(now);
  }
  return sums;
}

// An axis of no length would put all columns on one line.
ColumnAxis make_column_axis(const ScheduleFile& file, const ScheduleTimeline& timeline,
                            ColumnWidth columns, double from, double to) {
  std::vector<double> edges = edges_of(file, timeline, columns);
  if (!(edges.back() > 0)) {
    throw InputError("x axis", fmt::format("found a schedule that takes no {}; expected an axis of "
                                           "computations",
                                           columns == ColumnWidth::time ? "time" : "energy"));
  }
  return {std::move(edges), from, to};
}

std::vector<Tick> column_ticks(const ColumnAxis& axis, const ScheduleTimeline& timeline,
                               ColumnWidth columns) {
  const Scale& scale = axis.scale();
  const int count = static_cast<int>((axis.to() - axis.from()) / kTickDistance);
  switch (columns) {
    case ColumnWidth::computation:
      break;
    case ColumnWidth::time:
      return second_ticks(0, scale.high, count);
    case ColumnWidth::energy:
      return joule_ticks(0, scale.high, count);
  }
  return stage_ticks(timeline, scale);
}

// Once for all charts of a picture, which have the same columns.
void draw_column_numbers(SvgWriter& svg, const ColumnAxis& axis, const std::vector<Tick>& ticks,
                         ColumnWidth columns, double top) {
  for (const Tick& tick : ticks) {
    const double x = axis.scale()(tick.value);
    svg.line(x, top, x, top + 4, "edge");
    svg.text(x, top + 14, "axis middle", tick.label);
  }
  svg.text((axis.from() + axis.to()) / 2, top + 32, "axis middle", caption(columns));
}

}  // namespace poet::plot
