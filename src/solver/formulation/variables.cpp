#include "solver/formulation/variables.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace poet {
namespace {

/// Makes the columns; the constraint families use them.
class ColumnMaker {
 public:
  ColumnMaker(Formulation& model, const Graph& graph) : model_(model), graph_(graph) {}

  void run() {
    make_paged();
    const int first = model_.windows.first_stage;
    for (int t = first; t < graph_.size(); ++t) {
      for (int i = 0; i <= t; ++i) make_stage_columns(t, i);
    }
    model_.chains.resize(graph_.size());
    for (int t = first; t < graph_.size(); ++t) {
      for (int i = 0; i < t; ++i) model_.chains[t].push_back(make_chain(t, i));
    }
  }

 private:
  const UsefulWindows& windows() const { return model_.windows; }

  BinaryExpression column(const char* kind, int t, int i, double cost = 0) {
    return BinaryExpression::of(
        model_.milp.add_column({.name = fmt::format("{}_{}_{}", kind, t, i), .cost = cost}));
  }

  void make_paged() {
    model_.paged.resize(graph_.size());
    if (!windows().collapsed()) return;
    for (int i = 0; i < graph_.size(); ++i) {
      if (!windows().page[i]) continue;
      model_.paged[i] = BinaryExpression::of(model_.milp.add_column(
          {.name = fmt::format("P_{}", i), .cost = graph_.nodes[i].page_out_energy_joules}));
    }
  }

  void make_stage_columns(int t, int i) {
    const Node& node = graph_.nodes[i];
    if (i == t) {
      model_.compute(t, i) = BinaryExpression::one();
      return;
    }
    if (windows().can_recompute(t, i)) model_.compute(t, i) = column("R", t, i, node.energy_joules);
    if (t > windows().last_use[i]) return;
    const bool kept = windows().permanent(i) && t <= windows().last_first_use[i];
    model_.carried(t, i) = kept ? BinaryExpression::one() : column("C", t, i);
    model_.resident(t, i) = model_.carried(t, i);
    if (t > 0 && i < t - 1) model_.resident(t, i) = model_.carried(t, i) + model_.page_in(t - 1, i);
    if (!windows().page[i]) return;
    if (can_page_in(t, i)) model_.page_in(t, i) = column("I", t, i, node.page_in_energy_joules);
    if (!windows().collapsed()) make_storage_columns(t, i);
  }

  /// True if a copy can exist, the tensor can be absent, and the next stage can use it.
  bool can_page_in(int t, int i) const {
    if (t < i + 2 || t > windows().last_page_in[i]) return false;
    const std::vector<int>& users = graph_.users[i];
    if (std::binary_search(users.begin(), users.end(), t)) return false;
    // A transfer beside computations may be early, to fill a stage that computes for long.
    if (model_.overlapped()) return true;
    return std::any_of(users.begin(), users.end(),
                       [&](int j) { return j <= t + 1 && windows().can_compute(t + 1, j); });
  }

  /// Storage is a state that only grows: Q[t,i] is implied to be 0 or 1 by the page-outs.
  void make_storage_columns(int t, int i) {
    const double cost = graph_.nodes[i].page_out_energy_joules;
    if (t < windows().last_page_in[i] && can_page_out(t, i)) {
      model_.page_out(t, i) = column("O", t, i, cost);
    }
    if (t < i + 2) return;
    model_.stored(t, i) = column("Q", t, i);
    model_.milp.columns[model_.stored(t, i).columns[0]].integer = false;
  }

  /// Right after a computation only: what was held through the stage before could have been written
  /// in it (add_early_page_out). Not so for a transfer beside computations, which takes its time in
  /// the one stage or in the other.
  bool can_page_out(int t, int i) const {
    return model_.overlapped() || t == i + 1 || windows().can_recompute(t - 1, i);
  }

  HoldingChain make_chain(int t, int i) {
    HoldingChain chain;
    for (const int j : graph_.users[i]) {
      if (j <= t && windows().can_compute(t, j)) chain.users.push_back(j);
    }
    chain.held.resize(chain.users.size());
    const BinaryExpression available = model_.available(t, i);
    if (available.is_zero()) return chain;
    if (!chain.users.empty() && chain.users.back() == t) {
      // The first computation of t reads i: it is there from its arrival to the stage's end.
      chain.held.assign(chain.users.size(), BinaryExpression::one());
      chain.at_end = BinaryExpression::one();
      chain.after_own = after_own(t, i);
      return chain;
    }
    chain.at_end = end_of_chain(t, i, available, chain.users.empty());
    for (std::size_t q = 0; q < chain.held.size(); ++q) {
      if (chain.at_end.is_one()) {
        chain.held[q] = BinaryExpression::one();
      } else if (q == 0) {
        chain.held[q] = available;
      } else {
        chain.held[q] = BinaryExpression::of(
            model_.milp.add_column({.name = fmt::format("Z_{}_{}_{}", t, i, chain.users[q])}));
      }
    }
    return chain;
  }

  /// C[t+1,i], unless a page-out beside the computations keeps the tensor for the whole stage.
  BinaryExpression after_own(int t, int i) {
    if (model_.overlapped() && !model_.page_out(t, i).is_zero()) return column("B", t, i);
    return t + 1 < graph_.size() ? model_.carried(t + 1, i) : BinaryExpression::zero();
  }

  /// H is C[t+1,i] itself unless a page-out or an idle recomputation can make the two differ.
  BinaryExpression end_of_chain(int t, int i, const BinaryExpression& available, bool unused) {
    if (unused) return available;  // nothing frees it
    const bool idle = windows().idle_recompute[t][i];
    if (!model_.page_out(t, i).is_zero() || idle) return column("H", t, i);
    return t + 1 < graph_.size() ? model_.carried(t + 1, i) : BinaryExpression::zero();
  }

  Formulation& model_;
  const Graph& graph_;
};

}  // namespace

BinaryExpression operator+(BinaryExpression a, const BinaryExpression& b) {
  a.constant += b.constant;
  auto free = std::find(a.columns.begin(), a.columns.end(), -1);
  for (const int column : b.columns) {
    if (column >= 0) *free++ = column;
  }
  return a;
}

BinaryExpression Formulation::available(int t, int i) const {
  return resident(t, i) + compute(t, i);
}

Formulation make_variables(const Problem& problem, const UsefulWindows& windows) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  Formulation model{.windows = windows,
                    .paging_time = problem.limits.paging_time,
                    .carried = ExpressionGrid(size),
                    .resident = ExpressionGrid(size),
                    .compute = ExpressionGrid(size),
                    .page_in = ExpressionGrid(size),
                    .page_out = ExpressionGrid(size),
                    .stored = ExpressionGrid(size)};
  for (const Node& node : graph.nodes) model.milp.objective_offset += node.energy_joules;
  ColumnMaker(model, graph).run();
  return model;
}

}  // namespace poet
