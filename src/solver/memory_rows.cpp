#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "solver/constraints.hpp"
#include "solver/knapsack_rounding.hpp"

namespace poet {
namespace {

/// Bytes held while stage t computes k, as a knapsack over columns.
struct MemoryRow {
  std::vector<int> columns;
  Knapsack knapsack;

  void add(Bytes bytes, const Quantity& quantity) {
    if (bytes == 0) return;
    knapsack.capacity -= bytes * quantity.constant;
    for (const int column : quantity.columns) {
      if (column < 0) continue;
      columns.push_back(column);
      knapsack.weights.push_back(bytes);
    }
  }
};

/// Whether tensor i != k is in RAM while stage t computes k.
Quantity held_during(const Formulation& model, int t, int k, int i) {
  if (i == t) return Quantity::zero();  // comes last
  if (i > k) return model.resident(t, i);
  const HoldingChain& chain = model.chains[t][i];
  const auto next = std::lower_bound(chain.users.begin(), chain.users.end(), k);
  if (next == chain.users.end()) return chain.at_end;
  return chain.held[next - chain.users.begin()];
}

/// Tightening is pure: rows over the same weights share its result.
class TightenCache {
 public:
  const Knapsack& operator()(const Knapsack& knapsack) {
    auto key = std::make_pair(knapsack.weights, knapsack.capacity);
    const auto found = results_.find(key);
    if (found != results_.end()) return found->second;
    return results_.emplace(std::move(key), tighten(knapsack)).first->second;
  }

 private:
  std::map<std::pair<std::vector<std::int64_t>, std::int64_t>, Knapsack> results_;
};

}  // namespace

/// M_k A[t,k] + sum over i != k of M_i * (i is held while stage t computes k) <= budget, for every
/// k that stage t can compute. The quantity is S[t,i] for i > k, Z_q for the first user j_q >= k
/// of i, and H after the last user.
/// Valid: rule 5, at the moment of the computation (or, where k is resident, at the moment when it
/// would be computed, at which the same tensors are held). Explicit knapsacks over binaries are
/// what CBC's cut generators see; each is replaced by one with the same 0/1 solutions and a
/// tighter relaxation.
void add_memory(Formulation& model, const Graph& graph, Bytes ram_budget) {
  TightenCache tightened;
  for (int t = model.scope.collapsed() ? model.scope.first_stage : 0; t < model.size(); ++t) {
    for (int k = 0; k <= t; ++k) {
      if (!model.scope.can_compute(t, k)) continue;
      MemoryRow row{.knapsack = {.capacity = ram_budget}};
      row.add(graph.nodes[k].bytes, k == t ? Quantity::one() : model.available(t, k));
      for (int i = 0; i <= t; ++i) {
        if (i != k) row.add(graph.nodes[i].bytes, held_during(model, t, k, i));
      }
      Bytes total = 0;
      for (const Bytes bytes : row.knapsack.weights) total += bytes;
      if (total <= row.knapsack.capacity) continue;
      const Knapsack& knapsack = tightened(row.knapsack);
      MilpRow milp_row{.name = fmt::format("ram_{}_{}", t, k),
                       .upper = static_cast<double>(knapsack.capacity)};
      for (std::size_t c = 0; c < row.columns.size(); ++c) {
        if (knapsack.weights[c] == 0) continue;
        milp_row.terms.push_back({row.columns[c], static_cast<double>(knapsack.weights[c])});
      }
      model.milp.rows.push_back(std::move(milp_row));
    }
  }
}

}  // namespace poet
