#include "solver/formulation/memory_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace poet {
namespace {

/// Whether i, an input that k may take over, is in RAM beside the output of k: as after k.
BinaryExpression held_after(const Formulation& model, int t, int k, int i) {
  const HoldingChain& chain = model.chains[t][i];
  if (k == t) return chain.after_own;
  const auto next = std::upper_bound(chain.users.begin(), chain.users.end(), k);
  if (next == chain.users.end()) return chain.at_end;
  return chain.held[next - chain.users.begin()];
}

}  // namespace

BinaryExpression held_during(const Formulation& model, const Graph& graph, int t, int k, int i) {
  if (i == t) return BinaryExpression::zero();  // computed last
  if (i > k) return model.resident(t, i);
  if (graph.nodes[k].in_place == i) return held_after(model, t, k, i);
  const HoldingChain& chain = model.chains[t][i];
  const auto next = std::lower_bound(chain.users.begin(), chain.users.end(), k);
  if (next == chain.users.end()) return chain.at_end;
  return chain.held[next - chain.users.begin()];
}

BinaryExpression counted_during(const Formulation& model, const Graph& graph, int t, int k, int i) {
  const BinaryExpression held = held_during(model, graph, t, k, i);
  // What arrives is not in RAM otherwise.
  return model.overlapped() && !held.is_one() ? held + model.page_in(t, i) : held;
}

/// M_k A[t,k] + sum over i != k of M_i * (i is held while stage t computes k) <= budget, for a k
/// that stage t can compute. The expression is S[t,i] for i > k, Z_q for the first user j_q >= k
/// of i, and H after the last user. An input that k may take over counts as after k. The workspace
/// of k comes on top if k is computed: + W_k R[t,k]. If transfers overlap with computations, what
/// is being read back counts too: + M_i I[t,i]. Valid: rule 5, at the moment of the computation
/// (or, if k is resident, at the moment when it would be computed, at which the same tensors are
/// held). CBC's cut generators work on explicit knapsacks over binaries, and so do ours
/// (knapsack_facet.hpp).
std::optional<MilpRow> memory_row(const Formulation& model, const Graph& graph,
                                  std::span<const MilpColumn> columns, int t, int k) {
  // Most stages are full when they compute their own node.
  MilpRow row{.name = fmt::format("ram_{}_{}", t, k), .rarely_tight = k < t};
  Bytes capacity = model.memory.ram_bytes;
  Bytes most = 0;
  const auto add = [&](Bytes bytes, const BinaryExpression& expression) {
    if (bytes == 0) return;
    bool constant = expression.is_one();
    bool open = false;
    for (const int column : expression.columns) {
      if (column < 0) continue;
      if (columns[column].lower == columns[column].upper) {
        constant = constant || columns[column].upper > 0.5;
      } else {
        open = true;
        row.terms.push_back({column, static_cast<double>(bytes)});
      }
    }
    if (constant) capacity -= bytes;
    if (open) most += bytes;
  };
  const Node& own = graph.nodes[k];
  if (k == t) {
    capacity -= own.bytes + own.workspace_bytes;
  } else if (own.workspace_bytes == 0) {
    add(own.bytes, model.available(t, k));
  } else {
    add(own.bytes, model.resident(t, k));
    add(own.bytes + own.workspace_bytes, model.compute(t, k));
  }
  for (int i = 0; i <= t; ++i) {
    if (i != k) add(graph.nodes[i].bytes, counted_during(model, graph, t, k, i));
  }
  if (most <= capacity) return std::nullopt;
  row.upper = static_cast<double>(capacity);
  return row;
}

void add_memory(Formulation& model, const Graph& graph) {
  for_each_computation(model, [&](int t, int k) {
    if (k < t && model.memory.on_demand) return;
    auto row = memory_row(model, graph, model.milp.columns, t, k);
    if (row) model.milp.rows.push_back(*std::move(row));
  });
}

}  // namespace poet
