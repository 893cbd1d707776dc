#include "solver/relaxation/count_node.hpp"

#include <gtest/gtest.h>

#include "base/process/child.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/relaxation/fields.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

/// Whether a node is accepted whose linear program has one row, of this origin.
bool accepts(const Relaxation::Origin& origin) {
  Problem problem = test::chain_problem(8, 1000);
  problem.limits.ram_budget_bytes = 5000;
  const Formulation model = formulate(problem, useful_windows(problem, false, kInfinity));
  const ScaledMilp scaled = scale(model.milp, baseline(problem.graph).energy_joules);
  const std::vector<Count> counts = make_counts(model, problem.graph, scaled);
  const CountNodes nodes(model, problem.graph, scaled.milp, counts, {});
  const std::size_t columns = scaled.milp.columns.size();
  CountNode node{.bound = 1, .values = std::vector<double>(columns, 0.0)};
  node.relaxation.cuts.push_back(
      PrecedenceCut{.first = 1, .last = 2, .path = {0}, .by_copy = {false}});
  node.relaxation.origins.push_back(origin);
  node.relaxation.basis.resize(columns + 1);
  try {
    nodes.check(node);
  } catch (const MalformedMessage&) {
    return false;
  }
  return true;
}

TEST(CountNodes, AcceptRowsOfOneOrigin) {
  EXPECT_TRUE(accepts({.pool_row = 0}));
  EXPECT_TRUE(accepts({.cut = 0}));
  EXPECT_TRUE(accepts({.number = 0}));
}

TEST(Cuts, FitAGraphThatHasTheirNodes) {
  const KnapsackCut cut{
      .stage = 3, .node = 2, .tensors = {0, 3}, .knapsack = {.weights = {1, 2}, .capacity = 2}};
  EXPECT_TRUE(fits(Cut(cut), 4));
  EXPECT_FALSE(fits(Cut(cut), 3));
  for (const auto spoil : {+[](KnapsackCut& spoilt) { spoilt.node = 4; },
                           +[](KnapsackCut& spoilt) { spoilt.tensors[1] = 4; },
                           +[](KnapsackCut& spoilt) { spoilt.knapsack.weights.pop_back(); }}) {
    KnapsackCut spoilt = cut;
    spoil(spoilt);
    EXPECT_FALSE(fits(Cut(spoilt), 9));
  }
}

TEST(CountNodes, RefuseRowsOfNoneOrSeveral) {
  EXPECT_FALSE(accepts({}));
  EXPECT_FALSE(accepts({.pool_row = 0, .cut = 0}));
  EXPECT_FALSE(accepts({.pool_row = 0, .number = 0}));
  EXPECT_FALSE(accepts({.cut = 0, .number = 0}));
  EXPECT_FALSE(accepts({.pool_row = 0, .cut = 1'000'000})) << "a cut that does not exist, beside";
  EXPECT_FALSE(accepts({.cut = -2, .number = 0}));
  EXPECT_FALSE(accepts({.cut = 1}));
}

}  // namespace
}  // namespace poet
