// A program of its own, which runs alone: it measures how far a given time goes.
#include <gtest/gtest.h>

#include "golden/instance.hpp"
#include "poet/solve.hpp"

namespace poet {
namespace {

// The bound moves when the relaxation's root is solved, some 12 to 18 s into the solve on a slow
// machine; the limit leaves room for that, and the solve ends once both figures are reached.
constexpr Seconds kTimeLimit = 40;
constexpr Joules kEnergy = 0.5525;
constexpr Joules kBound = 0.5490;

TEST(TimedInstance, Resnet18CifarOnM4ComesCloseToTheOptimumInFortySeconds) {
  const Problem problem = instance("resnet18_cifar", "m4", 737719, 1.5);
  bool reached = false;
  SolveOptions options{.time_limit_seconds = kTimeLimit};
  options.progress = [&](const Progress& now) {
    reached = now.incumbent_joules <= kEnergy && now.bound_joules >= kBound;
  };
  options.interrupted = [&] { return reached; };
  const SolveResult result = solve(problem, options);
  EXPECT_LE(result.report.wall_seconds, kTimeLimit * 1.1 + 1);
  ASSERT_TRUE(result.schedule);
  EXPECT_LE(result.energy_joules, kEnergy);
  EXPECT_GE(result.lower_bound_joules, kBound);
  EXPECT_LE(result.lower_bound_joules, result.energy_joules);
  EXPECT_TRUE(simulate(problem.graph, *result.schedule, problem.limits).valid());
}

}  // namespace
}  // namespace poet
