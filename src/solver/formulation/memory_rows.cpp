#include "solver/formulation/memory_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "solver/formulation/knapsack_rounding.hpp"

namespace poet {
namespace {

/// Bytes held while stage t computes k, as a knapsack with an item per expression.
struct MemoryRow {
  std::vector<BinaryExpression> items;
  Knapsack knapsack;

  void add(Bytes bytes, const BinaryExpression& expression) {
    if (bytes == 0) return;
    knapsack.capacity -= bytes * expression.constant;
    if (expression.is_constant()) return;
    items.push_back(expression);
    knapsack.weights.push_back(bytes);
  }
};

/// Tightening depends only on the multiset of weights, so rows of the same composition share it: a
/// network repeats its layers, and its memory rows with them.
class TightenCache {
 public:
  explicit TightenCache(bool enabled) : enabled_(enabled) {}

  Knapsack operator()(const Knapsack& knapsack) {
    if (!enabled_) return knapsack;
    Knapsack sorted = knapsack;
    std::sort(sorted.weights.begin(), sorted.weights.end());
    auto key = std::make_pair(sorted.weights, sorted.capacity);
    auto found = results_.find(key);
    if (found == results_.end()) {
      found = results_.emplace(std::move(key), round_by_weight(sorted)).first;
    }
    Knapsack result{.capacity = found->second.capacity};
    for (const std::int64_t weight : knapsack.weights) {
      result.weights.push_back(found->second.rounded.at(weight));
    }
    return result;
  }

 private:
  struct Rounded {
    std::int64_t capacity = 0;
    std::map<std::int64_t, std::int64_t> rounded;  // by original weight
  };

  static Rounded round_by_weight(const Knapsack& knapsack) {
    const Knapsack tight = tighten(knapsack);
    Rounded result{.capacity = tight.capacity};
    for (std::size_t j = 0; j < knapsack.weights.size(); ++j) {
      result.rounded[knapsack.weights[j]] = tight.weights[j];
    }
    return result;
  }

  bool enabled_;
  std::map<std::pair<std::vector<std::int64_t>, std::int64_t>, Rounded> results_;
};

/// Whether tensor i can be in RAM during stage t only for the sake of recomputing a gradient: it is
/// a gradient older than the latest, or past the last first computation that reads it. Schedules
/// rarely hold these, and their odd sizes spoil the rounding of a row.
bool only_for_gradients(const Formulation& model, const Graph& graph, int t, int i) {
  if (graph.nodes[i].backward) return i < t - 1;
  return t > model.windows.last_first_use[i];
}

/// The output of k, and its workspace while it is computed.
void add_own(MemoryRow& row, const Formulation& model, const Node& node, int t, int k) {
  if (k == t) {
    row.add(node.bytes + node.workspace_bytes, BinaryExpression::one());
  } else if (node.workspace_bytes == 0) {
    row.add(node.bytes, model.available(t, k));
  } else {
    row.add(node.bytes, model.resident(t, k));
    row.add(node.bytes + node.workspace_bytes, model.compute(t, k));
  }
}

void add_row(Formulation& model, TightenCache& tightened, MilpRow row, const MemoryRow& memory) {
  Bytes total = 0;
  for (const Bytes bytes : memory.knapsack.weights) total += bytes;
  if (total <= memory.knapsack.capacity) return;
  const Knapsack knapsack = tightened(memory.knapsack);
  row.upper = static_cast<double>(knapsack.capacity);
  for (std::size_t item = 0; item < memory.items.size(); ++item) {
    const auto weight = static_cast<double>(knapsack.weights[item]);
    if (weight == 0) continue;
    for (const int column : memory.items[item].columns) {
      if (column >= 0) row.terms.push_back({column, weight});
    }
  }
  model.milp.rows.push_back(std::move(row));
}

}  // namespace

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

/// M_k A[t,k] + sum over i != k of M_i * (i is held while stage t computes k) <= budget, for every
/// k that stage t can compute. The expression is S[t,i] for i > k, Z_q for the first user j_q >= k
/// of i, and H after the last user. An input that k may take over counts as after k. The workspace
/// of k comes on top if k is computed: + W_k R[t,k]. If transfers overlap with computations, what
/// is being read back counts too: + M_i I[t,i]. Valid: rule 5, at the moment of the computation
/// (or, if k is resident, at the moment when it would be computed, at which the same tensors are
/// held). CBC's cut generators work on explicit knapsacks over binaries. Each is replaced by one
/// with the same 0/1 solutions and a tighter relaxation (knapsack_rounding.hpp). Beside it stands
/// the same row without the terms of only_for_gradients(): valid because weights are not negative,
/// and often the only one that rounds well.
void add_memory(Formulation& model, const Graph& graph, Bytes ram_budget,
                const SolverFeatures& features) {
  TightenCache tightened(features.row_rounding);
  for_each_computation(model, [&](int t, int k) {
    MemoryRow full{.knapsack = {.capacity = ram_budget}};
    add_own(full, model, graph.nodes[k], t, k);
    MemoryRow core = full;
    for (int i = 0; i <= t; ++i) {
      BinaryExpression held =
          i == k ? BinaryExpression::zero() : held_during(model, graph, t, k, i);
      // What arrives is not in RAM otherwise.
      if (model.overlapped() && !held.is_one()) held = held + model.page_in(t, i);
      full.add(graph.nodes[i].bytes, held);
      if (!only_for_gradients(model, graph, t, i)) core.add(graph.nodes[i].bytes, held);
    }
    const bool rarely_tight = k < t;  // most stages are full when they compute their own node
    const auto add = [&](const char* name, const MemoryRow& memory) {
      add_row(model, tightened,
              {.name = fmt::format("{}_{}_{}", name, t, k), .rarely_tight = rarely_tight}, memory);
    };
    add("ram", full);
    if (features.sub_rows && core.items.size() < full.items.size()) add("ram_core", core);
  });
}

}  // namespace poet
