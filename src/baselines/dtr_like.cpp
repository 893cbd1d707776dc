// Eviction on demand: Kirisame et al., "Dynamic Tensor Rematerialization", ICLR 2021, section 3.
// RAM is a cache of tensors. When an operator has no room, the tensor t with the least
//
//   h(t) = (c(t) + sum of c over the evicted neighbourhood of t) / (m(t) * staleness(t))
//
// is evicted: c is the time to compute, m the size, staleness the time since the last use, and the
// evicted neighbourhood all evicted tensors that t is computed from, or that are computed from t,
// over evicted ones only. What is missing later is computed again, and cached as well. A tensor
// that the program is done with is evicted at once (the paper's eager eviction).
//
// The paper evicts in the middle of a rematerialisation. In our stages a tensor that no computation
// of a stage reads goes before the stage, and one that is read goes after its last use, so that
// what a stage needs is known beforehand: evictions are decided for one operator of the program at
// a time, with all that it has computed again. If tensors may not be computed again, or not at the
// time, they stay.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "baselines/method.hpp"
#include "baselines/residency.hpp"
#include "poet/suggest_schedule.hpp"

namespace poet {
namespace {

/// Of a suggestion: a tenth of a second to half a one.
constexpr std::int64_t kMostWork = 50'000'000;

class TensorCache {
 public:
  /// `most_work` is a limit in looks at nodes: a count, so that every machine gives up alike.
  TensorCache(const Problem& problem, std::int64_t most_work)
      : graph_(problem.graph),
        limits_(problem.limits),
        droppable_(can_be_dropped(graph_)),
        needed_until_(needed_until(graph_)),
        cached_(graph_.size()),
        last_use_time_(graph_.size(), 0),
        work_left_(most_work),
        residency_(graph_) {}

  /// Nothing if the work exceeds its limit.
  std::optional<Schedule> run() {
    for (int t = 0; t < graph_.size() && work_left_ > 0; ++t) execute(t);
    if (work_left_ <= 0) return std::nullopt;
    return schedule_of(graph_, residency_);
  }

 private:
  /// What a stage would do now.
  struct CacheStep {
    std::vector<bool> computed;
    std::vector<bool> read;
    std::vector<bool> after;  ///< cached when it is over
    Bytes peak = 0;
  };

  void execute(int t) {
    std::vector<bool> dropped(graph_.size());  // after its use in this stage
    stage_ = t;
    CacheStep step = next_step(t, dropped);
    while (step.peak > limits_.ram_budget_bytes && work_left_ > 0) {
      const int victim = cheapest(t, step, dropped);
      if (victim < 0) break;  // out of memory; the replay will say by how much
      if (cached_[victim] && !step.read[victim]) {
        cached_[victim] = false;
      } else {
        dropped[victim] = true;
      }
      step = next_step(t, dropped);
    }
    for (int i = 0; i < graph_.size(); ++i) {
      if (cached_[i]) residency_.hold(i, t, t);
      if (step.computed[i]) now_ += graph_.nodes[i].runtime_seconds;
    }
    for (int i = 0; i < graph_.size(); ++i) {
      if (step.computed[i] || step.read[i]) last_use_time_[i] = now_;
    }
    cached_ = step.after;
  }

  /// Whether stage t or a later one reads the tensor even if nothing else is evicted.
  bool is_live(int node, int t) const {
    const int until = is_computed_once(graph_, node) ? needed_until_[node] : last_use(graph_, node);
    return until > t;
  }

  CacheStep next_step(int t, const std::vector<bool>& dropped) {
    work_left_ -= graph_.size();
    CacheStep step{.computed = std::vector<bool>(graph_.size()),
                   .read = std::vector<bool>(graph_.size()),
                   .after = std::vector<bool>(graph_.size())};
    step.computed[t] = true;
    for (int j = t; j >= 0; --j) {
      if (!step.computed[j]) continue;
      for (const int input : graph_.nodes[j].inputs) {
        step.read[input] = true;
        if (!cached_[input]) step.computed[input] = true;
      }
    }
    for (int i = 0; i <= t; ++i) {
      step.after[i] = (cached_[i] || step.computed[i]) && !dropped[i] && is_live(i, t);
    }
    step.peak = peak_of(step);
    return step;
  }

  /// Rule 5 of docs/schedule-format.md, for one stage.
  Bytes peak_of(const CacheStep& step) const {
    std::vector<int> uses(graph_.size(), 0);
    Bytes held = 0;
    for (int i = 0; i < graph_.size(); ++i) {
      if (cached_[i]) held += graph_.nodes[i].bytes;
      if (!step.computed[i]) continue;
      for (const int input : graph_.nodes[i].inputs) ++uses[input];
    }
    Bytes peak = held;
    for (int j = 0; j < graph_.size(); ++j) {
      if (!step.computed[j]) continue;
      const Node& node = graph_.nodes[j];
      held += node.bytes;
      const auto goes = [&](int input) { return uses[input] == 1 && !step.after[input]; };
      const bool takes_over = node.in_place && goes(*node.in_place);
      peak = std::max(peak, held + node.workspace_bytes - (takes_over ? node.bytes : 0));
      for (const int input : node.inputs) {
        if (goes(input)) held -= graph_.nodes[input].bytes;
        --uses[input];
      }
    }
    return peak;
  }

  /// The tensor with the least h that may go; -1 if none may.
  int cheapest(int t, const CacheStep& step, const std::vector<bool>& dropped) {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < t; ++i) {
      const bool is_there = cached_[i] || step.computed[i];
      // One that the stage reads goes after its use, if it has not been told to already.
      const bool may_go = step.read[i] || !cached_[i] ? step.after[i] && !dropped[i] : true;
      if (!is_there || !may_go || !droppable_[i] || graph_.nodes[i].bytes == 0) continue;
      const double h = heuristic(i);
      if (best >= 0 && h >= least) continue;
      best = i;
      least = h;
    }
    return best;
  }

  double heuristic(int node) {
    const double staleness = now_ - last_use_time_[node];
    const double cost = graph_.nodes[node].runtime_seconds + neighbourhood_seconds(node);
    const double weight = static_cast<double>(graph_.nodes[node].bytes) * staleness;
    return weight > 0 ? cost / weight : std::numeric_limits<double>::infinity();
  }

  /// The time to compute the evicted neighbourhood.
  Seconds neighbourhood_seconds(int node) {
    std::vector<bool> seen(graph_.size());
    return evicted_seconds(
               node, seen, [&](int i) -> const auto& { return graph_.nodes[i].inputs; }) +
           evicted_seconds(
               node, seen, [&](int i) -> const auto& { return graph_.users[i]; });
  }

  template <typename Neighbours>
  Seconds evicted_seconds(int node, std::vector<bool>& seen, Neighbours neighbours) {
    Seconds sum = 0;
    std::vector<int> open{node};
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      work_left_ -= 1 + static_cast<std::int64_t>(neighbours(i).size());
      for (const int next : neighbours(i)) {
        // A node that has not been computed yet is not evicted.
        if (seen[next] || cached_[next] || next >= stage_) continue;
        seen[next] = true;
        sum += graph_.nodes[next].runtime_seconds;
        open.push_back(next);
      }
    }
    return sum;
  }

  const Graph& graph_;
  const Limits& limits_;
  std::vector<bool> droppable_;
  std::vector<int> needed_until_;
  std::vector<bool> cached_;  ///< when the next stage starts
  std::vector<Seconds> last_use_time_;
  Seconds now_ = 0;
  int stage_ = 0;
  std::int64_t work_left_;
  Residency residency_;
};

}  // namespace

Attempt dtr_like(const Problem& problem) {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  return {.schedule = TensorCache(problem, kNoLimit).run(), .reason = {}, .parameter = {}};
}

std::optional<Schedule> suggest_schedule(const Problem& problem) {
  const std::int64_t size = problem.graph.size();
  // So many nodes take all of the work.
  if (!problem.limits.techniques.remat || size * size >= kMostWork) return std::nullopt;
  return TensorCache(problem, kMostWork).run();
}

}  // namespace poet
