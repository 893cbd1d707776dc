#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "baselines/checkpoints.hpp"
#include "baselines/method.hpp"
#include "baselines/residency.hpp"
#include "poet/error.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;

/// `steps` layers after the data, all of 100 bytes and 1 J, and their gradients.
Problem unit_chain(int steps) {
  Problem problem = chain_problem(steps + 1, 100);
  problem.graph.nodes[0].energy_joules = problem.graph.nodes[0].runtime_seconds = 0;
  return problem;
}

Replay replay_of(const Problem& problem, const Attempt& attempt) {
  EXPECT_TRUE(attempt.schedule) << attempt.reason;
  return simulate(problem.graph, attempt.schedule.value_or(Schedule{}), problem.limits);
}

TEST(Residency, LeavesOutWhatIsOfNoUse) {
  const Problem problem = unit_chain(3);
  Residency residency = keep_everything(problem.graph);
  residency.hold(0, 1, problem.graph.size() - 1);
  residency.page_out[2].push_back(1);
  EXPECT_EQ(schedule_of(problem.graph, residency), baseline(problem.graph).schedule);
}

TEST(Residency, HasNoScheduleForWhatMayNotBeComputedAgain) {
  std::vector<Node> nodes = unit_chain(3).graph.nodes;
  nodes[1].recompute = false;
  const Graph graph = make_graph(nodes);
  Residency residency = keep_everything(graph);
  residency.drop(1, 3, graph.size() - 1);
  EXPECT_FALSE(schedule_of(graph, residency));
}

TEST(Methods, KeepAllIsTheBaseline) {
  const Problem problem = unit_chain(4);
  EXPECT_EQ(keep_all(problem).schedule, baseline(problem.graph).schedule);
}

TEST(Methods, PageAllComputesNothingTwiceAndNeedsLessRam) {
  const Problem problem = unit_chain(12);
  const Replay replay = replay_of(problem, page_all(problem));
  EXPECT_TRUE(replay.valid());
  EXPECT_EQ(replay.recompute_count, 0);
  EXPECT_GT(replay.page_in_count, 0);
  EXPECT_LT(replay.peak_ram_bytes, problem.limits.ram_budget_bytes);
}

TEST(Chen, EndsSegmentsAnywhereIfANetworkHasNoTwoCuts) {
  const Graph graph = make_graph({{}, {.inputs = {0}}, {.inputs = {0, 1}, .backward = true}});
  EXPECT_THAT(segment_ends(graph), ElementsAre(0, 1));
}

TEST(Chen, KeepsTheSquareRootOfALongChain) {
  // 16 layers in 4 segments: 3 checkpoints, the 4 outputs of a segment beside them, and a gradient.
  const Problem problem = unit_chain(16);
  const Replay replay = replay_of(problem, chen_sqrt(problem));
  EXPECT_TRUE(replay.valid());
  EXPECT_EQ(replay.peak_ram_bytes, (3 + 4 + 1) * 100);
  // Each of the first three segments is computed again but for its checkpoint; data is as well.
  EXPECT_EQ(replay.recompute_count, 3 * 3 + 1);
}

TEST(Chen, GreedyFitsWhereTheSquareRootDoesNot) {
  Problem problem = unit_chain(16);
  problem.graph.nodes[3].bytes = 800;
  problem.limits.ram_budget_bytes = replay_of(problem, chen_greedy(problem)).peak_ram_bytes;
  EXPECT_TRUE(replay_of(problem, chen_greedy(problem)).valid());
}

TEST(Dtr, KeepsToItsBudgetOnAChain) {
  Problem problem = unit_chain(16);
  const Bytes all = problem.limits.ram_budget_bytes;
  EXPECT_EQ(dtr_like(problem).schedule, baseline(problem.graph).schedule);
  for (const int share : {90, 70, 50}) {
    problem.limits.ram_budget_bytes = all * share / 100;
    const Replay replay = replay_of(problem, dtr_like(problem));
    EXPECT_LE(replay.peak_ram_bytes, problem.limits.ram_budget_bytes) << share;
    EXPECT_GT(replay.recompute_count, 0) << share;
  }
}

TEST(Capuchin, SwapsWhatHidesAndRecomputesOtherwise) {
  Problem problem = unit_chain(12);
  problem.limits.ram_budget_bytes = problem.limits.ram_budget_bytes * 6 / 10;
  for (Node& node : problem.graph.nodes) node.page_in_seconds = node.page_out_seconds = 0.1;
  const Replay fast = replay_of(problem, capuchin_like(problem));
  EXPECT_TRUE(fast.valid());
  EXPECT_EQ(fast.recompute_count, 0);
  for (Node& node : problem.graph.nodes) node.page_in_seconds = node.page_out_seconds = 1000;
  const Replay slow = replay_of(problem, capuchin_like(problem));
  EXPECT_TRUE(slow.valid());
  EXPECT_EQ(slow.page_in_count, 0);
}

/// One layer takes nine times as long as any other for the same bytes.
TEST(MemoryBudget, SavesWhatIsWorthMostAndComputesTheRestAgain) {
  Problem problem = unit_chain(8);
  for (Node& node : problem.graph.nodes) {
    if (!node.backward) node.runtime_seconds = node.energy_joules = node.name == "layer2" ? 9 : 1;
  }
  problem.limits.ram_budget_bytes = baseline(problem.graph).peak_ram_bytes - 100;
  for (const auto method : {budget_greedy, budget_dp}) {
    const Attempt attempt = method(problem);
    const Replay replay = replay_of(problem, attempt);
    EXPECT_TRUE(replay.valid()) << attempt.parameter;
    EXPECT_GT(replay.recompute_count, 0);
    EXPECT_EQ(replay.page_in_count, 0);
    for (int t = 3; t < problem.graph.size(); ++t) {
      EXPECT_FALSE(std::binary_search(attempt.schedule->stages[t].compute.begin(),
                                      attempt.schedule->stages[t].compute.end(), 2))
          << "stage " << t;
    }
  }
  problem.limits.ram_budget_bytes += 100;
  EXPECT_EQ(replay_of(problem, budget_dp(problem)).recompute_count, 0) << "all of it is saved";
}

TEST(MemoryBudget, BreaksNoRuleOnDrawnGraphs) {
  for (int seed = 0; seed < 40; ++seed) {
    Twister random(seed);
    const Case drawn = random_exact_case(random);
    const Problem problem{.graph = drawn.graph, .limits = drawn.limits};
    const Attempt greedy = budget_greedy(problem);
    const Attempt dynamic = budget_dp(problem);
    ASSERT_EQ(greedy.schedule.has_value(), dynamic.schedule.has_value());
    if (!greedy.schedule) continue;
    for (const Attempt& attempt : {greedy, dynamic}) {
      for (const Violation& violation : replay_of(problem, attempt).violations) {
        EXPECT_TRUE(violation.rule == Rule::ram || violation.rule == Rule::runtime)
            << violation.message;
      }
    }
  }
}

TEST(LookAhead, MovesLessWithMoreRam) {
  Problem problem = unit_chain(12);
  const Bytes all = baseline(problem.graph).peak_ram_bytes;
  int last = std::numeric_limits<int>::max();
  for (const int percent : {50, 70, 90, 100}) {
    problem.limits.ram_budget_bytes = all * percent / 100;
    const Attempt attempt = look_ahead(problem);
    const Replay replay = replay_of(problem, attempt);
    EXPECT_TRUE(replay.valid()) << percent << ": " << attempt.parameter;
    EXPECT_EQ(replay.recompute_count, 0);
    EXPECT_LE(replay.page_in_count, last);
    last = replay.page_in_count;
  }
  EXPECT_EQ(last, 0) << "all of it fits";
}

TEST(MethodList, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(parse_methods("all").size(), all_methods().size());
  EXPECT_THAT(parse_methods("poet,keep-all"), ElementsAre(Method::poet, Method::keep_all));
  EXPECT_THROW(parse_methods("poet,poet"), InputError);
  EXPECT_THROW(parse_methods("chen"), InputError);
  EXPECT_THROW(parse_methods(""), InputError);
  for (const MethodInfo& info : all_methods()) EXPECT_EQ(info_of(info.method).name, info.name);
}

}  // namespace
}  // namespace poet::test
