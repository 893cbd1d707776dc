#include "solver/formulation/useful_windows.hpp"

#include <algorithm>
#include <limits>

namespace poet {
namespace {

constexpr Joules kNever = std::numeric_limits<double>::infinity();
constexpr int kRowsPerComputation = 2;  // the rounded sub-row stands beside the full one

/// D_t(i) for every i < t: zero if t or a later stage reads i in a first computation, else the
/// energy of the cheapest chain of recomputations from a user of i to such a computation.
std::vector<Joules> usefulness(const Problem& problem, int t) {
  const Graph& graph = problem.graph;
  std::vector<Joules> chain(t, kNever);
  for (int i = t - 1; i >= 0; --i) {
    for (const int j : graph.users[i]) {
      if (j >= t) {
        chain[i] = 0;
      } else if (problem.limits.remat && graph.last_stage[j] >= t) {
        chain[i] = std::min(chain[i], graph.nodes[j].energy_joules + chain[j]);
      }
    }
  }
  return chain;
}

/// D_t(i) only grows with t, so the windows are intervals.
void find_windows(const Problem& problem, Joules extra_energy, UsefulWindows& windows) {
  const Graph& graph = problem.graph;
  for (int t = 1; t < graph.size(); ++t) {
    const std::vector<Joules> chain = usefulness(problem, t);
    for (int i = 0; i < t; ++i) {
      const Node& node = graph.nodes[i];
      const auto affordable = [&](Joules own) {
        return chain[i] < kNever && own + chain[i] <= extra_energy;
      };
      if (affordable(0)) windows.last_use[i] = t;
      if (graph.last_stage[i] >= t && affordable(node.energy_joules)) {
        windows.last_recompute[i] = t;
      }
      if (affordable(node.page_in_energy_joules + node.page_out_energy_joules)) {
        windows.last_page_in[i] = t - 1;
      }
    }
  }
}

}  // namespace

UsefulWindows useful_windows(const Problem& problem, bool collapse_forward, Joules extra_energy) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  UsefulWindows windows{.recompute = std::vector<bool>(size), .page = std::vector<bool>(size)};
  const bool has_backward = graph.first_backward < size;
  windows.first_stage = collapse_forward && has_backward ? graph.first_backward : 0;
  for (int i = 0; i < size; ++i) windows.last_use.push_back(i);
  windows.last_recompute = windows.last_use;
  windows.last_page_in = windows.last_use;
  find_windows(problem, extra_energy, windows);
  for (int i = 0; i < size; ++i) {
    windows.last_first_use.push_back(last_use(graph, i));
    windows.recompute[i] = problem.limits.remat && windows.last_recompute[i] > i;
    // Written in i+1 at the earliest, so read back from i+2 on.
    windows.page[i] =
        problem.limits.paging && graph.nodes[i].page && windows.last_page_in[i] >= i + 2;
  }
  return windows;
}

ExpectedSize expected_size(const Graph& graph, const UsefulWindows& windows) {
  constexpr std::int64_t kPerResidency = 5;  // rows of a tensor in a stage, and of its user there
  constexpr std::int64_t kPerUser = 6;
  ExpectedSize size;
  for (int t = windows.first_stage; t < graph.size(); ++t) {
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
    size.nonzeros += computable * terms * kRowsPerComputation;
    size.on_demand += terms * kRowsPerComputation;
  }
  return size;
}

}  // namespace poet
