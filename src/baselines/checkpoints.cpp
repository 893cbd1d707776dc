// Checkpointing by segments, which Chen et al. ("Training Deep Nets with Sublinear Memory Cost",
// 2016, section 4) and most frameworks have: what lies between two checkpoints is dropped in the
// forward pass, and computed again as a whole when the backward pass arrives.

#include "baselines/checkpoints.hpp"

#include <algorithm>
#include <numeric>

#include "baselines/residency.hpp"
#include "problem/cut_nodes.hpp"

namespace poet {
namespace {

/// The nodes from `first` up to, but not including, `end` are dropped after the forward pass, and
/// held again from the first stage on that needs one of them.
void drop_segment(const Graph& graph, const std::vector<bool>& droppable, int first, int end,
                  Residency& residency) {
  int again = graph.size();
  for (int i = first; i < end; ++i) {
    if (droppable[i]) again = std::min(again, first_backward_use(graph, i));
  }
  for (int i = first; i < end; ++i) {
    if (!droppable[i]) continue;
    const int from = last_forward_use(graph, i) + 1;
    residency.drop(i, from, std::min(again, last_use(graph, i)));
  }
}

}  // namespace

std::vector<int> segment_ends(const Graph& graph) {
  std::vector<int> ends = cut_nodes(graph);
  if (ends.size() >= 2) return ends;
  ends.resize(graph.first_backward);
  std::iota(ends.begin(), ends.end(), 0);
  return ends;
}

std::optional<Schedule> checkpointed(const Graph& graph, const std::vector<int>& checkpoints) {
  Residency residency = keep_everything(graph);
  const std::vector<bool> droppable = can_be_dropped(graph);
  int first = 0;
  for (const int checkpoint : checkpoints) {
    drop_segment(graph, droppable, first, checkpoint, residency);
    first = checkpoint + 1;
  }
  const std::vector<int> needed = needed_until(graph);
  for (const int checkpoint : checkpoints) {
    residency.hold(checkpoint, checkpoint + 1, needed[checkpoint]);
  }
  return schedule_of(graph, residency);
}

}  // namespace poet
