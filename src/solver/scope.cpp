#include "solver/scope.hpp"

#include <algorithm>

namespace poet {
namespace {

/// Windows by descending index: a node's users are settled before it.
void find_windows(const Graph& graph, Scope& scope) {
  for (int i = graph.size() - 1; i >= 0; --i) {
    scope.last_use[i] = i;
    scope.last_first_use[i] = i;
    for (const int j : graph.users[i]) {
      const int last_computed = scope.recompute[j] ? std::max(j, scope.last_use[j]) : j;
      scope.last_use[i] = std::max(scope.last_use[i], last_computed);
      scope.last_first_use[i] = std::max(scope.last_first_use[i], j);
    }
  }
}

}  // namespace

Scope make_scope(const Problem& problem, bool collapse_forward, Joules extra_energy) {
  const Graph& graph = problem.graph;
  const auto size = graph.nodes.size();
  Scope scope{.recompute = std::vector<bool>(size),
              .page = std::vector<bool>(size),
              .last_use = std::vector<int>(size),
              .last_first_use = std::vector<int>(size)};
  const bool has_backward = graph.first_backward < graph.size();
  scope.first_stage = collapse_forward && has_backward ? graph.first_backward : 0;
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    const bool used = !graph.users[i].empty();
    scope.recompute[i] = problem.limits.remat && used && node.energy_joules <= extra_energy;
  }
  find_windows(graph, scope);
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    const Joules cost = node.page_in_energy_joules + node.page_out_energy_joules;
    // Written in i+1, read back from i+2, used from i+3 on.
    const bool in_time = scope.last_use[i] >= i + 3;
    scope.page[i] = problem.limits.paging && in_time && cost <= extra_energy;
  }
  return scope;
}

}  // namespace poet
