#include "solver/formulation/formulate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "solver/formulation/memory_rows.hpp"
#include "solver/formulation/row_builder.hpp"

// One function per constraint family of docs/formulation.md, headed by its equation and the reason
// why it loses no optimal schedule. The memory rows are in memory_rows.cpp.

namespace poet {
namespace {

/// S[t,i] + R[t,i] <= 1, with equality if the first computation of t reads i.
/// Valid: recomputing a resident tensor costs energy and gains nothing; inputs must be in RAM.
void add_availability(Formulation& model, const Graph& graph) {
  for_each_pair(model, [&](int t, int i) {
    const std::vector<int>& inputs = graph.nodes[t].inputs;
    RowBuilder row("avail", t, i);
    row.add(1, model.resident(t, i)).add(1, model.compute(t, i));
    if (std::binary_search(inputs.begin(), inputs.end(), i)) {
      row.equal(1, model.milp);
    } else {
      row.at_most(1, model.milp);
    }
  });
}

/// A[t,i] >= Z_1 >= ... >= Z_m >= H and Z_q >= R[t,j_q].
/// Valid: a stage never brings in the same tensor twice, so a tensor that is held when a later user
/// runs is also held when an earlier one does; the inputs of a computation are in RAM.
/// A large model has most of its rows here, of which one in eight is ever tight.
void add_holding_chains(Formulation& model) {
  const bool large = model.memory.on_demand;
  for_each_pair(model, [&](int t, int i) {
    const HoldingChain& chain = model.chains[t][i];
    const auto descend = [&](const BinaryExpression& from, const BinaryExpression& to, int q) {
      if (from == to) return;
      RowBuilder row(fmt::format("chain_{}_{}_{}", t, i, q));
      row.add(1, from).add(-1, to).rarely_tight(large).at_least(0, model.milp);
    };
    BinaryExpression previous = model.available(t, i);
    for (std::size_t q = 0; q < chain.users.size(); ++q) {
      const int j = chain.users[q];
      descend(previous, chain.held[q], j);
      if (j < t) {
        RowBuilder row(fmt::format("input_{}_{}_{}", t, i, j));
        row.add(1, chain.held[q]).add(-1, model.compute(t, j));
        row.rarely_tight(large).at_least(0, model.milp);
      }
      previous = chain.held[q];
    }
    descend(previous, chain.at_end, t + 1);
  });
}

/// H[t,i] >= C[t+1,i].
/// Valid: what the next stage has without a page-in was held to the end of this one. A row is
/// needed only if a page-out gives H a column of its own; otherwise H is C[t+1,i].
void add_hand_over(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    if (t + 1 == model.size()) return;
    const BinaryExpression& next = model.carried(t + 1, i);
    const BinaryExpression& held = model.chains[t][i].at_end;
    if (next == held) return;
    RowBuilder row("hand_over", t, i);
    row.add(1, held).add(-1, next).at_least(0, model.milp);
  });
}

/// I[t,i] + S[t,i] + R[t,i] <= 1.
/// Valid: if the tensor is in RAM during t, holding it has the same effect at no cost.
void add_page_in_when_absent(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    if (model.page_in(t, i).is_zero()) return;
    RowBuilder row("absent", t, i);
    row.add(1, model.page_in(t, i)).add(1, model.available(t, i)).at_most(1, model.milp);
  });
}

/// Q[t+1,i] = Q[t,i] + O[t,i], O[t,i] <= S[t,i], I[t,i] <= Q[t,i]; a collapsed model has
/// I[t,i] <= P[i] instead of the storage state. The definition of S says that a page-in arrives:
/// I[t,i] <= S[t+1,i].
/// Valid: rules 3 and 4; a second copy is never worth its energy, and the collapsed form only
/// forgets when the copy was made.
void add_storage(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    const BinaryExpression& in = model.page_in(t, i);
    const BinaryExpression& out = model.page_out(t, i);
    const BinaryExpression& copy = model.windows.collapsed() ? model.paged[i] : model.stored(t, i);
    if (!in.is_zero()) {
      RowBuilder("copy", t, i).add(1, in).add(-1, copy).at_most(0, model.milp);
    }
    if (!out.is_zero()) {
      RowBuilder("source", t, i).add(1, out).add(-1, model.resident(t, i)).at_most(0, model.milp);
    }
    if (t + 1 < model.size() && !model.stored(t + 1, i).is_zero()) {
      RowBuilder("store", t, i)
          .add(1, model.stored(t + 1, i))
          .add(-1, model.stored(t, i))
          .add(-1, out)
          .equal(0, model.milp);
    }
  });
}

/// H[t,i] >= X[t,i] - sum_q R[t,j_q] and Z_q >= X[t,i] - sum_{p<q} R[t,j_p], where X = O[t,i], and
/// X = O[t,i] + R[t,i] if an idle recomputation of i in t can pay (UsefulWindows).
/// Valid: only a use frees a tensor (rule 5), so one that is resident or computed, and that no user
/// has freed, is held. Two kinds need this row: what is written out, and idle recomputations, which
/// free it. All others are used or handed on. What is computed is not written, as it was not
/// resident, so X is at most 1. If transfers overlap with computations, not even a use frees what
/// is written: the sums are left out, and what the stage's own node reads stays beside its output,
/// B[t,i] >= O[t,i] and B[t,i] >= C[t+1,i].
void add_held_unless_used(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    const BinaryExpression& out = model.page_out(t, i);
    const bool idle = model.windows.idle_recompute[t][i];
    if (out.is_zero() && !idle) return;
    const HoldingChain& chain = model.chains[t][i];
    for (std::size_t q = 1; q <= chain.users.size(); ++q) {
      const BinaryExpression& held = q < chain.users.size() ? chain.held[q] : chain.at_end;
      if (held.is_one()) continue;
      RowBuilder row(fmt::format("unused_{}_{}_{}", t, i, q));
      row.add(1, held).add(-1, out);
      if (idle) row.add(-1, model.compute(t, i));
      for (std::size_t p = 0; p < q && !model.overlapped(); ++p) {
        row.add(1, model.compute(t, chain.users[p]));
      }
      row.at_least(0, model.milp);
    }
    if (!model.overlapped() || chain.after_own.is_constant()) return;
    RowBuilder("beside_out", t, i).add(1, chain.after_own).add(-1, out).at_least(0, model.milp);
    if (t + 1 == model.size()) return;
    RowBuilder("beside_next", t, i)
        .add(1, chain.after_own)
        .add(-1, model.carried(t + 1, i))
        .at_least(0, model.milp);
  });
}

/// R[t,j] <= sum_q R[t,j_q] + C[t+1,j] + sum over inputs i of j of ( O[t,i] + R[t,i] ), the last
/// sum only if an idle recomputation of j in t can pay, and its R[t,i] likewise.
/// Valid: let stage t compute j again, neither use it nor hand it on, and let it neither write out
/// an input of j nor compute one by an idle recomputation. Leave j out. It gives back its own RAM,
/// and an input that other computations of the stage read goes no later than before. An input that
/// was computed for j alone, and is not handed on, is left out in the same way. One that was
/// resident for j alone need not be: it is not written, so the stage before need not hand it on.
/// Nothing costs more, and the argument repeats until every recomputation meets the row. It fails
/// only for an input that has to stay until the end of the stage unless a computation frees it,
/// which is one that is written out, or one that frees it in turn.
void add_no_idle_recomputation(Formulation& model, const Graph& graph) {
  for_each_pair(model, [&](int t, int j) {
    if (model.compute(t, j).is_zero()) return;
    RowBuilder row("idle", t, j);
    row.add(1, model.compute(t, j));
    if (t + 1 < model.size()) row.add(-1, model.carried(t + 1, j));
    for (const int user : model.chains[t][j].users) row.add(-1, model.compute(t, user));
    if (model.windows.idle_recompute[t][j]) {
      for (const int i : graph.nodes[j].inputs) {
        row.add(-1, model.page_out(t, i));
        if (model.windows.idle_recompute[t][i]) row.add(-1, model.compute(t, i));
      }
    }
    row.at_most(0, model.milp);
  });
}

/// I[t,i] <= sum over users j of i of R[t+1,j].
/// Valid: a page-in costs no RAM before t+1, and its time is the same in any stage, so it can wait
/// until the tensor is used. Not so if transfers overlap with computations.
void add_late_page_in(Formulation& model, const Graph& graph) {
  if (model.overlapped()) return;
  for_each_pair(model, [&](int t, int i) {
    if (model.page_in(t, i).is_zero()) return;
    RowBuilder row("late", t, i);
    row.add(1, model.page_in(t, i));
    for (const int j : graph.users[i]) {
      if (j <= t + 1) row.add(-1, model.compute(t + 1, j));
    }
    row.at_most(0, model.milp);
  });
}

/// O[t,i] <= R[t-1,i], where R[i,i] = 1; without a column for R[t-1,i], O[t,i] has none either.
/// Valid: if i is in RAM at the start of t, stage t-1 held it to its end, computed it or paged it
/// in. If it was paged in, it has a copy and is not written again. If stage t-1 had it from its
/// start, it can be written there instead: it takes no RAM that is not taken, and the transfer
/// costs the same energy, and the same time unless transfers overlap with computations. So of all
/// stages between a computation and the first page-in, only the first is left: where each of them
/// would do, a search would look at all. With paging alone, the full models of random graphs of 14
/// and 30 nodes have 23 and 28 % fewer columns for it.
void add_early_page_out(Formulation& model) {
  if (model.overlapped()) return;
  for_each_pair(model, [&](int t, int i) {
    if (t < i + 2 || model.page_out(t, i).is_zero()) return;
    RowBuilder("early", t, i)
        .add(1, model.page_out(t, i))
        .add(-1, model.compute(t - 1, i))
        .at_most(0, model.milp);
  });
}

void add_computations(RowBuilder& row, const Formulation& model, const Graph& graph) {
  for (const Node& node : graph.nodes) row.add(node.runtime_seconds, BinaryExpression::one());
  for_each_pair(model, [&](int t, int i) {
    const Seconds runtime = graph.nodes[i].runtime_seconds;
    if (runtime > 0) row.add(runtime, model.compute(t, i));
  });
}

void add_transfers(RowBuilder& row, const Formulation& model, const Graph& graph) {
  const auto add = [&](Seconds seconds, const BinaryExpression& transfer) {
    if (seconds > 0) row.add(seconds, transfer);
  };
  for_each_pair(model, [&](int t, int i) {
    add(graph.nodes[i].page_in_seconds, model.page_in(t, i));
    add(graph.nodes[i].page_out_seconds, model.page_out(t, i));
  });
  for (int i = 0; i < model.size(); ++i) add(graph.nodes[i].page_out_seconds, model.paged[i]);
}

/// sum C_i R[t,i] <= budget - sum C_i. With the times X_i of page-ins and Y_i of page-outs,
/// computations that wait for transfers have sum C_i R + sum X_i I + sum Y_i O on the left, and
/// those beside transfers have a second row, sum X_i I + sum Y_i O <= budget.
/// Valid: rule 6, with the simulator's slack. A collapsed model counts a page-out once, as P[i].
/// Beside transfers each stage takes the longer of its two sums, which adds up to no less than the
/// sum of either; overlapped_runtime_row() has the rest.
void add_runtime(Formulation& model, const Problem& problem) {
  const Seconds budget = problem.limits.runtime_budget_seconds * (1 + kRuntimeSlack);
  RowBuilder row("runtime");
  add_computations(row, model, problem.graph);
  if (model.paging_time == PagingTime::blocking) add_transfers(row, model, problem.graph);
  row.at_most(budget, model.milp);
  if (!model.overlapped()) return;
  RowBuilder transfers("transfers");
  add_transfers(transfers, model, problem.graph);
  transfers.at_most(budget, model.milp);
}

/// sum N_i O[t,i] <= the budget of secondary storage, or the one of what is written to it; N_i is
/// the size of a copy. A collapsed model counts P[i]. Valid: rule 9. What has a copy is never
/// written again, so that both budgets are about one sum.
void add_storage_budget(Formulation& model, const Problem& problem) {
  if (write_budget(problem.limits) == kMaxBytes) return;
  RowBuilder row("storage");
  const auto add = [&](int i, const BinaryExpression& out) {
    row.add(static_cast<double>(bytes_in_storage(problem.graph.nodes[i])), out);
  };
  for_each_pair(model, [&](int t, int i) { add(i, model.page_out(t, i)); });
  for (int i = 0; i < model.size(); ++i) add(i, model.paged[i]);
  row.at_most(static_cast<double>(write_budget(problem.limits)), model.milp);
}

}  // namespace

Formulation formulate(const Problem& problem, const UsefulWindows& windows,
                      MemoryRowsWhen memory_rows) {
  const Graph& graph = problem.graph;
  Formulation model = make_variables(problem, windows);
  model.memory = {.ram_bytes = problem.limits.ram_budget_bytes,
                  .on_demand = memory_rows == MemoryRowsWhen::on_demand};
  add_availability(model, graph);
  add_holding_chains(model);
  add_hand_over(model);
  add_page_in_when_absent(model);
  add_storage(model);
  add_held_unless_used(model);
  add_no_idle_recomputation(model, graph);
  add_late_page_in(model, graph);
  add_early_page_out(model);
  add_memory(model, graph);
  add_runtime(model, problem);
  add_storage_budget(model, problem);
  return model;
}

}  // namespace poet
