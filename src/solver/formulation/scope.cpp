#include "solver/formulation/scope.hpp"

#include <algorithm>
#include <limits>

namespace poet {
namespace {

constexpr Joules kNever = std::numeric_limits<double>::infinity();

/// D_t(i) for every i < t: zero where t or a later stage reads i in a first computation, else the
/// energy of the cheapest chain of recomputations from a user of i to such a computation.
std::vector<Joules> usefulness(const Problem& problem, int t) {
  const Graph& graph = problem.graph;
  std::vector<Joules> chain(t, kNever);
  for (int i = t - 1; i >= 0; --i) {
    for (const int j : graph.users[i]) {
      if (j >= t) {
        chain[i] = 0;
      } else if (problem.limits.remat) {
        chain[i] = std::min(chain[i], graph.nodes[j].energy_joules + chain[j]);
      }
    }
  }
  return chain;
}

/// Usefulness only falls with t, so that the windows are intervals.
void find_windows(const Problem& problem, Joules extra_energy, Scope& scope) {
  const Graph& graph = problem.graph;
  for (int t = 1; t < graph.size(); ++t) {
    const std::vector<Joules> chain = usefulness(problem, t);
    for (int i = 0; i < t; ++i) {
      const Node& node = graph.nodes[i];
      const auto affordable = [&](Joules own) {
        return chain[i] < kNever && own + chain[i] <= extra_energy;
      };
      if (affordable(0)) scope.last_use[i] = t;
      if (affordable(node.energy_joules)) scope.last_recompute[i] = t;
      if (affordable(node.page_in_energy_joules + node.page_out_energy_joules)) {
        scope.last_page_in[i] = t - 1;
      }
    }
  }
}

}  // namespace

Scope make_scope(const Problem& problem, bool collapse_forward, Joules extra_energy) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  Scope scope{.recompute = std::vector<bool>(size), .page = std::vector<bool>(size)};
  const bool has_backward = graph.first_backward < size;
  scope.first_stage = collapse_forward && has_backward ? graph.first_backward : 0;
  for (int i = 0; i < size; ++i) scope.last_use.push_back(i);
  scope.last_recompute = scope.last_use;
  scope.last_page_in = scope.last_use;
  find_windows(problem, extra_energy, scope);
  for (int i = 0; i < size; ++i) {
    scope.last_first_use.push_back(graph.users[i].empty() ? i : graph.users[i].back());
    scope.recompute[i] = problem.limits.remat && scope.last_recompute[i] > i;
    // Written in i+1 at the earliest, so read back from i+2 on.
    scope.page[i] = problem.limits.paging && scope.last_page_in[i] >= i + 2;
  }
  return scope;
}

}  // namespace poet
