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
