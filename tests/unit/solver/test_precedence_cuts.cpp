#include <gtest/gtest.h>

#include <algorithm>

#include "solver/formulation/cuts.hpp"
#include "solver/formulation/formulate.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

/// A tensor is dropped, and half of it read back in each of the next two stages, from half of a
/// copy. Only the copy is short.
TEST(PrecedenceCuts, CountAPageInBeforeTheirFirstStageByItsCopy) {
  Problem problem = test::chain_problem(12, 64);
  problem.limits.ram_budget_bytes = 5 * 64;
  const Formulation model = formulate(problem, useful_windows(problem, true, kInfinity));
  int moments = 0;
  for_each_pair(model, [&](int a, int i) {
    const BinaryExpression halves[] = {model.paged[i], model.page_in(a - 1, i),
                                       model.carried(a + 1, i), model.page_in(a, i)};
    std::vector<double> values(model.milp.columns.size(), 0);
    for (const BinaryExpression& half : halves) {
      if (half.columns[0] < 0) return;
      values[half.columns[0]] = 0.5;
    }
    for (int s = std::max(model.windows.first_stage, i + 1); s < a; ++s) {
      if (model.carried(s, i).columns[0] >= 0) values[model.carried(s, i).columns[0]] = 1;
    }
    ASSERT_EQ(value_of(model.available(a + 1, i), values), 1);
    double most = 0;
    for (const PrecedenceCut& cut : separate_precedence(model, problem.graph, values, {})) {
      if (cut.path == std::vector{i} && cut.first == a) most = std::max(most, cut.violation);
      EXPECT_NEAR(excess(to_row(model, problem.graph, cut), values), cut.violation, 1e-9);
    }
    EXPECT_EQ(most, 0.5) << "tensor " << i << ", stage " << a;
    ++moments;
  });
  EXPECT_GT(moments, 0);
}

}  // namespace
}  // namespace poet
