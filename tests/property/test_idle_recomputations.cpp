// Recomputations that their stage neither uses nor keeps: by rule 5 they free what is being written
// out. The full model once left them out, and proved bounds above the optimum.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/solve.hpp"
#include "support/idle_problems.hpp"
#include "support/oracle.hpp"

namespace poet::test {
namespace {

using Nodes = std::vector<Node>;

/// x; `big`, dear to compute and cheap to page; `wide2`; `small`, which reads `big`; `wide4`; `d`;
/// and `last`, which reads `big` again. With 13 bytes `big` is written out beside `wide4`, and goes
/// in time because `small` is computed again for no other purpose.
Nodes idle_nodes(const std::string& name) {
  return cost_graph(load_model(POET_TEST_DATA "/cases/" + name), nullptr).nodes;
}

constexpr int kBig = 1, kWide2 = 2, kSmall = 3, kD = 5, kLast = 6;

Problem problem_of(Nodes nodes, Bytes ram, double runtime_ratio) {
  Problem problem{.graph = make_graph(std::move(nodes))};
  problem.limits.ram_budget_bytes = ram;
  problem.limits.runtime_budget_seconds = runtime_ratio * baseline(problem.graph).runtime_seconds;
  return problem;
}

/// The optimum needs an idle recomputation, and a solve finds and proves it: by itself, from that
/// schedule, and without windows by cost.
void expect_solved(const Problem& problem) {
  const auto optimum = ask_oracle(problem.graph, problem.limits);
  ASSERT_TRUE(optimum);
  EXPECT_GT(count_idle_recomputations(problem.graph, optimum->schedule), 0);
  SolveOptions cold{.settings = {.gap = 0, .time_limit_seconds = 60}};
  SolveOptions warm = cold;
  warm.start = optimum->schedule;
  SolveOptions wide = cold;
  wide.settings.features.windows = false;
  SolveOptions large = cold;
  large.small_graph = 0;
  for (const SolveOptions& options : {cold, warm, wide, large}) {
    const SolveResult result = solve(problem, options);
    EXPECT_EQ(result.status, Status::optimal) << status_name(result.status) << result.reason;
    EXPECT_DOUBLE_EQ(result.energy_joules, optimum->energy_joules);
    EXPECT_LE(result.lower_bound_joules, optimum->energy_joules * (1 + 1e-9));
  }
}

TEST(IdleRecomputations, FreeWhatIsWrittenOut) {
  const Problem problem = problem_of(idle_nodes("idle_model.json"), 13, 3);
  EXPECT_EQ(ask_oracle(problem.graph, problem.limits)->energy_joules, 209);
  expect_solved(problem);
}

TEST(IdleRecomputations, MakeAProblemFeasible) {
  expect_solved(problem_of(idle_nodes("idle_model_slow.json"), 13, 2.1));
}

TEST(IdleRecomputations, FreeEachOtherInTurn) {
  // `medium` reads `big`, and `small` reads `medium`. Beside the third wide node there is room for
  // `small` and not for `medium`, which frees `big` and has to go in turn.
  const Nodes nodes = idle_nodes("idle_model.json");
  Node wide = nodes[kWide2];
  wide.bytes = 12;
  Node medium = nodes[kSmall];
  medium.name = "medium";
  medium.bytes = 5;
  Node small = nodes[kSmall];
  small.inputs = {3};
  const Problem problem = problem_of(
      {nodes[0], nodes[kBig], wide, medium, wide, small, wide, nodes[kD], nodes[kLast]}, 17, 3);
  EXPECT_EQ(ask_oracle(problem.graph, problem.limits)->energy_joules, 313);
  expect_solved(problem);
}

TEST(IdleRecomputations, MayNeedAnInputOfTheirOwn) {
  // `y` is computed again for the sake of `small` alone.
  Nodes nodes = idle_nodes("idle_model.json");
  Node source = nodes[0];
  source.name = "y";
  source.bytes = 1;
  nodes.insert(nodes.begin() + 1, source);
  for (std::size_t j = 2; j < nodes.size(); ++j) {
    for (int& input : nodes[j].inputs) input += input >= 1 ? 1 : 0;
  }
  nodes[kSmall + 1].inputs.push_back(1);
  expect_solved(problem_of(std::move(nodes), 13, 3));
}

TEST(IdleRecomputations, AreNoUseToTransfersBesideComputations) {
  Problem problem = problem_of(idle_nodes("idle_model.json"), 13, 3);
  problem.limits.paging_time = PagingTime::overlapped;
  const auto optimum = ask_oracle(problem.graph, problem.limits);
  const SolveResult result = solve(problem, {.settings = {.gap = 0}});
  ASSERT_TRUE(optimum);
  EXPECT_EQ(count_idle_recomputations(problem.graph, optimum->schedule), 0);
  EXPECT_EQ(result.status, Status::optimal);
  EXPECT_DOUBLE_EQ(result.energy_joules, optimum->energy_joules);
}

}  // namespace
}  // namespace poet::test
