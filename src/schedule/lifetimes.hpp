#pragma once

#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"

namespace poet {

/// How a tensor came into RAM.
enum class Arrival { computed, recomputed, paged_in };

/// A time in RAM: during the computations `first` to `last`, both included. A tensor that the first
/// computation of a stage takes over right after it was paged in has none: `last` is before
/// `first`.
struct Stay {
  int first = 0;
  int last = 0;
  Arrival arrival = Arrival::computed;
};

/// All that happens to one tensor in the course of a training step.
struct Life {
  std::vector<Stay> stays;
  std::vector<int> page_outs;  ///< the first computation of each stage that pages it out
};

/// A schedule as a row of columns, one per computation in order of execution.
struct ScheduleTimeline {
  std::vector<RamSample> columns;
  std::vector<Life> lives;         ///< by node
  std::vector<int> stage_columns;  ///< by stage: its first column

  /// The first column of the stage of the first backward node; -1 if all nodes are of one pass. In
  /// some orders forward nodes come after it.
  int boundary = -1;

  int size() const { return static_cast<int>(columns.size()); }
};

/// Follows every tensor through a schedule, which must be valid. A tensor that is paged in counts
/// from the next stage on, as in the replay; if transfers overlap with computations, from the stage
/// that reads it back.
ScheduleTimeline make_timeline(const Graph& graph, const Schedule& schedule,
                               PagingTime paging_time = PagingTime::free);

}  // namespace poet
