#include <gtest/gtest.h>

#include "poet/simulate.hpp"
#include "solver/search/greedy.hpp"
#include "solver/search/idle_spans.hpp"
#include "solver/search/local_search.hpp"
#include "solver/search/plan.hpp"
#include "solver/search/random.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

/// What a plan claims of itself, held against the simulator under ample budgets.
void expect_agrees_with_simulator(const Plan& plan) {
  const Graph& graph = plan.problem().graph;
  const Limits ample{.ram_budget_bytes = kMaxBytes, .runtime_budget_seconds = 1e30};
  const Replay replay = simulate(graph, plan.to_schedule(), ample);
  ASSERT_TRUE(replay.valid()) << replay.violations.front().message;
  const Baseline base = baseline(graph);
  EXPECT_NEAR(replay.energy_joules - base.energy_joules, plan.extra_energy(),
              1e-9 * base.energy_joules);
  EXPECT_NEAR(replay.runtime_seconds - base.runtime_seconds, plan.extra_runtime(),
              1e-9 * base.runtime_seconds);
  Bytes violation = 0;
  for (int t = 0; t < plan.size(); ++t) {
    ASSERT_EQ(plan.peak(t), replay.stage_peak_ram_bytes[t]) << "stage " << t;
    violation += std::max<Bytes>(0, plan.peak(t) - plan.problem().limits.ram_budget_bytes);
  }
  EXPECT_EQ(plan.violation(), violation);
}

/// Changes the mode of a random idle span; false if the pick was void.
bool change_some_gap(Plan& plan, Random& random) {
  const int i = random.below(plan.size());
  if (i + 1 >= plan.size()) return false;
  const auto span = find_idle_span(plan, i, i + 1 + random.below(plan.size() - i - 1));
  const auto mode = static_cast<SpanMode>(random.below(3));
  if (!span || !allows(plan, *span, mode)) return false;
  set_mode(plan, *span, mode);
  plan.settle();
  return true;
}

TEST(Plan, StartsAsTheBaseline) {
  Random random(1);
  const Problem problem = test::random_problem(random, 12);
  const Plan plan(problem);
  EXPECT_EQ(plan.to_schedule(), baseline(problem.graph).schedule);
  EXPECT_DOUBLE_EQ(plan.extra_energy(), 0);
}

TEST(Plan, AgreesWithTheSimulatorAfterEveryChange) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = test::random_problem(random, 6 + random.below(15));
    Plan plan(problem);
    for (int step = 0; step < 60; ++step) {
      if (!change_some_gap(plan, random)) continue;
      expect_agrees_with_simulator(plan);
      if (HasFatalFailure()) return;
      plan.commit();
    }
  }
}

TEST(Plan, RollbackRestoresEverything) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = test::random_problem(random, 6 + random.below(15));
    Plan plan(problem);
    for (int step = 0; step < 60; ++step) {
      const Schedule before = plan.to_schedule();
      const Joules energy = plan.extra_energy();
      const Bytes violation = plan.violation();
      if (!change_some_gap(plan, random)) continue;
      if (random.below(2) == 0) {
        plan.commit();
        continue;
      }
      plan.rollback();
      ASSERT_EQ(plan.to_schedule(), before);
      ASSERT_EQ(plan.extra_energy(), energy);
      ASSERT_EQ(plan.violation(), violation);
      expect_agrees_with_simulator(plan);
    }
  }
}

TEST(Plan, IsRebuiltFromItsSchedule) {
  Random random(7);
  const Problem problem = test::random_problem(random, 18);
  Plan plan(problem);
  for (int step = 0; step < 200; ++step) {
    if (change_some_gap(plan, random)) plan.commit();
  }
  const Plan again(problem, plan.to_schedule());
  EXPECT_EQ(again.to_schedule(), plan.to_schedule());
  EXPECT_NEAR(again.extra_energy(), plan.extra_energy(), 1e-12);
}

TEST(Greedy, EvictingEverythingReachesTheWorkingSetOfAChain) {
  // A chain of equal layers with its backward chain, at the smallest budget there is.
  const Problem problem = test::chain_problem(8, 100);
  const Bytes smallest = working_set(problem.graph).bytes;
  Problem tight = problem;
  tight.limits.ram_budget_bytes = smallest;
  const auto plan = first_plan(tight);
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(simulate(tight.graph, plan->to_schedule(), tight.limits).valid());
}

TEST(LocalSearch, NeverReturnsAPlanThatTheSimulatorRefuses) {
  int found = 0;
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = test::random_problem(random, 6 + random.below(15));
    const auto schedule = local_search(problem, {.moves = 20'000, .seed = 3});
    if (!schedule) continue;
    ++found;
    const Replay replay = simulate(problem.graph, *schedule, problem.limits);
    EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
  }
  EXPECT_GE(found, 15);
}

TEST(LocalSearch, RepeatsWithTheSameSeed) {
  Random random(5);
  const Problem problem = test::random_problem(random, 20);
  const LocalSearchOptions options{.moves = 30'000, .seed = 11};
  const auto first = local_search(problem, options);
  const auto second = local_search(problem, options);
  ASSERT_TRUE(second.has_value());
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(*first, *second);
}

}  // namespace
}  // namespace poet
