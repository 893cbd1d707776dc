// Timelines to schedules and back.

#include "solver/search/timeline.hpp"

namespace poet {

Schedule to_schedule(const Timeline& timeline) {
  Schedule schedule;
  schedule.stages.resize(timeline.size());
  // By node, so that every list comes out ascending.
  for (int node = 0; node < timeline.size(); ++node) {
    for (const Instance& instance : timeline.instances(node)) {
      const int start = stage_of(instance.start);
      const bool computed = is_computation(instance.start);
      if (computed) {
        schedule.stages[start].compute.push_back(node);
      } else {
        schedule.stages[start - 1].page_in.push_back(node);
      }
      for (int t = computed ? start + 1 : start; t <= stage_of(instance.end); ++t) {
        schedule.stages[t].resident.push_back(node);
      }
    }
    if (!timeline.is_paged(node)) continue;
    schedule.stages[timeline.page_out_stage(node)].page_out.push_back(node);
  }
  return schedule;
}

std::vector<Entry> entries_of(const Schedule& schedule) {
  std::vector<Entry> entries;
  const int stages = static_cast<int>(schedule.stages.size());
  std::vector<char> settled(stages, false);  // written out, or computed again without a copy
  for (int t = 0; t < stages; ++t) {
    for (const int node : schedule.stages[t].page_out) {
      if (!settled[node] && t > node + 1) entries.push_back({node, stage_end(t)});
      settled[node] = true;
    }
    for (const int node : schedule.stages[t].compute) {
      if (node == t) continue;
      entries.push_back({node, computation(t, node)});
      settled[node] = true;
    }
    for (const int node : schedule.stages[t].page_in) {
      entries.push_back({node, stage_start(t + 1)});
    }
  }
  return entries;
}

}  // namespace poet
