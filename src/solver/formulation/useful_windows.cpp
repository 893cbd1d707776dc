#include "solver/formulation/useful_windows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace poet {
namespace {

constexpr Joules kNever = std::numeric_limits<double>::infinity();

/// What tensors and computations lead to, stage by stage from the last one to the first.
class Usefulness {
 public:
  /// With `idle`, a recomputation may also be idle, and free what its stage writes out.
  Usefulness(const Problem& problem, bool idle)
      : problem_(problem), graph_(problem.graph), idle_(idle && idle_frees(problem)) {}

  /// Goes on to stage t, the one before the last that was asked for.
  void go_to(int t) {
    after_next_ = std::exchange(next_, std::move(held_));
    held_.assign(next_.begin(), next_.begin() + std::min<std::ptrdiff_t>(t, std::ssize(next_)));
    held_.resize(t, kNever);
    after_idle_.assign(t, kNever);
    if (idle_) find_idle(t);
    for (int i = t - 1; i >= 0; --i) {
      for (const int j : graph_.users[i]) {
        if (j >= t) {
          held_[i] = 0;
        } else if (may_recompute(t, j)) {
          held_[i] = std::min(held_[i], graph_.nodes[j].energy_joules + computed(j));
        }
      }
    }
  }

  /// D_t(i): zero if t or a later stage reads i in a first computation, else the energy of the
  /// cheapest series of recomputations and transfers that i is held for.
  Joules held(int i) const { return held_[i]; }
  /// G_t(i): the least further energy with which an idle recomputation of i in t frees what t
  /// writes out.
  Joules after_idle(int i) const { return after_idle_[i]; }
  /// What a recomputation in t leads to.
  Joules computed(int i) const { return std::min(held_[i], after_idle_[i]); }

 private:
  static bool idle_frees(const Problem& problem) {
    return problem.limits.techniques.remat && problem.limits.techniques.paging &&
           problem.limits.paging_time != PagingTime::overlapped;
  }

  bool may_recompute(int t, int j) const {
    return problem_.limits.techniques.remat && graph_.last_stage[j] >= t;
  }

  /// Of an idle recomputation: an input that is written out was computed again in the stage before
  /// and comes back later, or is itself an idle recomputation.
  void find_idle(int t) {
    for (int j = 0; j < t; ++j) {
      if (!may_recompute(t, j)) continue;
      for (const int i : graph_.nodes[j].inputs) {
        const Node& input = graph_.nodes[i];
        const auto reach = [&](Joules energy) {
          after_idle_[j] = std::min(after_idle_[j], energy);
        };
        if (may_recompute(t, i)) reach(input.energy_joules + after_idle_[i]);
        const bool written = i < t - 1 && input.page && may_recompute(t - 1, i);
        if (!written || i >= std::ssize(after_next_)) continue;
        reach(input.energy_joules + input.page_out_energy_joules + input.page_in_energy_joules +
              after_next_[i]);
      }
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  bool idle_;
  std::vector<Joules> held_;        // D_t, for i < t
  std::vector<Joules> next_;        // D_{t+1}
  std::vector<Joules> after_next_;  // D_{t+2}
  std::vector<Joules> after_idle_;  // G_t, for i < t
};

void find_windows(const Problem& problem, bool idle, Joules extra_energy,
                  const std::function<bool()>& stop, UsefulWindows& windows) {
  const Graph& graph = problem.graph;
  const auto affordable = [&](Joules own, Joules further) {
    return further < kNever && own + further <= extra_energy;
  };
  Usefulness useful(problem, idle);
  windows.idle_recompute.resize(graph.size());
  for (int t = graph.size() - 1; t > 0 && !(stop && stop()); --t) {
    useful.go_to(t);
    windows.idle_recompute[t].resize(t);
    for (int i = 0; i < t; ++i) {
      const Node& node = graph.nodes[i];
      const auto reach = [&](int& last, int stage) { last = std::max(last, stage); };
      if (affordable(0, useful.held(i))) reach(windows.last_use[i], t);
      if (graph.last_stage[i] >= t && affordable(node.energy_joules, useful.computed(i))) {
        reach(windows.last_recompute[i], t);
      }
      windows.idle_recompute[t][i] = affordable(node.energy_joules, useful.after_idle(i));
      const Joules paging = node.page_in_energy_joules + node.page_out_energy_joules;
      if (affordable(paging, useful.held(i))) reach(windows.last_page_in[i], t - 1);
    }
  }
}

}  // namespace

UsefulWindows useful_windows(const Problem& problem, bool collapse_forward, Joules extra_energy,
                             const std::function<bool()>& stop) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  UsefulWindows windows{.recompute = std::vector<bool>(size), .page = std::vector<bool>(size)};
  windows.first_stage = collapse_forward && graph.has_backward() ? graph.first_backward : 0;
  for (int i = 0; i < size; ++i) windows.last_use.push_back(i);
  windows.last_recompute = windows.last_use;
  windows.last_page_in = windows.last_use;
  find_windows(problem, !windows.collapsed(), extra_energy, stop, windows);
  for (int i = 0; i < size; ++i) {
    windows.last_first_use.push_back(last_use(graph, i));
    windows.recompute[i] = problem.limits.techniques.remat && windows.last_recompute[i] > i;
    // Written in i+1 at the earliest, so read back from i+2 on.
    windows.page[i] =
        problem.limits.techniques.paging && graph.nodes[i].page && windows.last_page_in[i] >= i + 2;
  }
  return windows;
}

ExpectedSize expected_size(const Graph& graph, const UsefulWindows& windows,
                           const std::function<bool()>& stop) {
  constexpr std::int64_t kPerResidency = 5;  // rows of a tensor in a stage, and of its user there
  constexpr std::int64_t kPerUser = 6;
  ExpectedSize size;
  for (int t = windows.first_stage; t < graph.size() && !(stop && stop()); ++t) {
    std::int64_t computable = 1;
    std::int64_t terms = 0;
    for (int i = 0; i < t; ++i) {
      if (windows.can_recompute(t, i)) ++computable;
      if (t > windows.last_use[i]) continue;
      ++terms;
      if (windows.page[i] && t > i + 2 && t - 1 <= windows.last_page_in[i]) ++terms;
      size.on_demand += kPerResidency;
      for (const int j : graph.users[i]) {
        if (j <= t && windows.can_compute(t, j)) size.on_demand += kPerUser;
      }
    }
    size.nonzeros += computable * terms;
    size.on_demand += terms;
  }
  return size;
}

}  // namespace poet
