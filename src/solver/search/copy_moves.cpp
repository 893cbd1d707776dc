// The moves of timeline_moves.hpp that open or close a copy in secondary storage.
//
// A copy is paid once and read often, as a facility is in facility location. An entry by itself
// that turns into a page-in bears the whole page-out and is mostly refused, and so is a page-in
// that turns into a computation while others still need the copy. So these moves change all returns
// of a tensor at once, in the window or not.
#include <vector>

#include "solver/search/page_outs.hpp"
#include "solver/search/timeline_moves.hpp"

namespace poet {
namespace {

constexpr int kFarthestRelative = 3;  // edges away
constexpr int kClosers = 8;           // draws of a copy to close for want of storage

}  // namespace

/// Without room for another copy, one that is open closes for it; otherwise now and then one of a
/// relative does, which is then computed from what has just been opened.
bool TimelineMoves::change_copy() {
  const Entry* const picked = pick_entry();
  if (picked == nullptr) return false;
  const int node = picked->node;
  if (timeline_.is_paged(node)) {
    const int substitute = random_.below(3) > 0 ? pick_relative(node) : -1;
    return close_copy(node, substitute);
  }
  if (!timeline_.costs().nodes[node].page) return false;
  int closed = -1;
  if (!timeline_.has_storage_for(node)) {
    closed = pick_open_copy();
    if (closed < 0) return false;
  } else if (random_.below(3) == 0) {
    closed = pick_relative(node);
    if (closed >= 0 && !timeline_.is_paged(closed)) closed = -1;
  }
  return open_copy(node) && (closed < 0 || close_copy(closed, -1));
}

/// All computations of a node after its first become page-ins, each at the next use.
bool TimelineMoves::open_copy(int node) {
  bool opened = false;
  for (const int stage : returns_of(node)) {
    const Position at = computation(stage, node);
    const int use = stage_of(timeline_.next_use(node, at).value_or(at));
    timeline_.remove({node, at});
    const int arrival = timeline_.may_arrive(node, use) ? use : stage;
    if (!timeline_.may_arrive(node, arrival) || timeline_.has({node, computation(arrival, node)})) {
      continue;
    }
    opened |= timeline_.insert({node, stage_start(arrival)});
  }
  if (opened) hide_page_out(timeline_, node);
  return opened;
}

/// All page-ins of a node become computations, from a substitute that is paged in for them if one
/// is given; now and then the tensor is held instead.
bool TimelineMoves::close_copy(int node, int substitute) {
  const std::vector<int> stages = returns_of(node);
  if (stages.empty()) return false;
  for (const int stage : stages) timeline_.remove({node, stage_start(stage)});
  const bool holds = random_.below(4) == 0;
  for (const int stage : stages) {
    if (substitute >= 0 && timeline_.may_arrive(substitute, stage) &&
        !timeline_.has({substitute, computation(stage, substitute)})) {
      timeline_.insert({substitute, stage_start(stage)});
    }
    if (holds || !timeline_.may_compute(node, stage)) continue;
    draw_depth();
    if (!recompute(node, stage) && is_hopeless(0)) return false;
  }
  if (substitute >= 0 && timeline_.is_paged(substitute)) hide_page_out(timeline_, substitute);
  return true;
}

/// The stages in which a node is paged in if it has a copy, and otherwise those that compute it
/// again.
std::vector<int> TimelineMoves::returns_of(int node) const {
  const bool is_paged = timeline_.is_paged(node);
  std::vector<int> stages;
  for (const Instance& instance : timeline_.instances(node)) {
    if (instance.entry < 0 || is_computation(instance.start) == is_paged) continue;
    stages.push_back(stage_of(instance.start));
  }
  return stages;
}

/// A node a few edges away, of which a copy may be made; -1 if none was drawn.
int TimelineMoves::pick_relative(int node) {
  const Graph& graph = timeline_.costs().graph();
  int at = node;
  for (int steps = 1 + random_.below(kFarthestRelative); steps > 0; --steps) {
    const std::vector<int>& next = random_.below(2) == 0 ? graph.nodes[at].inputs : graph.users[at];
    if (!next.empty()) at = next[random_.below(static_cast<int>(next.size()))];
  }
  return at == node || !timeline_.costs().nodes[at].page ? -1 : at;
}

/// A node that has a copy; -1 if none was drawn.
int TimelineMoves::pick_open_copy() {
  for (int tries = 0; tries < kClosers; ++tries) {
    const Entry* const picked = pick_entry();
    if (picked != nullptr && timeline_.is_paged(picked->node)) return picked->node;
  }
  return -1;
}

}  // namespace poet
