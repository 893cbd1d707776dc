#include "solver/search/page_outs.hpp"

#include <algorithm>

namespace poet {

void move_page_out(Timeline& timeline, int node, int stage) {
  const int from = timeline.page_out_stage(node);
  if (stage == from) return;
  if (from > node + 1) timeline.remove({node, stage_end(from)});
  if (stage > node + 1) timeline.insert({node, stage_end(stage)});
}

int last_free_page_out(const Timeline& timeline, int node) {
  const std::vector<Instance>& list = timeline.instances(node);
  const Position next = list.size() > 1 ? list[1].start : stage_start(timeline.size());
  const int used = stage_of(timeline.last_use(node, next).value_or(list[0].start));
  return std::max(node + 1, std::min(used, timeline.last_page_out_stage(node)));
}

void hide_page_out(Timeline& timeline, int node) {
  if (timeline.costs().paging_time != PagingTime::overlapped || !timeline.is_paged(node)) return;
  if (timeline.page_out_stage(node) > node + 1) return;
  const Units time = timeline.costs().nodes[node].page_out_time;
  Units least = -timeline.time_of_transfer(node + 1, -time);
  int best = node + 1;
  const int last = last_free_page_out(timeline, node);
  for (int stage = node + 2; stage <= last && least > 0; ++stage) {
    const Units added = timeline.time_of_transfer(stage, time);
    if (added >= least) continue;
    least = added;
    best = stage;
  }
  move_page_out(timeline, node, best);
}

}  // namespace poet
