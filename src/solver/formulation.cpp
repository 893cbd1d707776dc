#include "solver/formulation.hpp"

#include <fmt/format.h>

#include "solver/constraints.hpp"

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
    model_.resident(t, i) = kept ? Quantity::one() : column("S", t, i);
    if (scope().can_recompute(t, i)) model_.compute(t, i) = column("R", t, i, node.energy_joules);
    if (!scope().page[i]) return;
    if (t >= i + 2 && t <= scope().last_page_in[i]) {
      model_.page_in(t, i) = column("I", t, i, node.page_in_energy_joules);
    }
    if (scope().collapsed()) {
      make_link_column(t, i);
    } else {
      make_storage_columns(t, i);
    }
  }

  /// Storage is a state that only grows: Q[t,i] is implied to be 0 or 1 by the page-outs.
  void make_storage_columns(int t, int i) {
    const double cost = graph_.nodes[i].page_out_energy_joules;
    if (t < scope().last_page_in[i]) model_.page_out(t, i) = column("O", t, i, cost);
    if (t < i + 2) return;
    model_.stored(t, i) = column("Q", t, i);
    model_.milp.columns[model_.stored(t, i).columns[0]].integer = false;
  }

  /// Up to two stages after birth, or in the first stage, nothing can have been paged in.
  void make_link_column(int t, int i) {
    const bool before_any_page_in = t <= i + 2 || t == scope().first_stage;
    model_.unpaged(t, i) = before_any_page_in ? model_.resident(t, i) : column("K", t, i);
    if (!before_any_page_in) model_.milp.columns.back().integer = false;
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

  /// H is S[t+1,i] itself where neither a page-in nor a page-out can make the two differ.
  Quantity end_of_chain(int t, int i, const Quantity& available, bool unused) {
    if (unused) return available;  // nothing frees it
    const bool has_next = t + 1 < graph_.size();
    const Quantity next = has_next ? model_.resident(t + 1, i) : Quantity::zero();
    const bool paging = !model_.page_in(t, i).is_zero() || !model_.page_out(t, i).is_zero();
    return paging ? column("H", t, i) : next;
  }

  Formulation& model_;
  const Graph& graph_;
};

}  // namespace

Quantity Formulation::available(int t, int i) const {
  const Quantity& held = resident(t, i);
  const Quantity& computed = compute(t, i);
  if (held.is_zero()) return computed;
  if (computed.is_zero()) return held;
  return {.columns = {held.columns[0], computed.columns[0]}};
}

Formulation formulate(const Problem& problem, const Scope& scope, const Techniques& techniques) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  Formulation model{.scope = scope,
                    .resident = QuantityGrid(size),
                    .compute = QuantityGrid(size),
                    .page_in = QuantityGrid(size),
                    .page_out = QuantityGrid(size),
                    .stored = QuantityGrid(size),
                    .unpaged = QuantityGrid(size)};
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
  if (techniques.page_out_link) add_page_out_link(model);
  add_memory(model, graph, problem.limits.ram_budget_bytes, techniques);
  add_runtime(model, graph, problem.limits.runtime_budget_seconds);
  return model;
}

}  // namespace poet
