// The sampled relaxation against the oracle: never above the optimum, and never without a solution
// if a schedule exists, for any number of moments and any windows that contain the optimum.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "poet/problem.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

constexpr int kCases = 60;
constexpr double kTolerance = 1e-8;  // of the energy, in sums of another order

/// The relaxation's optimum in scaled units; nothing if it is infeasible.
std::optional<double> sampled_optimum(const ScaledMilp& scaled) {
  const MipResult result =
      solve_mip(scaled.milp, {.absolute_gap = 0}, [](const MipProgress&) { return true; });
  EXPECT_EQ(result.status, MipResult::Status::finished) << result.message;
  if (!result.values) return std::nullopt;
  return result.bound;
}

TEST(SampledRelaxation, IsNeverAboveTheOptimum) {
  const CaseRange cases = wanted_cases(kCases);
  int informative = 0;
  for (int number = cases.first; number < cases.first + cases.count; ++number) {
    SCOPED_TRACE(fmt::format("POET_SEED={} POET_CASES=1", number));
    Random random(number);
    const Problem problem = wild_problem(random, 4 + random.below(5), Numbers::moderate);
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    if (!optimum) continue;
    const Joules base = baseline(problem.graph).energy_joules;
    const Joules extra = optimum->energy_joules - base;
    // The narrowest windows that still contain the optimum, or the widest.
    const Joules allowed = random.below(2) == 0 ? extra + 1e-9 * optimum->energy_joules : kInfinity;
    const UsefulWindows windows = useful_windows(problem, random.below(2) == 0, allowed);
    const int count = 1 + random.below(problem.graph.size());
    std::vector<int> moments;
    for (int t = 0; t < problem.graph.size(); ++t) {
      if (random.below(problem.graph.size()) < count) moments.push_back(t);
    }
    const ScaledMilp scaled = scale(sampled_relaxation(problem, windows, moments), base);
    const auto bound = sampled_optimum(scaled);
    ASSERT_TRUE(bound) << moments.size() << " moments have no solution";
    EXPECT_LE(*bound, scaled.to_units(extra + kTolerance * optimum->energy_joules))
        << moments.size() << " moments";
    if (*bound > 0.01) ++informative;
  }
  if (cases.count >= kCases) {
    EXPECT_GT(informative, cases.count / 20) << "bounds of nothing prove nothing";
  }
}

}  // namespace
}  // namespace poet::test
