#include "solver/search/local_search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "solver/search/position.hpp"
#include "solver/search/threshold_search.hpp"
#include "solver/search/timeline_search.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

bool never() {
  return false;
}

Problem draw_problem(int seed) {
  Random random(seed);
  return test::random_problem(random, 6 + random.below(30));
}

/// A chain of equal layers with its backward chain, at the smallest budget there is.
Problem smallest_chain() {
  Problem problem = test::chain_problem(8, 100);
  problem.limits.ram_budget_bytes = working_set(problem.graph).bytes;
  return problem;
}

TEST(Greedy, LeavesOnlySchedulesThatTheSimulatorAccepts) {
  int found = 0;
  for (int seed = 0; seed < 100; ++seed) {
    for (const Return back : {Return::at_use, Return::any}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      const Problem problem = draw_problem(seed);
      const WholeCosts costs(problem);
      Timeline timeline(costs);
      descend(timeline, back, never);
      EXPECT_EQ(timeline.overtime(), 0);
      if (!timeline.feasible()) continue;
      ++found;
      EXPECT_TRUE(simulate(problem.graph, to_schedule(timeline), problem.limits).valid());
    }
  }
  EXPECT_GE(found, 150);
}

TEST(Greedy, PrunesWhateverCanGo) {
  int pruned = 0;
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Problem problem = draw_problem(seed);
    const WholeCosts costs(problem);
    Timeline timeline(costs);
    evict_everything(timeline, true, never);
    if (!timeline.feasible()) continue;
    const Units evicted = timeline.extra_energy();
    prune(timeline, never);
    EXPECT_TRUE(timeline.feasible());
    pruned += timeline.extra_energy() < evicted ? 1 : 0;
    const Units energy = timeline.extra_energy();
    for (const Entry& entry : std::vector<Entry>(timeline.entries())) {
      timeline.remove(entry);
      timeline.tidy();
      EXPECT_FALSE(timeline.feasible() && timeline.extra_energy() < energy);
      timeline.rollback();
    }
  }
  EXPECT_GE(pruned, 30);
}

TEST(Greedy, EndsPruningEarlyWithAScheduleThatFits) {
  int ended = 0;
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Problem problem = draw_problem(seed);
    const WholeCosts costs(problem);
    Timeline timeline(costs);
    evict_everything(timeline, true, never);
    const std::size_t evicted = timeline.entries().size();
    if (!timeline.feasible() || evicted < 3) continue;
    int asked = 0;
    prune(timeline, [&] { return ++asked > 2; });
    EXPECT_TRUE(timeline.feasible());
    EXPECT_EQ(asked, 3);
    ++ended;
  }
  EXPECT_GE(ended, 20);
}

/// A node whose output goes over its input's RAM needs the input's bytes less, if the input goes.
TEST(Greedy, GivesUpWhatAnOutputCouldTakeOver) {
  const auto node = [](std::vector<int> inputs, std::optional<int> over) {
    return Node{.op = "custom",
                .bytes = 128,
                .runtime_seconds = 1,
                .energy_joules = 1,
                .inputs = std::move(inputs),
                .in_place = over};
  };
  std::vector<Node> nodes{node({}, {}), node({0}, {}), node({1}, 1), node({0, 1}, {})};
  for (int k = 0; k < 4; ++k) nodes[k].name = fmt::format("n{}", k);
  Problem problem{.graph = make_graph(std::move(nodes))};
  problem.limits = {
      .ram_budget_bytes = 3 * 128 - 1, .runtime_budget_seconds = 100, .techniques = kOnlyRemat};
  ASSERT_EQ(baseline(problem.graph).peak_ram_bytes, 3 * 128);
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  descend(timeline, Return::at_use, never);
  EXPECT_LT(timeline.ram().ram(2), 3 * 128);
}

/// Node 0 has to make room for the workspace of node 3. Its page-out takes as long as the
/// computation of node 2, in whose stage it costs no time; right after node 0 it would cost more
/// than there is. There is time to compute node 0 again, which takes far more energy.
Problem problem_of_a_late_page_out() {
  const std::vector<std::vector<int>> inputs{{}, {0}, {0, 1}, {2}, {3}, {0, 4}};
  std::vector<Node> nodes;
  for (int k = 0; k < 6; ++k) {
    nodes.push_back({.name = fmt::format("n{}", k),
                     .op = "custom",
                     .bytes = k == 0 ? 100 : 10,
                     .runtime_seconds = k < 2 ? 1.0 : 5.0,
                     .energy_joules = k == 0 ? 50.0 : 1.0,
                     .page_in_energy_joules = 1,
                     .page_out_energy_joules = 1,
                     .page_in_seconds = 5,
                     .page_out_seconds = 5,
                     .inputs = inputs[k]});
  }
  nodes[3].workspace_bytes = 100;
  Problem problem{.graph = make_graph(std::move(nodes))};
  problem.limits = {.ram_budget_bytes = 150,
                    .runtime_budget_seconds = baseline(problem.graph).runtime_seconds + 1,
                    .paging_time = PagingTime::overlapped};
  return problem;
}

TEST(Greedy, HidesAPageOutBehindALaterComputation) {
  const Problem problem = problem_of_a_late_page_out();
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  descend(timeline, Return::at_use, never);
  EXPECT_TRUE(timeline.feasible());
  EXPECT_EQ(timeline.page_out_stage(0), 2);

  timeline.restore({{.node = 0, .at = stage_start(5)}});
  EXPECT_EQ(timeline.violation(), 0);
  EXPECT_GT(timeline.overtime(), 0);
}

/// The same from the baseline, by random changes, against a proof of the whole model.
TEST(LocalSearch, PutsOffAPageOutToMeetTheOptimum) {
  const Problem problem = problem_of_a_late_page_out();
  const SolveResult best =
      solve(problem, {.settings = {.gap = 0, .time_limit_seconds = 60, .features = no_features()}});
  ASSERT_EQ(best.status, Status::optimal);
  const auto found = search_timelines(problem, {.moves = 20'000, .seed = 3});
  ASSERT_TRUE(found.has_value());
  const Replay replay = simulate(problem.graph, *found, problem.limits);
  EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
  EXPECT_DOUBLE_EQ(replay.energy_joules, best.energy_joules);
  EXPECT_EQ(found->stages[2].page_out, std::vector{0});
}

TEST(FirstSchedule, ReachesTheWorkingSetOfAChain) {
  const Problem tight = smallest_chain();
  const auto schedule = first_schedule(tight);
  ASSERT_TRUE(schedule.has_value());
  EXPECT_TRUE(simulate(tight.graph, *schedule, tight.limits).valid());
}

TEST(FirstSchedule, IsNoneWhenItIsStopped) {
  EXPECT_FALSE(first_schedule(smallest_chain(), [] { return true; }).has_value());
}

TEST(Repair, MakesASchedulesTensorsFit) {
  const Problem tight = smallest_chain();
  const Schedule whole = baseline(tight.graph).schedule;
  ASSERT_FALSE(simulate(tight.graph, whole, tight.limits).valid());
  int found = 0;
  for (int percent = 50; percent < 100; percent += 10) {
    Problem problem = tight;
    problem.limits.ram_budget_bytes = baseline(tight.graph).peak_ram_bytes * percent / 100;
    const auto fitting = repaired(problem, whole, never);
    if (!fitting) continue;
    ++found;
    EXPECT_TRUE(simulate(problem.graph, *fitting, problem.limits).valid());
  }
  EXPECT_GE(found, 4);
}

/// The only change that helps takes nothing off the energy or the RAM, only off the time.
TEST(ThresholdSearch, SeesThatAScheduleIsInTimeAgain) {
  std::vector<Node> nodes;
  for (int k = 0; k < 5; ++k) {
    nodes.push_back({.name = fmt::format("n{}", k),
                     .op = "custom",
                     .bytes = 1,
                     .runtime_seconds = 1,
                     .energy_joules = k == 0 ? 0.0 : 1.0});
    if (k > 0) nodes[k].inputs.push_back(0);
    if (k > 1) nodes[k].inputs.push_back(k - 1);
  }
  Problem problem{.graph = make_graph(std::move(nodes))};
  problem.limits = {.ram_budget_bytes = 100,
                    .runtime_budget_seconds = baseline(problem.graph).runtime_seconds,
                    .techniques = kOnlyRemat};
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  timeline.restore({{.node = 0, .at = computation(3, 0)}});
  ASSERT_EQ(timeline.extra_energy(), 0);
  ASSERT_EQ(timeline.violation(), 0);
  ASSERT_GT(timeline.overtime(), 0);
  Random random(1);
  TimelineMoves moves(timeline, random);
  const ThresholdSettings settings{.moves = 2000,
                                   .hot = 1,
                                   .cold = 0.1,
                                   .price = 1,
                                   .time_price = 1,
                                   .least_price = 1,
                                   .largest_price = 1};
  EXPECT_TRUE(search_by_threshold(timeline, moves, settings, random, never).best.has_value());
}

TEST(LocalSearch, CountsTheMovesThatItMadeBeforeItWasStopped) {
  constexpr int kPolls = 8;
  constexpr std::int64_t kMovesPerPoll = 256;
  int polls = 0;
  std::int64_t moves = -1;
  search_timelines(smallest_chain(), {.moves = 100'000,
                                      .stop = [&] { return ++polls > kPolls; },
                                      .moved = [&](std::int64_t made) { moves = made; }});
  EXPECT_GE(moves, 0);
  EXPECT_LE(moves, kPolls * kMovesPerPoll);
}

TEST(LocalSearch, NeverReturnsAScheduleThatTheSimulatorRefuses) {
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

TEST(LocalSearch, EndsIfItFindsNothingBetterForLong) {
  const Problem problem = test::chain_problem(30, 100);
  Problem tight = problem;
  tight.limits.ram_budget_bytes = baseline(problem.graph).peak_ram_bytes / 2;
  constexpr std::int64_t kRest = 100'000;
  std::int64_t rested = 0;
  std::int64_t made = 0;
  const auto moved = [](std::int64_t& count) {
    return [&count](std::int64_t moves) { count += moves; };
  };
  const auto brief =
      local_search(tight, {.moves = 20 * kRest, .rest = kRest, .moved = moved(rested)});
  const auto whole = local_search(tight, {.moves = 20 * kRest, .moved = moved(made)});
  ASSERT_TRUE(brief && whole);
  EXPECT_GE(rested, kRest);
  EXPECT_LT(rested, made / 2);
}

}  // namespace
}  // namespace poet
