#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/error.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"

namespace poet {
namespace {

/// input(10) -> a(20) -> b(5); c(7) reads a and b. Two joules and a second each.
Graph small_graph() {
  const auto node = [](const char* name, Bytes bytes, std::vector<int> inputs) {
    return Node{.name = name,
                .op = "custom",
                .bytes = bytes,
                .runtime_seconds = 1,
                .energy_joules = 2,
                .inputs = std::move(inputs)};
  };
  return make_graph(
      {node("input", 10, {}), node("a", 20, {0}), node("b", 5, {1}), node("c", 7, {1, 2})});
}

TEST(Baseline, KeepsEachOutputUntilItsLastUse) {
  const Baseline base = baseline(small_graph());
  ASSERT_EQ(base.schedule.stages.size(), 4U);
  EXPECT_EQ(base.schedule.stages[1].resident, std::vector<int>{0});
  EXPECT_EQ(base.schedule.stages[2].resident, std::vector<int>{1});
  EXPECT_EQ(base.schedule.stages[3].resident, (std::vector<int>{1, 2}));
  EXPECT_EQ(base.peak_ram_bytes, 32);
  EXPECT_DOUBLE_EQ(base.energy_joules, 8);
  EXPECT_DOUBLE_EQ(base.runtime_seconds, 4);
}

TEST(WorkingSet, IsTheLargestOutputWithItsInputs) {
  const WorkingSet needed = working_set(small_graph());
  EXPECT_EQ(needed.bytes, 32);
  EXPECT_EQ(needed.node, 3);
}

TEST(Baseline, CountsWorkspaceAndLeavesOutWhatIsTakenOver) {
  const Graph graph = make_graph({{.bytes = 10},
                                  {.bytes = 10, .inputs = {0}, .in_place = 0, .workspace_bytes = 3},
                                  {.bytes = 10, .inputs = {1}, .in_place = 1},
                                  {.bytes = 10, .inputs = {1, 2}, .in_place = 1}});
  // Node 2 cannot take over node 1, which node 3 still reads.
  EXPECT_EQ(baseline(graph).peak_ram_bytes, 20);
  EXPECT_EQ(simulate(graph, baseline(graph).schedule, {}).stage_peak_ram_bytes,
            (std::vector<Bytes>{10, 13, 20, 20}));
}

TEST(WorkingSet, CountsWorkspaceAndLeavesOutWhatMayBeTakenOver) {
  std::vector<Node> nodes = {{.bytes = 10}, {.bytes = 10, .inputs = {0}}, {.bytes = 3}};
  EXPECT_EQ(working_set(make_graph(nodes)).bytes, 20);
  nodes[1].in_place = 0;
  EXPECT_EQ(working_set(make_graph(nodes)).bytes, 10);
  nodes[2].workspace_bytes = 40;
  EXPECT_EQ(working_set(make_graph(nodes)).bytes, 43);
  EXPECT_EQ(working_set(make_graph(nodes)).node, 2);
}

// x, the gradient dy of a layer's output, dx of its input, the update of its weights, a reader.
TEST(WorkingSet, HasTheInputGradientBesideAFusedUpdate) {
  std::vector<Node> nodes = {
      {.bytes = 10},
      {.bytes = 5},
      {.bytes = 20, .inputs = {1}},
      {.inputs = {0, 1}, .workspace_bytes = 40, .recompute = false, .writes_parameters = {"W"}},
      {.bytes = 1, .inputs = {2}}};
  EXPECT_EQ(working_set(make_graph(nodes)).bytes, 10 + 5 + 40) << "dx may be computed again";
  nodes[2].reads_parameters = {"W"};
  EXPECT_EQ(working_set(make_graph(nodes)).bytes, 10 + 5 + 40 + 20);
  EXPECT_EQ(working_set(make_graph(nodes)).node, 3);
  const Problem problem{make_graph(nodes), {.ram_budget_bytes = 74}};
  EXPECT_EQ(instant_verdict(problem, baseline(problem.graph)).reason,
            "the RAM budget of 74 bytes is below the 75 bytes that node 3 ('', ) needs for its "
            "inputs, its workspace and its output at once, beside node 2 (''), which cannot be "
            "computed again");
  nodes[4].inputs = {};
  EXPECT_EQ(working_set(make_graph(nodes)).bytes, 10 + 5 + 40) << "nothing reads dx";
}

TEST(Budget, ShareIsOfTheBaselinePeakRoundedDown) {
  const Baseline base = baseline(small_graph());
  EXPECT_EQ(resolve(RamBudget{Ratio{0.5}}, base), 16);
  EXPECT_EQ(resolve(RamBudget{Ratio{1.0}}, base), 32);
  EXPECT_EQ(resolve(RamBudget{Bytes{11}}, base), 11);
  EXPECT_THROW(resolve(RamBudget{Ratio{0.001}}, base), InputError);
  EXPECT_THROW(resolve(RamBudget{Ratio{1e300}}, base), InputError);
}

TEST(Budget, RuntimeRatioIsAMultipleOfOnePass) {
  Baseline base = baseline(small_graph());
  EXPECT_DOUBLE_EQ(resolve(RuntimeBudget{Ratio{1.5}}, base), 6);
  EXPECT_DOUBLE_EQ(resolve(RuntimeBudget{2.5}, base), 2.5);
  EXPECT_THROW(resolve(RuntimeBudget{Ratio{1e308}}, base), InputError);
  base.runtime_seconds = 1e-300;
  EXPECT_THROW(resolve(RuntimeBudget{1e10}, base), InputError);
}

TEST(Verdict, ABudgetThatHoldsTheBaselineIsOptimalAtOnce) {
  const Problem problem{small_graph(), {.ram_budget_bytes = 32, .runtime_budget_seconds = 4}};
  EXPECT_EQ(instant_verdict(problem, baseline(problem.graph)).kind, Verdict::Kind::optimal);
}

TEST(Verdict, ABudgetBelowTheWorkingSetNamesTheNode) {
  const Problem problem{small_graph(), {.ram_budget_bytes = 31, .runtime_budget_seconds = 8}};
  const Verdict verdict = instant_verdict(problem, baseline(problem.graph));
  EXPECT_EQ(verdict.kind, Verdict::Kind::infeasible);
  EXPECT_THAT(verdict.reason, testing::HasSubstr("node 3 ('c'"));
  EXPECT_THAT(verdict.reason, testing::HasSubstr("32 bytes"));
  EXPECT_EQ(verdict.smallest_ram_bytes, 32);
}

TEST(Verdict, LessTimeThanOnePassIsInfeasible) {
  const Problem problem{small_graph(), {.ram_budget_bytes = 99, .runtime_budget_seconds = 3.9}};
  EXPECT_EQ(instant_verdict(problem, baseline(problem.graph)).kind, Verdict::Kind::infeasible);
}

TEST(Verdict, WithoutTechniquesTheBaselinePeakIsTheSmallestBudget) {
  // A dead-end branch makes the peak larger than any working set.
  const Graph graph = make_graph({{.bytes = 10}, {.bytes = 10}, {.bytes = 10}, {.inputs = {0}}});
  const Problem problem{
      graph, {.ram_budget_bytes = 19, .runtime_budget_seconds = 1, .techniques = kNoTechnique}};
  const Verdict verdict = instant_verdict(problem, baseline(graph));
  EXPECT_EQ(verdict.kind, Verdict::Kind::infeasible);
  EXPECT_EQ(verdict.smallest_ram_bytes, 20);
  EXPECT_TRUE(verdict.smallest_ram_is_exact);
}

}  // namespace
}  // namespace poet
