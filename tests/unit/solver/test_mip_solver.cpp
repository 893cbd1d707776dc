#include "solver/milp/mip_solver.hpp"

#include <gtest/gtest.h>

#include "solver/formulation/formulation.hpp"
#include "solver/milp/scaling.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

/// A chain with room for half of it: feasible, and more than one relaxation's worth of work.
ScaledMilp half_a_chain() {
  Problem problem = test::chain_problem(8, 10);
  problem.limits.ram_budget_bytes = 60;
  const Scope scope = make_scope(problem, false, kInfinity);
  return scale(formulate(problem, scope).milp, baseline(problem.graph).energy_joules);
}

bool go_on(const MipProgress& /*now*/) {
  return true;
}

TEST(MipSolver, FindsTheOptimumInTime) {
  const MipResult result = solve_mip(half_a_chain().milp, {.time_limit_seconds = 60}, go_on);
  EXPECT_EQ(result.status, MipResult::Status::finished);
  EXPECT_TRUE(result.values);
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
