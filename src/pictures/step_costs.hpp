#pragma once

#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "schedule/lifetimes.hpp"

namespace poet::plot {

// What a training step has taken before each of its columns, and at its end: one entry more than
// there are columns. What a stage pages counts at its last computation, after which the stage is
// over.

/// Energy as it adds up, in joules, by what it is spent on.
struct EnergySoFar {
  std::vector<Joules> first;   ///< first computations
  std::vector<Joules> again;   ///< recomputations
  std::vector<Joules> paging;  ///< page-ins and page-outs

  Joules total(std::size_t edge) const { return first[edge] + again[edge] + paging[edge]; }
};

EnergySoFar energy_so_far(const Graph& graph, const Schedule& schedule,
                          const ScheduleTimeline& timeline);

/// Time as it adds up, in seconds, with transfers as the step is charged for them.
std::vector<Seconds> time_so_far(const Graph& graph, const Schedule& schedule,
                                 const ScheduleTimeline& timeline, PagingTime paging_time);

}  // namespace poet::plot
