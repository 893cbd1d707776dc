// The search on graphs that are not chains, in every kind of problem there is.

#include <gtest/gtest.h>

#include "poet/simulate.hpp"
#include "solver/search/local_search.hpp"
#include "solver/search/tightening.hpp"
#include "solver/search/timeline_search.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"
#include "support/wild_problems.hpp"

namespace poet {
namespace {

TEST(TimelineSearch, KeepsEveryRuleAndBudget) {
  int found = 0;
  for (int seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = test::random_exact_problem(random, 6 + random.below(20));
    const auto schedule = search_timelines(problem, {.moves = 20'000, .seed = 3});
    if (!schedule) continue;
    ++found;
    const Replay replay = simulate(problem.graph, *schedule, problem.limits);
    EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
  }
  EXPECT_GE(found, 60);
}

/// The search has no proof, but on graphs of a few nodes it tries nearly everything.
TEST(TimelineSearch, MostlyFindsTheOptimumOfSmallGraphsAndNeverLess) {
  int feasible = 0;
  int optimal = 0;
  for (int seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem =
        test::wild_problem(random, 4 + random.below(4), test::Numbers::moderate);
    Limits limits = problem.limits;
    limits.runtime_budget_seconds *= 1 + kRuntimeSlack;  // the oracle knows no slack
    const auto best = test::ask_oracle(problem.graph, limits);
    const auto schedule = local_search(problem, {.moves = 20'000});
    feasible += best ? 1 : 0;
    if (!schedule) continue;
    const Replay replay = simulate(problem.graph, *schedule, problem.limits);
    ASSERT_TRUE(replay.valid()) << replay.violations.front().message;
    ASSERT_TRUE(best.has_value());
    const Joules slack = 1e-9 * best->energy_joules;
    EXPECT_GE(replay.energy_joules, best->energy_joules - slack);
    optimal += replay.energy_joules <= best->energy_joules + slack ? 1 : 0;
  }
  EXPECT_GE(feasible, 60);
  EXPECT_GE(optimal, feasible * 8 / 10);
}

TEST(TimelineSearch, RepeatsWithTheSameSeed) {
  Random random(5);
  const Problem problem = test::random_exact_problem(random, 40);
  const auto first = search_timelines(problem, {.moves = 50'000, .seed = 11});
  const auto second = search_timelines(problem, {.moves = 50'000, .seed = 11});
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(*first, *second);
}

/// What a search with a line of chains says on its way. It ends with the plan of this number, if
/// there are as many.
struct Course {
  std::vector<Schedule> plans;
  std::int64_t moves = -1;

  bool operator==(const Course&) const = default;
};

Course course_of(const Problem& problem, int processes, std::size_t most_plans) {
  Course course;
  search_timelines(
      problem,
      {.moves = 40'000,
       .seed = 2,
       .line = 4,
       .processes = processes,
       .stop = [&] { return course.plans.size() >= most_plans; },
       .improved = [&](const Timeline& plan) { course.plans.push_back(to_schedule(plan)); },
       .moved = [&](std::int64_t made) { course.moves = made; }});
  return course;
}

TEST(TimelineSearch, TakesTheSameCourseHoweverManyProcessesShareIt) {
  int with_plans = 0;
  for (int number = 0; with_plans < 4; ++number) {
    SCOPED_TRACE(number);
    Random random(number);
    const Problem problem = test::random_exact_problem(random, 20 + random.below(20));
    const Course whole = course_of(problem, 1, 1000);
    if (whole.plans.size() < 3) continue;
    ++with_plans;
    EXPECT_EQ(whole.moves, 40'000);
    EXPECT_EQ(course_of(problem, 2, 1000), whole);
    EXPECT_EQ(course_of(problem, 3, 1000), whole);
    // Ended by what it found, as a proof does.
    const Course part = course_of(problem, 1, whole.plans.size() - 1);
    EXPECT_EQ(part.plans.size(), whole.plans.size() - 1);
    EXPECT_LT(part.moves, whole.moves);
    EXPECT_EQ(course_of(problem, 2, whole.plans.size() - 1), part);
  }
}

TEST(TimelineSearch, IsNoWorseThanItsStart) {
  Random random(8);
  const Problem problem = test::random_problem(random, 60);
  const auto start = first_schedule(problem);
  ASSERT_TRUE(start.has_value());
  const Schedule& given = *start;
  const auto schedule = search_timelines(problem, {.moves = 1000, .starts = {entries_of(given)}});
  ASSERT_TRUE(schedule.has_value());
  EXPECT_LE(simulate(problem.graph, *schedule, problem.limits).energy_joules,
            simulate(problem.graph, given, problem.limits).energy_joules);
}

/// A graph without a backward pass, on which a few tensors reach far, with RAM this share of the
/// way from the working set to the baseline's peak.
Problem far_reaching_problem(Random& random, int size, double share) {
  std::vector<Node> nodes;
  for (int j = 0; j < size; ++j) {
    Node node = test::random_node(random, j);
    if (j > 0) node.inputs = {random.below(j), std::max(0, j - 1 - random.below(6)), j - 1};
    nodes.push_back(std::move(node));
  }
  Problem problem{.graph = make_graph(std::move(nodes))};
  const Baseline base = baseline(problem.graph);
  const Bytes low = working_set(problem.graph).bytes;
  const auto room = static_cast<double>(base.peak_ram_bytes - low);
  problem.limits = {.ram_budget_bytes = low + static_cast<Bytes>(share * room),
                    .runtime_budget_seconds = 1000 * base.runtime_seconds,
                    .techniques = kOnlyRemat};
  return problem;
}

TEST(Tightening, ReachesLowBudgetsOfAnyGraph) {
  int found = 0;
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = far_reaching_problem(random, 60, 0.6);
    const WholeCosts costs(problem);
    Timeline timeline(costs);
    TimelineMoves moves(timeline, random);
    std::int64_t moves_left = 300'000;
    const auto plan =
        tighten(timeline, moves, scales_of(costs), random, moves_left, [] { return false; });
    if (!plan) continue;
    ++found;
    EXPECT_GT(moves_left, 0);
    timeline.restore(plan->entries);
    EXPECT_TRUE(simulate(problem.graph, to_schedule(timeline), problem.limits).valid());
  }
  EXPECT_GE(found, 9);
}

}  // namespace
}  // namespace poet
