#include "pictures/step_costs.hpp"

#include <algorithm>

namespace poet::plot {
namespace {

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

}  // namespace poet::plot
