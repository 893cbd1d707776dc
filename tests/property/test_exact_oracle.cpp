// The oracle and the simulator on graphs beyond POET's: two readings of the same rules.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {
namespace {

/// How many of the cases have something.
struct Seen {
  int answered = 0;
  int take_over = 0;
  int transfers = 0;
  int recomputations = 0;
};

void check_case(int number, Seen& seen) {
  SCOPED_TRACE(fmt::format("case {}", number));
  Random random(static_cast<std::uint64_t>(number));
  const Problem problem = random_exact_problem(random, 5 + number % 3);
  const auto answer = ask_oracle(problem.graph, problem.limits);
  if (!answer) return;
  const Replay replay = simulate(problem.graph, answer->schedule, problem.limits);
  ASSERT_TRUE(replay.valid()) << replay.violations.front().message;
  EXPECT_NEAR(replay.energy_joules, answer->energy_joules, 1e-12 * replay.energy_joules);
  EXPECT_NEAR(replay.runtime_seconds, answer->runtime_seconds, 1e-12 * replay.runtime_seconds);
  ++seen.answered;
  for (const Instruction& step :
       to_program(problem.graph, answer->schedule, problem.limits.paging_time)) {
    if (!step.over) continue;
    ++seen.take_over;
    break;
  }
  seen.transfers += replay.page_in_count > 0 ? 1 : 0;
  seen.recomputations += replay.recompute_count > 0 ? 1 : 0;
}

TEST(ExactOracle, GivesSchedulesThatTheSimulatorAcceptsAtThatCostAndTime) {
  Seen seen;
  const int cases = for_cases(400, [&](int i) { check_case(i, seen); });
  fmt::print("{} of {} answered; {} take over, {} page, {} recompute\n", seen.answered, cases,
             seen.take_over, seen.transfers, seen.recomputations);
  EXPECT_GT(seen.answered, cases / 4);
  EXPECT_GT(seen.take_over, cases / 8);
}

/// x, y over x, z: 8 bytes each, 1 J and 1 s; x may be paged for 0.25 J each way.
Graph three_in_place() {
  const auto node = [](std::vector<int> inputs, std::optional<int> in_place) {
    return Node{.bytes = 8,
                .runtime_seconds = 1,
                .energy_joules = 1,
                .page_in_energy_joules = 0.25,
                .page_out_energy_joules = 0.25,
                .page_in_seconds = 2,
                .page_out_seconds = 2,
                .inputs = std::move(inputs),
                .in_place = in_place};
  };
  // y2 reads y alone, and the last node x again.
  return make_graph({node({}, {}), node({0}, 0), node({1}, 1), node({0, 2}, 2)});
}

Limits limits(Bytes ram, Seconds seconds, PagingTime paging_time = PagingTime::free) {
  return {.ram_budget_bytes = ram, .runtime_budget_seconds = seconds, .paging_time = paging_time};
}

Joules optimum(const Graph& graph, const Limits& limits) {
  const auto answer = ask_oracle(graph, limits);
  return answer ? answer->energy_joules : -1;
}

TEST(ExactOracle, AnOutputTakesOverAnInputThatGoes) {
  // With x all along 16 bytes suffice, as y and its successors take over one another.
  EXPECT_EQ(optimum(three_in_place(), limits(16, 100)), 4);
  EXPECT_EQ(optimum(three_in_place(), limits(15, 100)), -1);
  Graph graph = three_in_place();
  graph.nodes[2].in_place.reset();
  EXPECT_EQ(optimum(graph, limits(24, 100)), 4);
  EXPECT_EQ(optimum(graph, limits(16, 100)), 4.5) << "x goes to storage and back";
}

TEST(ExactOracle, CountsWorkspaceWhileItsNodeIsComputed) {
  Graph graph = three_in_place();
  graph.nodes[2].workspace_bytes = 100;
  EXPECT_EQ(optimum(graph, limits(116, 100)), 4);
  EXPECT_EQ(optimum(graph, limits(115, 100)), 4.5) << "x is in storage meanwhile";
  EXPECT_EQ(optimum(graph, limits(107, 100)), -1);
}

TEST(ExactOracle, ComputesOnceAndPagesNotWhatItMayNot) {
  Graph graph = three_in_place();
  graph.nodes[2].in_place.reset();
  Limits without_paging = limits(16, 100);
  without_paging.techniques.paging = false;
  EXPECT_EQ(optimum(graph, without_paging), 5) << "x is computed again";
  graph.nodes[0].page = false;
  EXPECT_EQ(optimum(graph, limits(16, 100)), 5);
  graph.nodes[0].recompute = false;
  EXPECT_EQ(optimum(graph, limits(16, 100)), -1);
  graph.nodes[0].recompute = true;
  graph.nodes[0].reads_parameters = {"W"};
  graph.nodes[2].recompute = false;
  graph.nodes[2].writes_parameters = {"W"};
  EXPECT_EQ(optimum(graph, limits(16, 100)), -1) << "x would read changed parameters";
}

TEST(ExactOracle, ChargesTheTimeOfTransfers) {
  Graph graph = three_in_place();
  graph.nodes[2].in_place.reset();
  graph.nodes[0].recompute = false;
  EXPECT_EQ(optimum(graph, limits(16, 4)), 4.5);
  EXPECT_EQ(optimum(graph, limits(16, 8, PagingTime::blocking)), 4.5);
  EXPECT_EQ(optimum(graph, limits(16, 7.9, PagingTime::blocking)), -1);
  // x leaves in stage 1 and comes back in stage 2, 2 s each; what arrives needs its RAM there.
  EXPECT_EQ(optimum(graph, limits(24, 100, PagingTime::overlapped)), 4);
  EXPECT_EQ(optimum(graph, limits(16, 100, PagingTime::overlapped)), -1);
  graph.nodes[2].workspace_bytes = 8;
  EXPECT_EQ(optimum(graph, limits(31, 100, PagingTime::overlapped)), -1);
}

TEST(ExactOracle, KeepsToTheBudgetsOfSecondaryStorage) {
  Graph graph = three_in_place();
  graph.nodes[2].in_place.reset();
  graph.nodes[0].storage_bytes = 512;
  Limits tight = limits(16, 100);
  tight.storage.storage_budget_bytes = 512;
  tight.storage.page_out_budget_bytes = 512;
  EXPECT_EQ(optimum(graph, tight), 4.5);
  tight.storage.storage_budget_bytes = 511;
  EXPECT_EQ(optimum(graph, tight), 5) << "x is computed again";
  tight.storage.storage_budget_bytes.reset();
  tight.storage.page_out_budget_bytes = 511;
  EXPECT_EQ(optimum(graph, tight), 5);
}

}  // namespace
}  // namespace poet::test
