// Instances whose answers are known, and how soon they must come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/stopwatch.hpp"
#include "golden/instance.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"

namespace poet {
namespace {

using testing::HasSubstr;

constexpr Seconds kInstant = 0.5;

class FullBudget : public testing::TestWithParam<std::string> {};

TEST_P(FullBudget, IsSolvedAtOnceByTheBaselineOnEveryPlatform) {
  ASSERT_EQ(builtin_platforms().size(), 19U);
  for (const std::string& platform : builtin_platforms()) {
    SCOPED_TRACE(platform);
    const Stopwatch watch;
    Problem problem{.graph = graph_of(GetParam(), platform)};
    const Baseline base = baseline(problem.graph);
    problem.limits = {.ram_budget_bytes = base.peak_ram_bytes,
                      .runtime_budget_seconds = base.runtime_seconds};
    const SolveResult result = solve(problem, {.settings = {.gap = 0}});
    EXPECT_LT(watch.elapsed(), kInstant);
    EXPECT_EQ(result.status, Status::optimal);
    EXPECT_EQ(result.lower_bound_joules, result.energy_joules);
    EXPECT_DOUBLE_EQ(result.energy_joules, base.energy_joules);
    ASSERT_TRUE(result.schedule);
    EXPECT_TRUE(simulate(problem.graph, *result.schedule, problem.limits).valid());
  }
}

INSTANTIATE_TEST_SUITE_P(EveryModel, FullBudget, testing::ValuesIn(builtin_models()),
                         [](const auto& test) { return test.param; });

TEST(FullBudgets, CoverEveryModel) {
  EXPECT_EQ(builtin_models().size(), 17U);
}

TEST(Instance, Resnet18CifarOnA72InThreeMegabytesIsTheBaseline) {
  const Stopwatch watch;
  const Problem problem = instance("resnet18_cifar", "a72", 3000000, 7.6);
  const SolveResult result = solve(problem);
  EXPECT_LT(watch.elapsed(), kInstant);
  ASSERT_EQ(result.status, Status::optimal);
  EXPECT_NEAR(result.energy_joules, 7.88951018, 1e-8);
  const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
  EXPECT_EQ(replay.recompute_count, 0);
  EXPECT_EQ(replay.page_out_count, 0);
  EXPECT_EQ(replay.page_in_count, 0);
}

TEST(Instance, Vgg16CifarInOneMegabyteIsInfeasibleForANamedNode) {
  const Stopwatch watch;
  const Problem problem = instance("vgg16_cifar", "m4", 1000000, 2);
  const SolveResult result = solve(problem);
  EXPECT_LT(watch.elapsed(), kInstant);
  EXPECT_EQ(result.status, Status::infeasible);
  const Node& node = problem.graph.nodes[working_set(problem.graph).node];
  EXPECT_THAT(result.reason, HasSubstr(node.name));
  EXPECT_THAT(result.reason, HasSubstr("1048576 bytes"));
  EXPECT_EQ(result.smallest_ram_bytes, 1048576);
}

}  // namespace
}  // namespace poet
