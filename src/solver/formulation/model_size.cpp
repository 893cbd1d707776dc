#include "solver/formulation/model_size.hpp"

namespace poet {
namespace {

constexpr int kRowsPerComputation = 2;  // the rounded sub-row beside the full one

}  // namespace

std::int64_t expected_nonzeros(const Graph& graph, const Scope& scope) {
  std::int64_t sum = 0;
  for (int t = scope.first_stage; t < graph.size(); ++t) {
    std::int64_t computable = 1;
    std::int64_t terms = 0;
    for (int i = 0; i < t; ++i) {
      if (scope.can_recompute(t, i)) ++computable;
      if (t > scope.last_use[i]) continue;
      ++terms;
      if (scope.page[i] && t > i + 2 && t - 1 <= scope.last_page_in[i]) ++terms;
    }
    sum += computable * terms * kRowsPerComputation;
  }
  return sum;
}

}  // namespace poet
