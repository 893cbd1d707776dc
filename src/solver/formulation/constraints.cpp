#include "solver/formulation/constraints.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "solver/formulation/row_builder.hpp"

namespace poet {
namespace {

std::string row_name(const char* family, int t, int i) {
  return fmt::format("{}_{}_{}", family, t, i);
}

/// Calls f(t, i) for every stage of the model and every node i < t.
template <typename Function>
void for_each_pair(const Formulation& model, Function f) {
  for (int t = model.scope.first_stage; t < model.size(); ++t) {
    for (int i = 0; i < t; ++i) f(t, i);
  }
}

}  // namespace

/// S[t,i] + R[t,i] <= 1, with equality where the first computation of t reads i.
/// Valid: recomputing what is resident costs energy and gains nothing; inputs must be in RAM.
void add_availability(Formulation& model, const Graph& graph) {
  for_each_pair(model, [&](int t, int i) {
    const std::vector<int>& inputs = graph.nodes[t].inputs;
    RowBuilder row(row_name("avail", t, i));
    row.add(1, model.resident(t, i)).add(1, model.compute(t, i));
    if (std::binary_search(inputs.begin(), inputs.end(), i)) {
      row.equal(1, model.milp);
    } else {
      row.at_most(1, model.milp);
    }
  });
}

/// A[t,i] >= Z_1 >= ... >= Z_m >= H and Z_q >= R[t,j_q].
/// Valid: held when a later user runs implies held when an earlier one does, since a stage never
/// brings the same tensor twice; the inputs of a computation are in RAM.
void add_holding_chains(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    const HoldingChain& chain = model.chains[t][i];
    const auto descend = [&](const Quantity& from, const Quantity& to, int q) {
      if (from == to) return;
      RowBuilder row(fmt::format("chain_{}_{}_{}", t, i, q));
      row.add(1, from).add(-1, to).at_least(0, model.milp);
    };
    Quantity previous = model.available(t, i);
    for (std::size_t q = 0; q < chain.users.size(); ++q) {
      const int j = chain.users[q];
      descend(previous, chain.held[q], j);
      if (j < t) {
        RowBuilder row(fmt::format("input_{}_{}_{}", t, i, j));
        row.add(1, chain.held[q]).add(-1, model.compute(t, j)).at_least(0, model.milp);
      }
      previous = chain.held[q];
    }
    descend(previous, chain.at_end, t + 1);
  });
}

/// H[t,i] >= C[t+1,i].
/// Valid: what the next stage has without a page-in was held to the end of this one. A row only
/// where a page-out gives H a column of its own; elsewhere H is C[t+1,i].
void add_hand_over(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    if (t + 1 == model.size()) return;
    const Quantity& next = model.carried(t + 1, i);
    const Quantity& held = model.chains[t][i].at_end;
    if (next == held) return;
    RowBuilder row(row_name("hand_over", t, i));
    row.add(1, held).add(-1, next).at_least(0, model.milp);
  });
}

/// I[t,i] + S[t,i] + R[t,i] <= 1.
/// Valid: where the tensor is in RAM during t, holding it does the same for nothing.
void add_page_in_when_absent(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    if (model.page_in(t, i).is_zero()) return;
    RowBuilder row(row_name("absent", t, i));
    row.add(1, model.page_in(t, i)).add(1, model.available(t, i)).at_most(1, model.milp);
  });
}

/// Q[t+1,i] = Q[t,i] + O[t,i], O[t,i] <= S[t,i], I[t,i] <= Q[t,i]; collapsed: I[t,i] <= P[i] in
/// place of the storage state. That a page-in arrives, I[t,i] <= S[t+1,i], is in S's definition.
/// Valid: rules 3 and 4; a second copy is never worth its energy, and the collapsed form forgets
/// only when the copy was made.
void add_storage(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    const Quantity& in = model.page_in(t, i);
    const Quantity& out = model.page_out(t, i);
    const Quantity& copy = model.scope.collapsed() ? model.paged[i] : model.stored(t, i);
    if (!in.is_zero()) {
      RowBuilder(row_name("copy", t, i)).add(1, in).add(-1, copy).at_most(0, model.milp);
    }
    if (!out.is_zero()) {
      RowBuilder(row_name("source", t, i))
          .add(1, out)
          .add(-1, model.resident(t, i))
          .at_most(0, model.milp);
    }
    if (t + 1 < model.size() && !model.stored(t + 1, i).is_zero()) {
      RowBuilder(row_name("store", t, i))
          .add(1, model.stored(t + 1, i))
          .add(-1, model.stored(t, i))
          .add(-1, out)
          .equal(0, model.milp);
    }
  });
}

/// H[t,i] >= O[t,i] - sum_q R[t,j_q] and Z_q >= O[t,i] - sum_{p<q} R[t,j_p].
/// Valid: a tensor is freed only by a use (rule 5); page-out alone can hold one without a use.
void add_held_while_paged_out(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    const Quantity& out = model.page_out(t, i);
    if (out.is_zero()) return;
    const HoldingChain& chain = model.chains[t][i];
    for (std::size_t q = 1; q <= chain.users.size(); ++q) {
      const Quantity& held = q < chain.users.size() ? chain.held[q] : chain.at_end;
      RowBuilder row(fmt::format("unused_{}_{}_{}", t, i, q));
      row.add(1, held).add(-1, out);
      for (std::size_t p = 0; p < q; ++p) row.add(1, model.compute(t, chain.users[p]));
      row.at_least(0, model.milp);
    }
  });
}

/// R[t,i] <= sum_q R[t,j_q] + H[t,i].
/// Valid: a recomputation that is neither used in its stage nor kept can be left out.
void add_no_idle_recomputation(Formulation& model) {
  for_each_pair(model, [&](int t, int i) {
    const HoldingChain& chain = model.chains[t][i];
    if (model.compute(t, i).is_zero()) return;
    if (chain.users.empty()) {
      const bool last = t + 1 == model.size();
      RowBuilder row(row_name("idle", t, i));
      row.add(1, model.compute(t, i));
      if (!last) row.add(-1, model.carried(t + 1, i));
      row.at_most(0, model.milp);
      return;
    }
    RowBuilder row(row_name("idle", t, i));
    row.add(1, model.compute(t, i)).add(-1, chain.at_end);
    for (const int j : chain.users) row.add(-1, model.compute(t, j));
    row.at_most(0, model.milp);
  });
}

/// I[t,i] <= sum over users j of i of R[t+1,j].
/// Valid: paging costs neither time nor RAM before t+1, so it can wait until the tensor is used.
void add_late_page_in(Formulation& model, const Graph& graph) {
  for_each_pair(model, [&](int t, int i) {
    if (model.page_in(t, i).is_zero()) return;
    RowBuilder row(row_name("late", t, i));
    row.add(1, model.page_in(t, i));
    for (const int j : graph.users[i]) {
      if (j <= t + 1) row.add(-1, model.compute(t + 1, j));
    }
    row.at_most(0, model.milp);
  });
}

/// K[t+1,i] <= K[t,i] + R[t,i], K[t,i] <= S[t,i] and S[t,i] <= K[t,i] + P[i].
/// Valid: K says "resident without a page-in since the first stage"; without a copy (P = 0)
/// residency can come only from keeping or recomputing. The same as precedence cuts of length 0,
/// all of them at once, for a solver that cannot be given cuts as it goes.
void add_page_out_link(const Formulation& model, Milp& milp) {
  const int first = model.scope.first_stage;
  for (int i = 0; i < model.size(); ++i) {
    if (model.paged[i].is_zero()) continue;
    Quantity previous;
    for (int t = std::max(first, i + 1); t <= model.scope.last_use[i]; ++t) {
      const Quantity& resident = model.resident(t, i);
      // Up to two stages after birth, or in the first stage, nothing can have been paged in.
      if (t <= i + 2 || t == first) {
        previous = resident;
        continue;
      }
      const int column = milp.add_column({.name = row_name("K", t, i), .integer = false});
      const Quantity unpaged = Quantity::of(column);
      RowBuilder(row_name("link_from", t, i))
          .add(1, unpaged)
          .add(-1, previous)
          .add(-1, model.compute(t - 1, i))
          .at_most(0, milp);
      RowBuilder(row_name("link_held", t, i)).add(1, unpaged).add(-1, resident).at_most(0, milp);
      RowBuilder(row_name("link_paged", t, i))
          .add(1, resident)
          .add(-1, unpaged)
          .add(-1, model.paged[i])
          .at_most(0, milp);
      previous = unpaged;
    }
  }
}

/// sum C_i R[t,i] <= budget - sum C_i.
/// Valid: rule 6. The budget has the simulator's slack: a row without it would prove bounds above
/// schedules that the simulator lets pass.
void add_runtime(Formulation& model, const Graph& graph, Seconds runtime_budget) {
  RowBuilder row("runtime");
  for (const Node& node : graph.nodes) row.add(node.runtime_seconds, Quantity::one());
  for_each_pair(model, [&](int t, int i) {
    const Seconds runtime = graph.nodes[i].runtime_seconds;
    if (runtime > 0) row.add(runtime, model.compute(t, i));
  });
  row.at_most(runtime_budget * (1 + kRuntimeSlack), model.milp);
}

}  // namespace poet
