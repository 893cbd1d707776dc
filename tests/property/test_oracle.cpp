// The oracle against optima worked out by hand, the simulator, and schedules drawn at random.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "support/oracle.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/tiny_schedules.hpp"

namespace poet::test {
namespace {

// In the tiny graph only b and c run at a peak that depends on a: 111 bytes, or 11 without it. All
// four nodes once cost 15 J; recomputing a costs 1 J and 1 s more, paging it 0.75 J.
Limits plain_limits(Bytes ram, Seconds runtime) {
  return {.ram_budget_bytes = ram, .runtime_budget_seconds = runtime};
}

/// a, b, c and d as in the tiny graph, with d so small that the middle of the step is the peak.
Graph light_end() {
  Graph graph = tiny_graph();
  graph.nodes[3].bytes = 5;
  return graph;
}

TEST(Oracle, KeepsEverythingWhereThatFits) {
  const auto answer = ask_oracle(tiny_graph(), plain_limits(1101, 15));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->energy_joules, 15);
  EXPECT_EQ(answer->schedule, keep_all());
}

TEST(Oracle, PagesWhereThatCostsLessThanRecomputing) {
  // b needs a: 110 bytes. c in 111 bytes would fit too, so the peak has to be 110.
  const auto answer = ask_oracle(light_end(), plain_limits(110, 16));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->energy_joules, 15.75);
  EXPECT_EQ(answer->runtime_seconds, 15);
  EXPECT_EQ(answer->schedule, page_a());
}

TEST(Oracle, RecomputesWherePagingIsForbidden) {
  Limits without_paging = plain_limits(110, 16);
  without_paging.techniques.paging = false;
  const auto answer = ask_oracle(light_end(), without_paging);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->energy_joules, 16);
  EXPECT_EQ(answer->runtime_seconds, 16);
  EXPECT_EQ(answer->schedule, recompute_a());
}

TEST(Oracle, FindsNothingInAByteOrASecondTooLittle) {
  EXPECT_FALSE(ask_oracle(light_end(), plain_limits(109, 100)));
  EXPECT_FALSE(ask_oracle(light_end(), plain_limits(1000, 14.9)));
  Limits recompute_only = plain_limits(110, 15.9);
  recompute_only.techniques.paging = false;
  EXPECT_FALSE(ask_oracle(light_end(), recompute_only));
}

TEST(Oracle, TradesEnergyForRuntime) {
  // Recomputing a is cheap here, and takes longer than there is time for.
  Graph graph = light_end();
  graph.nodes[0].energy_joules = 0.25;
  EXPECT_EQ(ask_oracle(graph, plain_limits(110, 16))->energy_joules, 14.5);
  EXPECT_EQ(ask_oracle(graph, plain_limits(110, 15.5))->energy_joules, 15);
}

/// Draws schedules of small graphs and asks the oracle for better ones within their limits.
void compare_with_drawn_schedules(Case (*draw_case)(Twister&), int count) {
  Twister random(20220716);
  int cases = 0;
  int with_transfers = 0;
  while (cases < count) {
    const Case made = draw_case(random);
    if (made.graph.size() > 7) continue;
    SCOPED_TRACE(fmt::format("case {}", ++cases));
    Limits limits = made.limits;
    limits.runtime_budget_seconds *= 1 + 1e-12;  // sums in another order
    const auto answer = ask_oracle(made.graph, limits);
    ASSERT_TRUE(answer) << "the drawn schedule keeps to the limits";
    const Replay replay = simulate(made.graph, answer->schedule, limits);
    ASSERT_TRUE(replay.valid()) << replay.violations.front().message;
    EXPECT_NEAR(replay.energy_joules, answer->energy_joules, 1e-12 * replay.energy_joules);
    EXPECT_NEAR(replay.runtime_seconds, answer->runtime_seconds, 1e-12 * replay.runtime_seconds);
    const Replay drawn = simulate(made.graph, made.schedule, made.limits);
    EXPECT_LE(answer->energy_joules, drawn.energy_joules * (1 + 1e-12));
    with_transfers += replay.page_in_count > 0 ? 1 : 0;
  }
  EXPECT_GT(with_transfers, 5);
}

TEST(Oracle, GivesSchedulesThatTheSimulatorAcceptsAtThatCostAndThatNoDrawnScheduleBeats) {
  compare_with_drawn_schedules(random_case, 400);
}

TEST(Oracle, DoesSoOnGraphsBeyondPoetsAsWell) {
  compare_with_drawn_schedules(random_exact_case, 1500);
}

}  // namespace
}  // namespace poet::test
