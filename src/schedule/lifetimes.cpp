// The same schedule seen by tensor instead of by stage. The flat program is the one place that
// knows when a tensor goes, so it is run and not derived again.

#include "schedule/lifetimes.hpp"

#include "poet/simulate.hpp"

namespace poet {
namespace {

/// Runs the flat program and records when tensors come and go.
class Recorder {
 public:
  explicit Recorder(ScheduleTimeline& timeline) : timeline_(timeline) {}

  void run(const Instruction& step) {
    Life& life = timeline_.lives[step.node];
    switch (step.op) {
      case Instruction::Op::compute:
        ++now_;
        life.stays.push_back({.first = now_, .last = now_, .arrival = arrival(step.node)});
        // Its bytes are the successor's from here on.
        if (step.over) timeline_.lives[*step.over].stays.back().last = now_ - 1;
        break;
      case Instruction::Op::free:
        life.stays.back().last = now_;
        break;
      case Instruction::Op::move:
        break;  // the tensor is the same, elsewhere
      case Instruction::Op::page_out:
        life.page_outs.push_back(now_ + 1);
        break;
      case Instruction::Op::page_in:
        life.stays.push_back({.first = now_ + 1, .last = now_ + 1, .arrival = Arrival::paged_in});
        break;
    }
  }

 private:
  Arrival arrival(int node) const {
    return timeline_.columns[now_].stage == node ? Arrival::computed : Arrival::recomputed;
  }

  ScheduleTimeline& timeline_;
  int now_ = -1;  ///< the computation that ran last
};

}  // namespace

// The stages are lowered twice, once for the columns and once for the lives. Each stage looks at
// all nodes, so the time is quadratic in the nodes.
ScheduleTimeline make_timeline(const Graph& graph, const Schedule& schedule,
                               PagingTime paging_time) {
  ScheduleTimeline timeline;
  timeline.columns = ram_timeline(graph, schedule, paging_time);
  timeline.lives.resize(graph.nodes.size());
  Recorder recorder(timeline);
  for (const Instruction& step : to_program(graph, schedule, paging_time)) recorder.run(step);
  for (int c = 0; c < timeline.size(); ++c) {
    const bool starts = c == 0 || timeline.columns[c].stage != timeline.columns[c - 1].stage;
    if (starts) timeline.stage_columns.push_back(c);
  }
  const int split = graph.first_backward;
  if (split > 0 && split < graph.size()) timeline.boundary = timeline.stage_columns[split];
  return timeline;
}

}  // namespace poet
