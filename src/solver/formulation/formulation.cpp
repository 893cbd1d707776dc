#include "solver/formulation/formulation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "solver/formulation/constraints.hpp"

namespace poet {
namespace {

/// Makes the columns; the constraint families use them.
class ColumnMaker {
 public:
  ColumnMaker(Formulation& model, const Graph& graph) : model_(model), graph_(graph) {}

  void run() {
    make_paged();
    const int first = model_.scope.first_stage;
    for (int t = first; t < graph_.size(); ++t) {
      for (int i = 0; i <= t; ++i) make_stage_columns(t, i);
    }
    model_.chains.resize(graph_.size());
    for (int t = first; t < graph_.size(); ++t) {
      for (int i = 0; i < t; ++i) model_.chains[t].push_back(make_chain(t, i));
    }
  }

 private:
  const Scope& scope() const { return model_.scope; }

  Quantity column(const char* kind, int t, int i, double cost = 0) {
    return Quantity::of(
        model_.milp.add_column({.name = fmt::format("{}_{}_{}", kind, t, i), .cost = cost}));
  }

  void make_paged() {
    model_.paged.resize(graph_.size());
    if (!scope().collapsed()) return;
    for (int i = 0; i < graph_.size(); ++i) {
      if (!scope().page[i]) continue;
      model_.paged[i] = Quantity::of(model_.milp.add_column(
          {.name = fmt::format("P_{}", i), .cost = graph_.nodes[i].page_out_energy_joules}));
    }
  }

  void make_stage_columns(int t, int i) {
    const Node& node = graph_.nodes[i];
    if (i == t) {
      model_.compute(t, i) = Quantity::one();
      return;
    }
    if (t > scope().last_use[i]) return;
    const bool kept = scope().permanent(i) && t <= scope().last_first_use[i];
    model_.carried(t, i) = kept ? Quantity::one() : column("C", t, i);
    model_.resident(t, i) = model_.carried(t, i);
    if (t > 0 && i < t - 1) model_.resident(t, i) = model_.carried(t, i) + model_.page_in(t - 1, i);
    if (scope().can_recompute(t, i)) model_.compute(t, i) = column("R", t, i, node.energy_joules);
    if (!scope().page[i]) return;
    if (can_page_in(t, i)) model_.page_in(t, i) = column("I", t, i, node.page_in_energy_joules);
    if (!scope().collapsed()) make_storage_columns(t, i);
  }

  /// Where the copy can be there, the tensor can be absent, and the next stage can use it.
  bool can_page_in(int t, int i) const {
    if (t < i + 2 || t > scope().last_page_in[i]) return false;
    const std::vector<int>& users = graph_.users[i];
    if (std::binary_search(users.begin(), users.end(), t)) return false;
    return std::any_of(users.begin(), users.end(),
                       [&](int j) { return j <= t + 1 && scope().can_compute(t + 1, j); });
  }

  /// Storage is a state that only grows: Q[t,i] is implied to be 0 or 1 by the page-outs.
  void make_storage_columns(int t, int i) {
    const double cost = graph_.nodes[i].page_out_energy_joules;
    if (t < scope().last_page_in[i]) model_.page_out(t, i) = column("O", t, i, cost);
    if (t < i + 2) return;
    model_.stored(t, i) = column("Q", t, i);
    model_.milp.columns[model_.stored(t, i).columns[0]].integer = false;
  }

  HoldingChain make_chain(int t, int i) {
    HoldingChain chain;
    for (const int j : graph_.users[i]) {
      if (j <= t && scope().can_compute(t, j)) chain.users.push_back(j);
    }
    chain.held.resize(chain.users.size());
    const Quantity available = model_.available(t, i);
    if (available.is_zero()) return chain;
    if (!chain.users.empty() && chain.users.back() == t) {
      // The first computation of t reads i: it is there from its arrival to the stage's end.
      chain.held.assign(chain.users.size(), Quantity::one());
      chain.at_end = Quantity::one();
      return chain;
    }
    chain.at_end = end_of_chain(t, i, available, chain.users.empty());
    for (std::size_t q = 0; q < chain.held.size(); ++q) {
      if (chain.at_end.is_one()) {
        chain.held[q] = Quantity::one();
      } else if (q == 0) {
        chain.held[q] = available;
      } else {
        chain.held[q] = Quantity::of(
            model_.milp.add_column({.name = fmt::format("Z_{}_{}_{}", t, i, chain.users[q])}));
      }
    }
    return chain;
  }

  /// H is C[t+1,i] itself where no page-out can make the two differ.
  Quantity end_of_chain(int t, int i, const Quantity& available, bool unused) {
    if (unused) return available;  // nothing frees it
    if (!model_.page_out(t, i).is_zero()) return column("H", t, i);
    return t + 1 < graph_.size() ? model_.carried(t + 1, i) : Quantity::zero();
  }

  Formulation& model_;
  const Graph& graph_;
};

}  // namespace

Quantity operator+(Quantity a, const Quantity& b) {
  a.constant += b.constant;
  auto free = std::find(a.columns.begin(), a.columns.end(), -1);
  for (const int column : b.columns) {
    if (column >= 0) *free++ = column;
  }
  return a;
}

Quantity Formulation::available(int t, int i) const {
  return resident(t, i) + compute(t, i);
}

Formulation formulate(const Problem& problem, const Scope& scope, const Techniques& techniques) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  Formulation model{.scope = scope,
                    .carried = QuantityGrid(size),
                    .resident = QuantityGrid(size),
                    .compute = QuantityGrid(size),
                    .page_in = QuantityGrid(size),
                    .page_out = QuantityGrid(size),
                    .stored = QuantityGrid(size)};
  for (const Node& node : graph.nodes) model.milp.objective_offset += node.energy_joules;
  ColumnMaker(model, graph).run();
  add_availability(model, graph);
  add_holding_chains(model);
  add_hand_over(model);
  add_page_in_when_absent(model);
  add_storage(model);
  add_held_while_paged_out(model);
  add_no_idle_recomputation(model);
  add_late_page_in(model, graph);
  add_memory(model, graph, problem.limits.ram_budget_bytes, techniques);
  add_runtime(model, graph, problem.limits.runtime_budget_seconds);
  return model;
}

}  // namespace poet
