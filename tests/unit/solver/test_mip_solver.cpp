#include "solver/milp/mip_solver.hpp"

#include <gtest/gtest.h>

#include "solver/formulation/formulate.hpp"
#include "solver/milp/scaling.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

/// A chain with room for half of it: feasible, and more than one relaxation's worth of work.
ScaledMilp half_a_chain() {
  Problem problem = test::chain_problem(8, 10);
  problem.limits.ram_budget_bytes = 60;
  const UsefulWindows windows = useful_windows(problem, false, kInfinity);
  return scale(formulate(problem, windows).milp, baseline(problem.graph).energy_joules);
}

bool go_on(const MipProgress& /*now*/) {
  return true;
}

TEST(MipSolver, FindsTheOptimumInTime) {
  const MipResult result = solve_mip(half_a_chain().milp, {.time_limit_seconds = 60}, go_on);
  EXPECT_EQ(result.status, MipResult::Status::finished);
  EXPECT_TRUE(result.values);
}

/// Two columns of cost 1 that cannot both be 0: nothing costs less than 1.
Milp one_of_two() {
  return {.columns = {{.cost = 1, .lower = 0, .upper = 1, .integer = true},
                      {.cost = 1, .lower = 0, .upper = 1, .integer = true}},
          .rows = {{.lower = 1, .terms = {{0, 1}, {1, 1}}}}};
}

TEST(MipSolver, FindsNothingOnlyByTwoSearches) {
  const MipResult result =
      solve_mip(one_of_two(), {.cutoff = 0.5, .time_limit_seconds = 60}, go_on);
  EXPECT_EQ(result.status, MipResult::Status::finished);
  EXPECT_FALSE(result.values);
  EXPECT_EQ(result.bound, 0.5);
  EXPECT_EQ(result.searches, 2);
}

TEST(MipSolver, SaysThatOneSearchWasEnoughWithoutPresolve) {
  const MipResult result =
      solve_mip(one_of_two(), {.cutoff = 0.5, .time_limit_seconds = 60, .presolve = false}, go_on);
  EXPECT_EQ(result.status, MipResult::Status::finished);
  EXPECT_FALSE(result.values);
  EXPECT_EQ(result.searches, 1);
}

TEST(MipSolver, ConfirmsWithoutCostsThatThereIsNothingAtAll) {
  Milp impossible = one_of_two();
  impossible.rows.push_back({.upper = 0.5, .terms = {{0, 1}, {1, 1}}});
  // Without presolve one search would do, if costs had no part in it.
  MipResult result = solve_mip(impossible, {.time_limit_seconds = 60, .presolve = false}, go_on);
  EXPECT_EQ(result.status, MipResult::Status::finished);
  EXPECT_FALSE(result.values);
  EXPECT_EQ(result.searches, 2);
  result =
      solve_mip(without_costs(impossible), {.time_limit_seconds = 60, .presolve = false}, go_on);
  EXPECT_EQ(result.status, MipResult::Status::finished);
  EXPECT_FALSE(result.values);
  EXPECT_EQ(result.searches, 1);
}

TEST(Scaling, BringsTheDearestColumnToWhatCbcCanBear) {
  Milp milp = one_of_two();
  milp.columns[0].cost = 1e5;
  // The baseline is 1e4 units, so that this column is one of 1e9.
  ScaledMilp scaled = scale(milp, 1);
  EXPECT_EQ(scaled.units_per_joule, 1e4);
  EXPECT_EQ(scaled.milp.columns[0].cost, 1e9);
  const double usual_rounding = scaled.rounding;
  milp.columns[0].cost = 1e15;
  scaled = scale(milp, 1);
  EXPECT_DOUBLE_EQ(scaled.milp.columns[0].cost, kDearestColumn);
  EXPECT_DOUBLE_EQ(scaled.to_joules(scaled.milp.columns[1].cost), 1);
  EXPECT_GE(scaled.rounding, 1e-4) << "the unit is coarse, and CBC's tolerances are absolute";
  EXPECT_LT(usual_rounding, 1e-5);
}

// CBC calls a model infeasible when its time runs out in its first steps.
TEST(MipSolver, ProvesNothingWhereTimeRunsOut) {
  const ScaledMilp scaled = half_a_chain();
  for (int tenths = 1; tenths <= 40; ++tenths) {
    const MipResult result =
        solve_mip(scaled.milp, {.cutoff = 1e9, .time_limit_seconds = 1e-4 * tenths}, go_on);
    const bool nothing_exists = result.status == MipResult::Status::finished && !result.values;
    EXPECT_FALSE(nothing_exists) << "in " << tenths << " tenths of a millisecond";
  }
}

}  // namespace
}  // namespace poet
