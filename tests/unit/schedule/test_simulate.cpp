#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/simulate.hpp"
#include "support/tiny_schedules.hpp"

namespace poet {
namespace {

using test::ample_limits;
using test::keep_all;
using test::page_a;
using test::recompute_a;
using test::tiny_graph;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// (rule, stage) of every violation, in order.
std::vector<std::pair<Rule, int>> broken(const Schedule& schedule,
                                         const Limits& limits = ample_limits()) {
  std::vector<std::pair<Rule, int>> found;
  for (const Violation& violation : simulate(tiny_graph(), schedule, limits).violations) {
    found.emplace_back(violation.rule, violation.stage);
  }
  return found;
}

TEST(Simulate, KeepingEverythingCostsEveryNodeOnce) {
  const Replay replay = simulate(tiny_graph(), keep_all(), ample_limits());
  EXPECT_THAT(replay.violations, IsEmpty());
  EXPECT_EQ(replay.energy_joules, 1 + 2 + 4 + 8);
  EXPECT_EQ(replay.runtime_seconds, 1 + 2 + 4 + 8);
  EXPECT_EQ(replay.recompute_count, 0);
  EXPECT_THAT(replay.stage_peak_ram_bytes, ElementsAre(100, 110, 111, 1101));
  EXPECT_EQ(replay.peak_ram_bytes, 1101);
}

TEST(Simulate, ARecomputationIsChargedAndCounted) {
  const Replay replay = simulate(tiny_graph(), recompute_a(), ample_limits());
  EXPECT_THAT(replay.violations, IsEmpty());
  EXPECT_EQ(replay.compute_energy_joules, 16);
  EXPECT_EQ(replay.runtime_seconds, 16);
  EXPECT_EQ(replay.recompute_count, 1);
  EXPECT_THAT(replay.stage_peak_ram_bytes, ElementsAre(100, 110, 11, 1101));
}

TEST(Simulate, TransfersAreChargedAndCounted) {
  const Replay replay = simulate(tiny_graph(), page_a(), ample_limits());
  EXPECT_THAT(replay.violations, IsEmpty());
  EXPECT_EQ(replay.compute_energy_joules, 15);
  EXPECT_EQ(replay.page_in_energy_joules, 0.25);
  EXPECT_EQ(replay.page_out_energy_joules, 0.5);
  EXPECT_EQ(replay.energy_joules, 15.75);
  EXPECT_EQ(replay.runtime_seconds, 15) << "paging takes no compute time";
  EXPECT_EQ(replay.paging_seconds, 8);
  EXPECT_EQ(replay.page_in_count, 1);
  EXPECT_EQ(replay.page_out_count, 1);
  EXPECT_EQ(replay.page_in_bytes, 100);
  EXPECT_EQ(replay.page_out_bytes, 100);
  EXPECT_THAT(replay.stage_peak_ram_bytes, ElementsAre(100, 110, 11, 1101));
}

TEST(Simulate, PagingOutAStoredTensorAgainIsAllowedAndCharged) {
  Schedule schedule = keep_all();
  schedule.stages[1].page_out = {0};
  schedule.stages[2].page_out = {0};
  const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
  EXPECT_THAT(replay.violations, IsEmpty());
  EXPECT_EQ(replay.page_out_energy_joules, 1);
}

TEST(Simulate, AnUnusedResidentIsHeldUntilTheStageEnds) {
  Schedule schedule = recompute_a();
  schedule.stages[2].resident = {0, 1};  // a is not read in stage 2 and not resident in stage 3
  const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
  EXPECT_THAT(replay.violations, IsEmpty());
  EXPECT_THAT(replay.stage_peak_ram_bytes, ElementsAre(100, 110, 111, 1101));
}

TEST(Simulate, AnInputIsFreedAfterItsLastUseBeforeTheNextOutputIsMade) {
  // x -> y -> z -> w: computing w after z must not find y (50) in RAM any more.
  const Graph graph = make_graph({{.name = "x", .bytes = 7},
                                  {.name = "y", .bytes = 50, .inputs = {0}},
                                  {.name = "z", .bytes = 3, .inputs = {1}},
                                  {.name = "w", .bytes = 60, .inputs = {2}}});
  const Schedule schedule = {.stages = {{.compute = {0}},
                                        {.resident = {0}, .compute = {1}},
                                        {.resident = {0}, .compute = {1, 2}},
                                        {.resident = {0}, .compute = {1, 2, 3}}}};
  // Stage 3: 7, then x leaves after y: 57 -> 50, 53 -> 3, 63.
  EXPECT_THAT(simulate(graph, schedule, ample_limits()).stage_peak_ram_bytes,
              ElementsAre(7, 57, 60, 63));
}

TEST(Simulate, RuleOneNeedsEveryInputInRam) {
  Schedule schedule = keep_all();
  schedule.stages[3].resident = {0};
  const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
  ASSERT_EQ(replay.violations.size(), 1U);
  EXPECT_EQ(replay.violations[0].rule, Rule::inputs);
  EXPECT_EQ(replay.violations[0].stage, 3);
  EXPECT_EQ(replay.violations[0].node, 3);
  EXPECT_EQ(replay.violations[0].message,
            "stage 3: computing 3 (d) needs 2 (c), which is not in RAM");
}

TEST(Simulate, RuleTwoWantsAnOriginForEveryResident) {
  Schedule schedule = recompute_a();
  schedule.stages[3] = {.resident = {0, 2}, .compute = {3}};  // a was dropped in stage 2
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::residency, 3)));
}

TEST(Simulate, NothingIsResidentAtTheStart) {
  Schedule schedule = keep_all();
  schedule.stages[0].resident = {1};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::residency, 0)));
}

TEST(Simulate, RuleThreePagesOutOnlyResidents) {
  Schedule schedule = keep_all();
  schedule.stages[0].page_out = {0};  // computed in this stage, not resident at its start
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::page_out, 0)));
}

TEST(Simulate, RuleFourPagesInOnlyWhatHasACopyAtTheStagesStart) {
  Schedule schedule = page_a();
  schedule.stages[1].page_out = {};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::page_in, 2)));
}

TEST(Simulate, RuleFourRefusesToPageInAResident) {
  Schedule schedule = page_a();
  schedule.stages[2].resident = {0, 1};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::page_in, 2)));
}

TEST(Simulate, RuleFourRefusesToPageInWhatTheStageComputes) {
  Schedule schedule = page_a();
  schedule.stages[2].compute = {0, 2};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::page_in, 2)));
}

TEST(Simulate, RuleFourWantsAPagedInTensorResidentInTheNextStage) {
  Schedule schedule = page_a();
  schedule.stages[3] = {.resident = {2}, .compute = {0, 3}};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::page_in, 2)));
}

TEST(Simulate, NothingIsPagedInDuringTheLastStage) {
  Schedule schedule = keep_all();
  schedule.stages[2].page_out = {1};
  schedule.stages[3].page_in = {1};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::page_in, 3)));
}

TEST(Simulate, RuleFiveIsExactToTheByte) {
  Limits limits = ample_limits();
  limits.ram_budget_bytes = 1100;
  const Replay replay = simulate(tiny_graph(), keep_all(), limits);
  ASSERT_EQ(replay.violations.size(), 1U);
  EXPECT_EQ(replay.violations[0].rule, Rule::ram);
  EXPECT_EQ(replay.violations[0].message,
            "stage 3: 1101 bytes are in RAM while computing 3 (d); the budget is 1100 bytes");
}

TEST(Simulate, RuleSixAllowsForTheOrderOfSummationOnly) {
  Limits limits = ample_limits();
  limits.runtime_budget_seconds = 16 * (1 - 1e-10);
  EXPECT_THAT(broken(recompute_a(), limits), IsEmpty());
  limits.runtime_budget_seconds = 16 * (1 - 1e-8);
  EXPECT_THAT(broken(recompute_a(), limits), ElementsAre(Pair(Rule::runtime, -1)));
}

TEST(Simulate, BudgetsOfZeroAndNonsenseAreNeverMet) {
  EXPECT_THAT(broken(keep_all(), {.ram_budget_bytes = 0, .runtime_budget_seconds = 0}),
              ElementsAre(Pair(Rule::ram, 0), Pair(Rule::ram, 1), Pair(Rule::ram, 2),
                          Pair(Rule::ram, 3), Pair(Rule::runtime, -1)));
  Limits limits = ample_limits();
  limits.runtime_budget_seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(broken(keep_all(), limits), ElementsAre(Pair(Rule::runtime, -1)));
}

TEST(Simulate, ForbiddenTechniquesAreReported) {
  Limits limits = ample_limits();
  limits.techniques.paging = false;
  EXPECT_THAT(broken(page_a(), limits),
              ElementsAre(Pair(Rule::structure, 1), Pair(Rule::structure, 2)));
  limits = ample_limits();
  limits.techniques.remat = false;
  EXPECT_THAT(broken(recompute_a(), limits), ElementsAre(Pair(Rule::structure, 3)));
}

TEST(Simulate, RecomputingAResidentIsReported) {
  Schedule schedule = keep_all();
  schedule.stages[3].compute = {0, 3};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::structure, 3)));
}

TEST(Simulate, AStageMustEndInItsOwnNode) {
  Schedule schedule = keep_all();
  schedule.stages[3].compute = {};
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::structure, 3)));
}

TEST(Simulate, ComputationsAreInIndexOrder) {
  const Graph graph =
      make_graph({{.name = "x", .bytes = 1}, {.name = "y", .bytes = 1}, {.name = "z", .bytes = 1}});
  const Schedule schedule = {
      .stages = {{.compute = {0}}, {.compute = {1}}, {.compute = {1, 0, 2}}}};
  const Replay replay = simulate(graph, schedule, ample_limits());
  ASSERT_EQ(replay.violations.size(), 1U);
  EXPECT_EQ(replay.violations[0].message,
            "stage 2: 0 (x) is computed after 1 (y); expected ascending order");
}

TEST(Simulate, OrderMeansNothingForResidentsAndTransfers) {
  Schedule schedule = keep_all();
  schedule.stages[2].resident = {1, 0};
  schedule.stages[2].page_out = {1, 0};
  EXPECT_THAT(broken(schedule), IsEmpty());
}

TEST(Simulate, AMissingOrSpareStageIsReported) {
  Schedule schedule = keep_all();
  schedule.stages.pop_back();
  const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
  ASSERT_EQ(replay.violations.size(), 1U);
  EXPECT_EQ(replay.violations[0].message, "3 stages for 4 nodes; expected one stage per node");
  schedule = keep_all();
  schedule.stages.push_back({});
  EXPECT_THAT(broken(schedule), ElementsAre(Pair(Rule::structure, -1), Pair(Rule::structure, 4)));
  EXPECT_THAT(broken(Schedule{}), ElementsAre(Pair(Rule::structure, -1)));
}

TEST(Simulate, GarbageInEveryListIsReportedAndSurvived) {
  constexpr int kMin = std::numeric_limits<int>::min();
  constexpr int kMax = std::numeric_limits<int>::max();
  const std::vector<int> garbage = {kMax, 2, 2, -1, kMin, 4};
  Schedule schedule = keep_all();
  schedule.stages[1] = {
      .resident = garbage, .compute = garbage, .page_out = garbage, .page_in = garbage};
  const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
  EXPECT_THAT(replay.violations,
              testing::Contains(testing::Field(&Violation::message,
                                               "stage 1: page_out lists 2 (c) more than once")));
  EXPECT_THAT(replay.violations,
              testing::Contains(testing::Field(
                  &Violation::message,
                  "stage 1: compute lists -1, which is not a node of the graph (0 to 3)")));
}

TEST(Simulate, TheListOfViolationsIsCutAndSaysSo) {
  Schedule schedule = keep_all();
  schedule.stages[1].page_in.assign(5000, 17);
  const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
  ASSERT_EQ(replay.violations.size(), 1001U);
  EXPECT_EQ(replay.violations.back().message, "4000 more violations are not listed");
}

TEST(Simulate, BytesPagedDoNotOverflow) {
  constexpr int kNodes = 1500;
  std::vector<Node> nodes(kNodes);
  nodes[0].bytes = kMaxBytes;
  const Graph graph = make_graph(nodes);
  Schedule schedule = {.stages = {{.compute = {0}}}};
  for (int t = 1; t < kNodes; ++t) {
    schedule.stages.push_back({.resident = {0}, .compute = {t}, .page_out = {0}});
  }
  const Replay replay = simulate(graph, schedule, ample_limits());
  EXPECT_EQ(replay.page_out_bytes, std::numeric_limits<Bytes>::max());
  EXPECT_EQ(replay.peak_ram_bytes, kMaxBytes);
}

TEST(Simulate, RulesAreNamedByTheirNumber) {
  EXPECT_EQ(rule_name(Rule::structure), "structure");
  EXPECT_EQ(rule_name(Rule::inputs), "rule 1 (inputs)");
  EXPECT_EQ(rule_name(Rule::residency), "rule 2 (residency)");
  EXPECT_EQ(rule_name(Rule::page_out), "rule 3 (page-out)");
  EXPECT_EQ(rule_name(Rule::page_in), "rule 4 (page-in)");
  EXPECT_EQ(rule_name(Rule::ram), "rule 5 (RAM)");
  EXPECT_EQ(rule_name(Rule::runtime), "rule 6 (runtime)");
}

}  // namespace
}  // namespace poet
