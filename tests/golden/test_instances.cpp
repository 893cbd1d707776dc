// How soon the baseline is the answer.
#include <gtest/gtest.h>

#include <string>

#include "base/stopwatch.hpp"
#include "golden/instance.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"

namespace poet {
namespace {

constexpr Seconds kInstant = 0.5;

class FullBudget : public testing::TestWithParam<std::string> {};

TEST_P(FullBudget, IsSolvedAtOnceByTheBaselineOnEveryPlatform) {
  ASSERT_EQ(builtin_platforms().size(), 25U);
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

}  // namespace
}  // namespace poet
