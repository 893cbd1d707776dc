#include "solver/relaxation/row_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "poet/problem.hpp"
#include "solver/formulation/moments.hpp"
#include "solver/formulation/sampled_relaxation.hpp"
#include "solver/milp/linear_program.hpp"
#include "solver/milp/scaling.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

bool take_any_bound(double) {
  return true;
}

/// A relaxation of which most rows are rarely tight.
ScaledMilp sampled_chain() {
  Problem problem = test::chain_problem(20, 20);
  problem.limits.ram_budget_bytes = 100;
  const UsefulWindows windows = useful_windows(problem, true, kInfinity);
  const SampledModel model = sampled_relaxation(problem, windows, peak_moments(problem, 8));
  return scale(model.milp, baseline(problem.graph).energy_joules);
}

TEST(RowLoop, ComesToTheOptimumOfAllRows) {
  const ScaledMilp scaled = sampled_chain();
  LinearProgram whole(scaled.milp);
  ASSERT_EQ(whole.solve(kInfinity, kInfinity), LinearProgram::Status::optimal);
  ASSERT_GT(whole.bound(), 1);
  const RowLoopResult result = run_row_loop(scaled.milp, {.least_gain = 0}, take_any_bound);
  EXPECT_EQ(result.status, RowLoopResult::Status::bounded);
  EXPECT_NEAR(result.bound, whole.bound(), 1e-3 * whole.bound());
  EXPECT_LE(result.bound, whole.bound() * (1 + 1e-12));
}

TEST(RowLoop, ReportsBoundsThatRise) {
  std::vector<double> bounds;
  const RowLoopResult result = run_row_loop(sampled_chain().milp, {}, [&](double bound) {
    if (bound > -kInfinity) bounds.push_back(bound);
    return true;
  });
  ASSERT_FALSE(bounds.empty());
  EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
  EXPECT_EQ(bounds.back(), result.bound);
}

TEST(RowLoop, EndsAtTheCeiling) {
  const ScaledMilp scaled = sampled_chain();
  const double optimum = run_row_loop(scaled.milp, {}, take_any_bound).bound;
  const RowLoopResult result = run_row_loop(scaled.milp, {.ceiling = optimum / 2}, take_any_bound);
  EXPECT_EQ(result.status, RowLoopResult::Status::closed);
  EXPECT_EQ(result.bound, optimum / 2);
}

/// One column of cost 1 between 0 and 1.
Milp one_column() {
  Milp milp;
  milp.add_column({.name = "x", .cost = 1});
  return milp;
}

MilpRow at_least(double bound) {
  return {.name = "row", .lower = bound, .terms = {{.column = 0, .coefficient = 1}}};
}

TEST(RowLoop, AddsCutsUntilThereAreNone) {
  const RowLoopOptions options{.cuts = [](std::span<const double> values) {
    return values[0] < 0.5 ? std::vector{at_least(values[0] + 0.125)} : std::vector<MilpRow>();
  }};
  const RowLoopResult result = run_row_loop(one_column(), options, take_any_bound);
  EXPECT_EQ(result.status, RowLoopResult::Status::bounded);
  EXPECT_NEAR(result.bound, 0.5, 1e-12);
}

TEST(RowLoop, ProvesThatNoPointSatisfiesTheRows) {
  Milp milp = one_column();
  milp.rows.push_back(at_least(2));
  EXPECT_EQ(run_row_loop(milp, {}, take_any_bound).status, RowLoopResult::Status::infeasible);
  milp.rows.front().rarely_tight = true;
  EXPECT_EQ(run_row_loop(milp, {}, take_any_bound).status, RowLoopResult::Status::infeasible);
}

TEST(RowLoop, ClaimsNothingWhenItIsStopped) {
  const RowLoopResult result = run_row_loop(sampled_chain().milp, {}, [](double) { return false; });
  EXPECT_NE(result.status, RowLoopResult::Status::closed);
  EXPECT_NE(result.status, RowLoopResult::Status::infeasible);
}

}  // namespace
}  // namespace poet
