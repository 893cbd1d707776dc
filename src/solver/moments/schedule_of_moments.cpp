#include "solver/moments/schedule_of_moments.hpp"

#include <algorithm>
#include <vector>

#include "solver/moments/moment_rows.hpp"

namespace poet {

Schedule schedule_of_moments(const MomentModel& model, std::span<const double> values) {
  const Graph& graph = model.graph();
  const std::vector<ProofInterval>& intervals = model.intervals();
  const auto holds = [&](ProofColumn column) { return value_at(values, column) > 0.5; };
  Schedule schedule;
  schedule.stages.resize(graph.size());
  std::vector<bool> paged(graph.size(), false);
  for (std::size_t w = 0; w < intervals.size(); ++w) {
    const ProofInterval& now = intervals[w];
    // By node, the first stage that needs it.
    std::vector<int> needed(graph.size(), graph.size());
    if (w + 1 < intervals.size()) {
      for (int i = 0; i < now.next; ++i) {
        if (holds(intervals[w + 1].in_ram[i])) needed[i] = now.next;
      }
    }
    const auto need_inputs = [&](int node, int stage) {
      for (const int i : graph.nodes[node].inputs) needed[i] = std::min(needed[i], stage);
    };
    for (int t = now.next; t > now.stage; --t) need_inputs(t, t);
    for (int i = now.stage - 1; i >= 0; --i) {
      const int stage = needed[i];
      if (stage == graph.size()) continue;
      if (holds(now.recomputed[i])) {
        const int last = std::min(stage, graph.last_stage[i]);
        schedule.stages[last].compute.push_back(i);
        need_inputs(i, last);
      } else if (holds(now.paged_in[i])) {
        schedule.stages[std::max(stage - 1, now.stage)].page_in.push_back(i);
        paged[i] = true;
      }
    }
  }
  for (int i = 0; i + 1 < graph.size(); ++i) {
    if (paged[i]) schedule.stages[i + 1].page_out.push_back(i);
  }
  for (Stage& stage : schedule.stages) {
    std::ranges::sort(stage.compute);
    std::ranges::sort(stage.page_in);
  }
  return schedule;
}

}  // namespace poet
