#include "solver/search/timeline_moves.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "solver/search/page_outs.hpp"

namespace poet {
namespace {

/// How to treat inputs that have gone: the share to recompute, and how many of them at most. The
/// last recomputes all that has gone, such as a whole chain of cheap layers. On a graph other than
/// a chain this costs as much time as a hundred other moves, and is tried rarely.
struct Depth {
  double share;
  int limit;
};
constexpr Depth kDepths[] = {{0.1, 6}, {0.5, 6}, {0.8, 6}, {0.97, 40}, {1, 100}};
constexpr int kDeepest = 16;   // one in so many goes that far
constexpr int kNear = 8;       // stages that an entry is shifted by
constexpr int kNearStage = 6;  // and a whole stage
constexpr int kMaxGroup = 64;  // recomputations of a stage that move together
constexpr int kAlone = 4;      // one addition in so many takes neighbours along
constexpr int kMaxNeighbours = 4;
constexpr int kNeighbourhood = 10;  // how far apart, in nodes, they lie
constexpr int kPicks = 8;           // of an entry, until one lies in the window
constexpr int kAimed = 50;          // per cent of the additions
constexpr int kMoments = 8;         // of which the one with the most RAM is relieved
constexpr int kSoon = 8;            // stages after that moment
constexpr double kLeastPaged = 10;  // per cent of additions
constexpr double kMostPaged = 50;
constexpr int kPageOuts = 12;  // one move in so many, if their stage matters
constexpr int kCopies = 32;    // one move in so many, if copies may be made
constexpr int kStages = 4;     // of which the one with the most time for a page-out is taken

}  // namespace

TimelineMoves::TimelineMoves(Timeline& timeline, Random& random)
    : timeline_(timeline), random_(random) {
  for (const NodeCosts& node : timeline.costs().nodes) {
    const auto computed = static_cast<double>(node.energy);
    const auto paged = static_cast<double>(node.page_in_energy + node.page_out_energy);
    const double percent = paged > 0 ? kMostPaged * computed / paged : kMostPaged;
    page_percent_.push_back(static_cast<int>(std::clamp(percent, kLeastPaged, kMostPaged)));
  }
  set_window({0, timeline.size() - 1});
}

void TimelineMoves::set_window(StageWindow window) {
  window_ = window;
  nodes_.clear();
  for (int k = 0; k < timeline_.size() && k <= window.last; ++k) {
    const std::vector<int>& users = timeline_.costs().graph().users[k];
    if (users.empty() || users.back() < k + 2) continue;
    const NodeCosts& node = timeline_.costs().nodes[k];
    if (node.last_stage < std::max(k + 2, window.first) && !node.page) continue;
    // Beyond its last use, a node is wanted only if a user of it is computed again.
    if (users.back() >= window.first || timeline_.instances(k).size() > 1) nodes_.push_back(k);
  }
}

bool TimelineMoves::propose(double affordable) {
  affordable_ = affordable;
  const bool overlapped = timeline_.costs().paging_time == PagingTime::overlapped;
  if (overlapped && random_.below(kPageOuts) == 0) return shift_page_out();
  if (random_.below(kCopies) == 0) return change_copy();
  // Shares of the kinds of moves, in per cent; the rest shifts whole stages.
  static constexpr std::pair<int, bool (TimelineMoves::*)()> kKinds[] = {
      {40, &TimelineMoves::add_or_relieve},
      {18, &TimelineMoves::remove_some},
      {22, &TimelineMoves::shift_some},
      {15, &TimelineMoves::swap_some}};
  int draw = random_.below(100);
  for (const auto& [percent, move] : kKinds) {
    if ((draw -= percent) < 0) return (this->*move)();
  }
  return shift_stage();
}

bool TimelineMoves::add_or_relieve() {
  return random_.below(100) < kAimed ? relieve_some() : add_some();
}

/// How many of the additions of a node are by paging if it could be computed as well.
int TimelineMoves::page_percent(int node) const {
  return paging_by_cost_ ? page_percent_[node] : static_cast<int>(kMostPaged);
}

bool TimelineMoves::add_some() {
  if (nodes_.empty()) return false;
  const int node = nodes_[random_.below(static_cast<int>(nodes_.size()))];
  const NodeCosts& costs = timeline_.costs().nodes[node];
  const bool can_compute = costs.last_stage >= node + 2;
  if (costs.page && (!can_compute || random_.below(100) < page_percent(node))) {
    const int stage = stage_of_some_use(node);
    return window_.has(stage) && add(node, stage, true);
  }
  const std::vector<Instance>& list = timeline_.instances(node);
  const Instance& instance = list[random_.below(static_cast<int>(list.size()))];
  const int stage = pick_stage(node, instance.start, instance.end);
  if (stage < 0 || !add(node, stage, false)) return false;
  if (random_.below(kAlone) == 0) add_neighbours(node, stage);
  return true;
}

/// Frees the RAM of a tensor that lies idle at a moment of much RAM. It comes back for its next
/// use, soon after that moment, or at some time between.
bool TimelineMoves::relieve_some() {
  const RamProfile& ram = timeline_.ram();
  const int event = pick_high_event();
  const int stage = ram.stage_of_event(event);
  const int computed = ram.node(event);
  const Position at = computation(stage, computed);
  for (int tries = 0; tries < kPicks; ++tries) {
    const int node = random_.below(stage + 1);
    const std::vector<Instance>& list = timeline_.instances(node);
    if (list[0].start >= at || list[timeline_.find(node, at)].end <= at) continue;
    const std::vector<int>& inputs = timeline_.costs().graph().nodes[computed].inputs;
    if (std::binary_search(inputs.begin(), inputs.end(), node)) return false;
    const Position end = list[timeline_.find(node, at)].end;
    const int use = stage_of(std::min(end, timeline_.next_use(node, at).value_or(end)));
    const NodeCosts& costs = timeline_.costs().nodes[node];
    const bool can_compute = costs.last_stage >= node + 2;
    if (costs.page && (!can_compute || random_.below(100) < page_percent(node))) {
      return window_.has(use) && add(node, use, true);
    }
    const int first = std::max(stage + (computed < node ? 0 : 1), node + 2);
    const int last = std::min(use, window_.last);
    if (first > last) return false;
    int back = last;
    const int draw = random_.below(4);
    if (draw >= 2) {
      const int stages = last - first + 1;
      back = first + random_.below(draw == 2 ? std::min(kSoon, stages) : stages);
    }
    if (!add(node, back, false)) return false;
    if (random_.below(kAlone) == 0) add_neighbours(node, back);
    return true;
  }
  return false;
}

/// Computes nodes that lie close to `node` in the order again as well: what is held for long is
/// often worth giving up only together.
void TimelineMoves::add_neighbours(int node, int stage) {
  for (int more = 1 + random_.below(kMaxNeighbours); more > 0; --more) {
    const int distance = 1 + random_.below(kNeighbourhood);
    const int other = node + (random_.below(2) == 0 ? distance : -distance);
    if (other < 0 || other >= timeline_.size()) continue;
    if (timeline_.may_compute(other, stage)) add(other, stage, false);
  }
}

bool TimelineMoves::remove_some() {
  const Entry* const picked = pick_entry();
  if (picked == nullptr) return false;
  timeline_.remove(Entry(*picked));
  return true;
}

bool TimelineMoves::shift_some() {
  const Entry* const picked = pick_entry();
  if (picked == nullptr) return false;
  if (is_stage_end(picked->at)) return shift_page_out();
  const Entry entry = *picked;
  const int node = entry.node;
  const bool paged = !is_computation(entry.at);
  const int before = timeline_.find(node, entry.at);
  const Position start = timeline_.instances(node)[before].start;
  const Position end = timeline_.instances(node)[before + 1].end;
  const int from = stage_of(entry.at);
  timeline_.remove(entry);
  const NodeCosts& costs = timeline_.costs().nodes[node];
  if (costs.page && costs.last_stage >= node + 2 && random_.below(3) == 0) {
    return add(node, from, !paged);
  }
  if (random_.below(2) == 0) {
    const int distance = 1 + random_.below(kNear);
    const int stage = from + (random_.below(2) == 0 ? distance : -distance);
    const int first = std::max({stage_of(start) + 1, node + 2, window_.first});
    if (stage < first || stage > std::min(stage_of(end), window_.last)) return false;
    return add(node, stage, paged);
  }
  const int stage = pick_stage(node, start, end);
  return stage >= 0 && add(node, stage, paged);
}

/// An entry gives way to one of an input or a user, in the same stage.
bool TimelineMoves::swap_some() {
  const Entry* const picked = pick_entry();
  if (picked == nullptr) return false;
  const Entry entry = *picked;
  timeline_.remove(entry);
  if (is_stage_end(entry.at)) return true;
  const Graph& graph = timeline_.costs().graph();
  const auto pick = [&](const std::vector<int>& nodes) {
    return nodes[random_.below(static_cast<int>(nodes.size()))];
  };
  const int kind = random_.below(3);
  const std::vector<int>& inputs = graph.nodes[entry.node].inputs;
  const std::vector<int>& users = graph.users[entry.node];
  if (kind == 0 && !inputs.empty()) return add(pick(inputs), stage_of(entry.at), false);
  if (kind == 1 && !users.empty()) return add(pick(users), stage_of(entry.at), false);
  const auto add_any = [&] { return random_.below(2) == 0 ? relieve_some() : add_some(); };
  const bool added = add_any();
  if (random_.below(4) == 0) add_any();
  return added;
}

bool TimelineMoves::shift_stage() {
  const Entry* const picked = pick_entry();
  if (picked == nullptr) return false;
  const RamProfile& ram = timeline_.ram();
  const int from = stage_of(picked->at);
  if (ram.count(from) < 3) return shift_some();
  const int distance = 1 + random_.below(kNearStage);
  const int to = from + (random_.below(2) == 0 ? distance : -distance);
  if (!window_.has(to)) return false;
  std::vector<int> group;
  const int last = std::min(ram.first_of(from) + kMaxGroup, ram.first_of(from + 1) - 1);
  for (int event = ram.first_of(from); event < last; ++event) {
    if (!timeline_.may_compute(ram.node(event), to)) return false;
    group.push_back(ram.node(event));
  }
  for (const int node : group) timeline_.remove({node, computation(from, node)});
  for (const int node : group) timeline_.insert({node, computation(to, node)});
  return true;
}

/// The page-out of a paged node moves to another stage: in half of the cases to one that has the
/// tensor in RAM anyway.
bool TimelineMoves::shift_page_out() {
  const Entry* picked = pick_entry();
  for (int more = 1; more < kPicks && picked != nullptr; ++more) {
    if (timeline_.is_paged(picked->node)) break;
    picked = pick_entry();
  }
  if (picked == nullptr || !timeline_.is_paged(picked->node)) return false;
  const int node = picked->node;
  const int first = std::max(node + 1, window_.first);
  const bool free = random_.below(2) == 0;
  const int last = std::min(window_.last, free ? last_free_page_out(timeline_, node)
                                               : timeline_.last_page_out_stage(node));
  if (first > last) return false;
  const Units time = timeline_.costs().nodes[node].page_out_time;
  int best = first + random_.below(last - first + 1);
  for (int more = 1; more < kStages; ++more) {
    const int stage = first + random_.below(last - first + 1);
    if (timeline_.time_of_transfer(stage, time) < timeline_.time_of_transfer(best, time)) {
      best = stage;
    }
  }
  if (best == timeline_.page_out_stage(node)) return false;
  move_page_out(timeline_, node, best);
  return true;
}

/// An entry in the window; a few tries may find none.
const Entry* TimelineMoves::pick_entry() {
  const std::vector<Entry>& entries = timeline_.entries();
  for (int tries = 0; tries < kPicks && !entries.empty(); ++tries) {
    const Entry& entry = entries[random_.below(static_cast<int>(entries.size()))];
    if (window_.has(stage_of(entry.at))) return &entry;
  }
  return nullptr;
}

/// Of a few random computations in the window, the one with the most RAM.
int TimelineMoves::pick_high_event() {
  const RamProfile& ram = timeline_.ram();
  const int first = ram.first_of(window_.first);
  const int count = ram.first_of(window_.last + 1) - first;
  int highest = first + random_.below(count);
  for (int more = 1; more < kMoments; ++more) {
    const int event = first + random_.below(count);
    if (ram.ram(event) > ram.ram(highest)) highest = event;
  }
  return highest;
}

/// A stage for a new instance of a node within the lifetime of one that starts and ends there; -1
/// if there is no room. Often it is one in which something else happens to a relative.
int TimelineMoves::pick_stage(int node, Position start, Position end) {
  const int first = std::max({stage_of(start) + 1, node + 2, window_.first});
  const int last = std::min(stage_of(end), window_.last);
  if (first > last) return -1;
  const int near = stage_near_relative(node, first, last);
  return near >= 0 ? near : first + random_.below(last - first + 1);
}

/// The stage of a use, or that in which an input ends its life; -1 if neither was drawn or fits.
int TimelineMoves::stage_near_relative(int node, int first, int last) {
  const int draw = random_.below(10);
  if (draw < 4) {
    const int stage = stage_of_some_use(node);
    return first <= stage && stage <= last ? stage : last;
  }
  const std::vector<int>& inputs = timeline_.costs().graph().nodes[node].inputs;
  if (draw >= 6 || inputs.empty()) return -1;
  const int input = inputs[random_.below(static_cast<int>(inputs.size()))];
  const std::vector<Instance>& list = timeline_.instances(input);
  const int stage = stage_of(list[random_.below(static_cast<int>(list.size()))].end);
  return first <= stage && stage <= last ? stage : -1;
}

int TimelineMoves::stage_of_some_use(int node) {
  const std::vector<int>& users = timeline_.costs().graph().users[node];
  const std::vector<Instance>& list =
      timeline_.instances(users[random_.below(static_cast<int>(users.size()))]);
  return stage_of(list[random_.below(static_cast<int>(list.size()))].start);
}

bool TimelineMoves::add(int node, int stage, bool by_paging) {
  if (by_paging) {
    const Entry entry{node, stage_start(stage)};
    if (!timeline_.may_arrive(node, stage)) return false;
    if (timeline_.has({node, computation(stage, node)})) return false;
    if (is_hopeless(timeline_.energy_of(entry)) || !timeline_.insert(entry)) return false;
    hide_page_out(timeline_, node);
    return true;
  }
  draw_depth();
  return recompute(node, stage);
}

void TimelineMoves::draw_depth() {
  const int kinds = static_cast<int>(std::size(kDepths));
  const bool deepest = random_.below(kDeepest) == 0;
  const Depth& depth = kDepths[deepest ? kinds - 1 : random_.below(kinds - 1)];
  recompute_share_ = depth.share;
  recomputations_left_ = depth.limit;
}

/// Computes a node again and, of its inputs that have gone, some as well.
bool TimelineMoves::recompute(int node, int stage) {
  const Entry entry{node, computation(stage, node)};
  if (!timeline_.may_compute(node, stage) || is_hopeless(timeline_.energy_of(entry))) return false;
  if (timeline_.has(entry)) return false;
  for (const int input : timeline_.costs().graph().nodes[node].inputs) {
    if (recomputations_left_ <= 0) break;
    if (!timeline_.may_compute(input, stage)) continue;
    const int index = timeline_.find(input, entry.at);
    if (stage_of(timeline_.instances(input)[index].end) >= stage) continue;
    if (random_.uniform() >= recompute_share_) continue;
    --recomputations_left_;
    recompute(input, stage);
  }
  return timeline_.insert(entry);
}

bool TimelineMoves::is_hopeless(Units more) const {
  return static_cast<double>(timeline_.extra_energy() + more) > affordable_;
}

}  // namespace poet
