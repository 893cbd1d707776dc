#include "solver/formulation/memory_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace poet {
namespace {

/// Whether tensor i can be in RAM during stage t only for the sake of recomputing a gradient: it is
/// a gradient older than the latest, or past the last first computation that reads it. Schedules
/// rarely hold these, and their odd sizes spoil the rounding of a row.
bool only_for_gradients(const Formulation& model, const Graph& graph, int t, int i) {
  if (graph.nodes[i].backward) return i < t - 1;
  return t > model.windows.last_first_use[i];
}

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

/// Bytes held at one moment, as a knapsack with an item per expression.
struct MemoryRowMaker::Row {
  std::vector<BinaryExpression> items;
  Knapsack knapsack;
};

void MemoryRowMaker::add(Row& row, Bytes bytes, const BinaryExpression& expression) const {
  if (bytes == 0) return;
  BinaryExpression open{.constant = expression.constant};
  auto next = open.columns.begin();
  for (const int column : expression.columns) {
    if (column < 0) continue;
    const bool fixed = columns_[column].lower == columns_[column].upper;
    if (!fixed) {
      *next++ = column;
    } else if (columns_[column].upper > 0.5) {
      open.constant = 1;
    }
  }
  row.knapsack.capacity -= bytes * open.constant;
  if (open.is_constant()) return;
  row.items.push_back(open);
  row.knapsack.weights.push_back(bytes);
}

/// The output of k, and its workspace while it is computed.
void MemoryRowMaker::add_own(Row& row, int t, int k) const {
  const Node& node = graph_.nodes[k];
  if (k == t) {
    add(row, node.bytes + node.workspace_bytes, BinaryExpression::one());
  } else if (node.workspace_bytes == 0) {
    add(row, node.bytes, model_.available(t, k));
  } else {
    add(row, node.bytes, model_.resident(t, k));
    add(row, node.bytes + node.workspace_bytes, model_.compute(t, k));
  }
}

/// M_k A[t,k] + sum over i != k of M_i * (i is held while stage t computes k) <= budget, for a k
/// that stage t can compute. The expression is S[t,i] for i > k, Z_q for the first user j_q >= k
/// of i, and H after the last user. An input that k may take over counts as after k. The workspace
/// of k comes on top if k is computed: + W_k R[t,k]. If transfers overlap with computations, what
/// is being read back counts too: + M_i I[t,i]. Valid: rule 5, at the moment of the computation
/// (or, if k is resident, at the moment when it would be computed, at which the same tensors are
/// held). CBC's cut generators work on explicit knapsacks over binaries. Each is replaced by one
/// with the same 0/1 solutions and a tighter relaxation (knapsack_rounding.hpp). Beside it stands
/// the same row without the terms of only_for_gradients(): valid because weights are not negative,
/// and often the only one that rounds well.
MemoryRows MemoryRowMaker::make(int t, int k) {
  Row full{.knapsack = {.capacity = model_.memory.ram_bytes}};
  add_own(full, t, k);
  Row core = full;
  for (int i = 0; i <= t; ++i) {
    const BinaryExpression counted =
        i == k ? BinaryExpression::zero() : counted_during(model_, graph_, t, k, i);
    add(full, graph_.nodes[i].bytes, counted);
    if (!only_for_gradients(model_, graph_, t, i)) add(core, graph_.nodes[i].bytes, counted);
  }
  MemoryRows rows{.full = finish(full, "ram", t, k)};
  if (model_.memory.sub_rows && core.items.size() < full.items.size()) {
    rows.core = finish(core, "ram_core", t, k);
  }
  return rows;
}

std::optional<MilpRow> MemoryRowMaker::finish(const Row& row, const char* name, int t, int k) {
  Bytes total = 0;
  for (const Bytes bytes : row.knapsack.weights) total += bytes;
  if (total <= row.knapsack.capacity) return std::nullopt;
  const Knapsack knapsack = tightened(row.knapsack);
  // Most stages are full when they compute their own node.
  MilpRow result{.name = fmt::format("{}_{}_{}", name, t, k),
                 .upper = static_cast<double>(knapsack.capacity),
                 .rarely_tight = k < t};
  for (std::size_t item = 0; item < row.items.size(); ++item) {
    const auto weight = static_cast<double>(knapsack.weights[item]);
    if (weight == 0) continue;
    for (const int column : row.items[item].columns) {
      if (column >= 0) result.terms.push_back({column, weight});
    }
  }
  return result;
}

Knapsack MemoryRowMaker::tightened(const Knapsack& knapsack) {
  if (!model_.memory.rounded) return knapsack;
  Knapsack sorted = knapsack;
  std::sort(sorted.weights.begin(), sorted.weights.end());
  auto key = std::make_pair(sorted.weights, sorted.capacity);
  auto found = rounded_.find(key);
  if (found == rounded_.end()) {
    const Knapsack tight = tighten(sorted);
    Rounded rounded{.capacity = tight.capacity};
    for (std::size_t j = 0; j < sorted.weights.size(); ++j) {
      rounded.weights[sorted.weights[j]] = tight.weights[j];
    }
    found = rounded_.emplace(std::move(key), std::move(rounded)).first;
  }
  Knapsack result{.capacity = found->second.capacity};
  for (const std::int64_t weight : knapsack.weights) {
    result.weights.push_back(found->second.weights.at(weight));
  }
  return result;
}

void add_memory(Formulation& model, const Graph& graph) {
  MemoryRowMaker maker(model, graph, model.milp.columns);
  for_each_computation(model, [&](int t, int k) {
    if (k < t && model.memory.on_demand) return;
    MemoryRows rows = maker.make(t, k);
    for (std::optional<MilpRow>* row : {&rows.full, &rows.core}) {
      if (*row) model.milp.rows.push_back(*std::move(*row));
    }
  });
}

}  // namespace poet
