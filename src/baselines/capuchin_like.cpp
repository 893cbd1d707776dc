// Swap while transfers hide behind computations, then recompute what is cheap: Peng et al.,
// "Capuchin: Tensor-based GPU Memory Management for Deep Learning", ASPLOS 2020, section 4. The
// accesses of every tensor in one training step are known. Two in a row, at stages a and b, leave
// it idle for the time of the stages between; its free time is that less the time to move it out
// and in. As long as more RAM is needed at the moment of the peak, of the tensors that are idle
// then
//
//   1. that with the most free time is swapped, if it is not negative: the transfers hide;
//   2. else the one that gives up the most bytes for each second that it costs (the paper's MSPS):
//      a swap costs the part of its transfers that does not hide, a recomputation its time and that
//      of all that has been dropped before and is needed for it.
//
// The paper measures accesses in a first training step that pages on demand; we take them from the
// baseline. It moves the start of a prefetch by feedback; here a swap-in belongs to the stage
// before the access, or to the last one between that computes for long enough if transfers overlap
// with computations. It counts what it saves; we replay after each choice until the budget is met.
// Candidates do not wait for each other's transfers.

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "baselines/method.hpp"
#include "baselines/residency.hpp"

namespace poet {
namespace {

/// A tensor between two accesses.
struct AccessGap {
  int node = 0;
  int from = 0;  ///< the stage of the earlier access
  int to = 0;    ///< the stage of the later one
  bool may_swap = false;
  bool may_recompute = false;
  Seconds free_time = 0;  ///< what is left of the idle time when the tensor has been moved twice
};

/// What is done about a gap, and what it costs.
struct Regeneration {
  int gap = -1;
  bool is_swap = false;
};

class SwapPlanner {
 public:
  explicit SwapPlanner(const Problem& problem)
      : graph_(problem.graph),
        limits_(problem.limits),
        residency_(keep_everything(graph_)),
        copied_in_(graph_.size(), -1) {
    find_gaps();
  }

  Attempt run() {
    Attempt attempt{.schedule = baseline(graph_).schedule, .reason = {}, .parameter = {}};
    Replay replay = simulate(graph_, *attempt.schedule, limits_);
    while (replay.peak_ram_bytes > limits_.ram_budget_bytes) {
      const auto peak =
          std::max_element(replay.stage_peak_ram_bytes.begin(), replay.stage_peak_ram_bytes.end());
      const Regeneration next =
          choose(static_cast<int>(peak - replay.stage_peak_ram_bytes.begin()));
      if (next.gap < 0) break;
      std::optional<Schedule> schedule = apply(next);
      if (!schedule) continue;
      attempt.schedule = std::move(schedule);
      replay = simulate(graph_, *attempt.schedule, limits_);
      ++(next.is_swap ? swaps_ : recomputations_);
    }
    attempt.parameter = fmt::format("{} swaps, {} recomputations", swaps_, recomputations_);
    return attempt;
  }

 private:
  void find_gaps() {
    const std::vector<bool> droppable = can_be_dropped(graph_);
    std::vector<Seconds> until(graph_.size() + 1, 0);  // the start of each stage
    for (int t = 0; t < graph_.size(); ++t) {
      until[t + 1] = until[t] + graph_.nodes[t].runtime_seconds;
    }
    for (int i = 0; i < graph_.size(); ++i) {
      const Node& node = graph_.nodes[i];
      int before = i;
      for (const int use : graph_.users[i]) {
        AccessGap gap{.node = i, .from = before, .to = use};
        before = use;
        gap.may_swap = node.page && gap.to - 1 >= first_away(gap);
        gap.may_recompute = droppable[i] && gap.to > gap.from + 1;
        gap.free_time =
            until[gap.to] - until[gap.from + 1] - node.page_out_seconds - node.page_in_seconds;
        if (node.bytes > 0 && (gap.may_swap || gap.may_recompute)) gaps_.push_back(gap);
      }
    }
  }

  /// The first stage without a tensor that is swapped: its own stage cannot write it yet.
  static int first_away(const AccessGap& gap) { return std::max(gap.from + 1, gap.node + 2); }

  bool swap_helps(const AccessGap& gap, int stage) const {
    return gap.may_swap && stage >= first_away(gap) && stage < gap.to;
  }
  static bool recomputation_helps(const AccessGap& gap, int stage) {
    return gap.may_recompute && stage > gap.from && stage < gap.to;
  }

  /// What to do about the peak in this stage.
  Regeneration choose(int stage) const {
    Regeneration best;
    Seconds most_free = 0;
    for (int g = 0; g < static_cast<int>(gaps_.size()); ++g) {
      const AccessGap& gap = gaps_[g];
      if (!swap_helps(gap, stage) || gap.free_time < 0) continue;
      if (best.gap >= 0 && gap.free_time <= most_free) continue;
      best = {.gap = g, .is_swap = true};
      most_free = gap.free_time;
    }
    if (best.gap >= 0) return best;
    double most_saved = 0;  // bytes per second
    const auto consider = [&](int g, bool is_swap, Seconds cost) {
      const double saved = cost > 0 ? static_cast<double>(graph_.nodes[gaps_[g].node].bytes) / cost
                                    : std::numeric_limits<double>::infinity();
      if (best.gap >= 0 && saved <= most_saved) return;
      best = {.gap = g, .is_swap = is_swap};
      most_saved = saved;
    };
    for (int g = 0; g < static_cast<int>(gaps_.size()); ++g) {
      if (swap_helps(gaps_[g], stage)) consider(g, true, -gaps_[g].free_time);
      if (recomputation_helps(gaps_[g], stage)) consider(g, false, recomputation_seconds(gaps_[g]));
    }
    return best;
  }

  /// The time to compute a tensor again at the end of its gap, with all that is not there by then.
  Seconds recomputation_seconds(const AccessGap& gap) const {
    const std::vector<bool>& held = residency_.held[gap.to];
    std::vector<bool> computed(graph_.size());
    computed[gap.node] = true;
    Seconds sum = 0;
    for (int j = gap.node; j >= 0; --j) {
      if (!computed[j]) continue;
      sum += graph_.nodes[j].runtime_seconds;
      for (const int input : graph_.nodes[j].inputs) {
        if (!held[input]) computed[input] = true;
      }
    }
    return sum;
  }

  /// Changes the residency, and takes the gap from the candidates. Nothing, and no change, if no
  /// schedule has such a residency.
  std::optional<Schedule> apply(const Regeneration& choice) {
    const AccessGap gap = gaps_[choice.gap];
    gaps_.erase(gaps_.begin() + choice.gap);
    Residency changed = residency_;
    int copied_in = copied_in_[gap.node];
    if (choice.is_swap) {
      const int away = first_away(gap);
      const int back = page_in_stage(gap, away);
      changed.drop(gap.node, away, back);
      changed.page_in[back].push_back(gap.node);
      // One copy, made before the first time that the tensor is away.
      if (copied_in >= 0) std::erase(changed.page_out[copied_in], gap.node);
      copied_in = copied_in < 0 ? away - 1 : std::min(copied_in, away - 1);
      changed.page_out[copied_in].push_back(gap.node);
    } else {
      changed.drop(gap.node, gap.from + 1, gap.to);
    }
    std::optional<Schedule> schedule = schedule_of(graph_, changed);
    if (!schedule) return std::nullopt;
    residency_ = std::move(changed);
    copied_in_[gap.node] = copied_in;
    std::erase_if(gaps_, [&](const AccessGap& other) {
      return other.node == gap.node && other.from == gap.from;
    });
    return schedule;
  }

  int page_in_stage(const AccessGap& gap, int away) const {
    if (limits_.paging_time != PagingTime::overlapped) return gap.to - 1;
    for (int t = gap.to - 1; t >= away; --t) {
      if (graph_.nodes[t].runtime_seconds >= graph_.nodes[gap.node].page_in_seconds) return t;
    }
    return gap.to - 1;
  }

  const Graph& graph_;
  const Limits& limits_;
  Residency residency_;
  std::vector<int> copied_in_;  ///< by node: the stage that writes its copy, or -1
  std::vector<AccessGap> gaps_;
  int swaps_ = 0;
  int recomputations_ = 0;
};

}  // namespace

Attempt capuchin_like(const Problem& problem) {
  return SwapPlanner(problem).run();
}

}  // namespace poet
