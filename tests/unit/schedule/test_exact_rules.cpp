// What only graphs beyond POET's have: in place, workspace, nodes that are computed once, the time
// of transfers, and secondary storage.
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/simulate.hpp"
#include "schedule/lifetimes.hpp"
#include "support/program_interpreter.hpp"
#include "support/tiny_schedules.hpp"

namespace poet {
namespace {

using test::ample_limits;
using test::page_a;
using test::tiny_graph;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr PagingTime kAllTimes[] = {PagingTime::free, PagingTime::blocking, PagingTime::overlapped};

/// x -> y -> z, where y may take over x; z may read x as well.
Graph in_place_graph(bool z_reads_x = false) {
  std::vector<Node> nodes = {{.name = "x", .bytes = 100},
                             {.name = "y", .bytes = 100, .inputs = {0}, .in_place = 0},
                             {.name = "z", .bytes = 7, .inputs = {1}}};
  if (z_reads_x) nodes[2].inputs = {0, 1};
  return make_graph(std::move(nodes));
}

Schedule y_from_x_then_z() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}},
                     {.resident = {1}, .compute = {2}}}};
}

Schedule y_again_from_x() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}},
                     {.resident = {0}, .compute = {1, 2}}}};
}

Limits timed(PagingTime paging_time) {
  Limits limits = ample_limits();
  limits.runtime_budget_seconds = 100;
  limits.paging_time = paging_time;
  return limits;
}

std::vector<Bytes> peaks(const Graph& graph, const Schedule& schedule,
                         PagingTime paging_time = PagingTime::free) {
  const Replay replay = simulate(graph, schedule, timed(paging_time));
  EXPECT_THAT(replay.violations, IsEmpty());
  const test::Execution run = test::execute(graph, to_program(graph, schedule, paging_time));
  EXPECT_EQ(run.fault, "");
  EXPECT_EQ(run.peak_ram_bytes, replay.peak_ram_bytes) << "of the flat program";
  EXPECT_EQ(run.tensors_left, 0U);
  return replay.stage_peak_ram_bytes;
}

std::vector<std::pair<Rule, int>> broken(const Graph& graph, const Schedule& schedule,
                                         const Limits& limits = ample_limits()) {
  std::vector<std::pair<Rule, int>> found;
  for (const Violation& violation : simulate(graph, schedule, limits).violations) {
    found.emplace_back(violation.rule, violation.stage);
  }
  return found;
}

TEST(InPlace, AnOutputTakesOverAnInputThatGoes) {
  EXPECT_THAT(peaks(in_place_graph(), y_from_x_then_z()), ElementsAre(100, 100, 107));
}

TEST(InPlace, AnInputThatTheNextStageHoldsIsNotTakenOver) {
  Schedule schedule = y_from_x_then_z();
  schedule.stages[2].resident = {0, 1};
  EXPECT_THAT(peaks(in_place_graph(true), schedule), ElementsAre(100, 200, 207));
}

TEST(InPlace, AnInputThatTheStageReadsLaterIsNotTakenOver) {
  EXPECT_THAT(peaks(in_place_graph(true), y_again_from_x()), ElementsAre(100, 200, 207));
}

TEST(InPlace, ARecomputationTakesOverAsWell) {
  EXPECT_THAT(peaks(in_place_graph(), y_again_from_x()), ElementsAre(100, 200, 107));
}

TEST(InPlace, WhatIsWrittenOutDuringTheStageIsNotTakenOver) {
  Schedule schedule = y_from_x_then_z();
  schedule.stages[1].page_out = {0};
  EXPECT_THAT(peaks(in_place_graph(), schedule, PagingTime::free), ElementsAre(100, 100, 107));
  EXPECT_THAT(peaks(in_place_graph(), schedule, PagingTime::blocking), ElementsAre(100, 100, 107));
  EXPECT_THAT(peaks(in_place_graph(), schedule, PagingTime::overlapped),
              ElementsAre(100, 200, 107));
}

TEST(InPlace, TheProgramNamesWhatIsTakenOverAndDoesNotFreeIt) {
  using Op = Instruction::Op;
  EXPECT_THAT(
      to_program(in_place_graph(), y_from_x_then_z()),
      ElementsAre(Instruction{Op::compute, 0}, Instruction{Op::compute, 1, 0},
                  Instruction{Op::compute, 2}, Instruction{Op::free, 1}, Instruction{Op::free, 2}));
}

TEST(InPlace, ATensorThatIsTakenOverEndsBeforeItsSuccessorBegins) {
  const ScheduleTimeline timeline = make_timeline(in_place_graph(), y_from_x_then_z());
  EXPECT_EQ(timeline.lives[0].stays.front().last, 0);
  EXPECT_EQ(timeline.lives[1].stays.front().first, 1);
  EXPECT_EQ(timeline.lives[1].stays.front().last, 2);
}

TEST(Workspace, CountsWhileItsNodeIsComputedAndNotBeyond) {
  const Graph graph = make_graph({{.name = "x", .bytes = 10},
                                  {.name = "y", .bytes = 20, .inputs = {0}, .workspace_bytes = 500},
                                  {.name = "z", .bytes = 5, .inputs = {1}}});
  EXPECT_THAT(peaks(graph, y_from_x_then_z()), ElementsAre(10, 530, 25));
  EXPECT_THAT(peaks(graph, y_again_from_x()), ElementsAre(10, 530, 530));
  EXPECT_EQ(ram_timeline(graph, y_from_x_then_z())[1].ram_bytes, 530);
}

TEST(Once, ANodeThatMayBeComputedOnceIsNotRecomputed) {
  Graph graph = in_place_graph();
  graph.nodes[1].recompute = false;
  EXPECT_THAT(broken(graph, y_from_x_then_z()), IsEmpty());
  EXPECT_THAT(broken(graph, y_again_from_x()), ElementsAre(Pair(Rule::once, 2)));
}

TEST(Once, ANodeThatMayNotBePagedIsNotPaged) {
  Graph graph = tiny_graph();
  graph.nodes[0].page = false;
  EXPECT_THAT(broken(graph, page_a()), ElementsAre(Pair(Rule::once, 1), Pair(Rule::once, 2)));
}

TEST(Once, NothingReadsParametersThatHaveBeenChanged) {
  Graph graph = in_place_graph();
  graph.nodes[0].reads_parameters = {"W"};
  graph.nodes[1].writes_parameters = {"W"};
  const Schedule x_again = {.stages = {{.compute = {0}},
                                       {.resident = {0}, .compute = {1}},
                                       {.resident = {1}, .compute = {0, 2}}}};
  const Replay replay = simulate(graph, x_again, ample_limits());
  ASSERT_EQ(replay.violations.size(), 1U);
  EXPECT_EQ(replay.violations[0].rule, Rule::once);
  EXPECT_EQ(replay.violations[0].stage, 2);
  EXPECT_EQ(replay.violations[0].message,
            "stage 2: 0 (x) reads the parameters 'W', which have been changed");
  // In the stage that changes them it may still be computed: the change comes last.
  const Schedule x_in_time = {
      .stages = {{.compute = {0}}, {.compute = {0, 1}}, {.resident = {1}, .compute = {2}}}};
  EXPECT_THAT(broken(graph, x_in_time), IsEmpty());
}

// page_a() writes a, in 5 s, while b is computed in 2 s, and reads it in 3 s beside the 4 s of c.
TEST(PagingTime, SaysWhatTheTimeOfTransfersCountsFor) {
  const auto seconds = [](PagingTime paging_time) {
    const Replay replay = simulate(tiny_graph(), page_a(), timed(paging_time));
    EXPECT_EQ(replay.compute_seconds, 15);
    EXPECT_EQ(replay.paging_seconds, 8);
    return replay.runtime_seconds;
  };
  EXPECT_EQ(seconds(PagingTime::free), 15);
  EXPECT_EQ(seconds(PagingTime::blocking), 15 + 8);
  EXPECT_EQ(seconds(PagingTime::overlapped), 1 + 5 + 4 + 8);
}

TEST(PagingTime, IsWhatTheRuntimeBudgetLimits) {
  Limits limits = timed(PagingTime::blocking);
  limits.runtime_budget_seconds = 23;
  EXPECT_THAT(broken(tiny_graph(), page_a(), limits), IsEmpty());
  limits.runtime_budget_seconds = 22;
  const Replay replay = simulate(tiny_graph(), page_a(), limits);
  ASSERT_EQ(replay.violations.size(), 1U);
  EXPECT_EQ(replay.violations[0].message,
            "the computations and transfers take 23 s; the budget is 22 s");
  limits.paging_time = PagingTime::overlapped;
  limits.runtime_budget_seconds = 18;
  EXPECT_THAT(broken(tiny_graph(), page_a(), limits), IsEmpty());
  limits.runtime_budget_seconds = 17;
  EXPECT_THAT(broken(tiny_graph(), page_a(), limits), ElementsAre(Pair(Rule::runtime, -1)));
}

TEST(PagingTime, TransfersBesideComputationsHoldTheirRamForTheWholeStage) {
  EXPECT_THAT(peaks(tiny_graph(), page_a(), PagingTime::free), ElementsAre(100, 110, 11, 1101));
  EXPECT_THAT(peaks(tiny_graph(), page_a(), PagingTime::blocking), ElementsAre(100, 110, 11, 1101));
  EXPECT_THAT(peaks(tiny_graph(), page_a(), PagingTime::overlapped),
              ElementsAre(100, 110, 111, 1101));
}

TEST(PagingTime, AnInputThatIsWrittenOutStaysUntilItsStageEnds) {
  // Stage 2 reads x first and needs most RAM for z; x is written out meanwhile.
  const Graph graph = make_graph({{.name = "x", .bytes = 100},
                                  {.name = "y", .bytes = 10, .inputs = {0}},
                                  {.name = "z", .bytes = 50, .inputs = {1}}});
  Schedule schedule = y_again_from_x();
  schedule.stages[2].page_out = {0};
  EXPECT_THAT(peaks(graph, schedule, PagingTime::blocking), ElementsAre(100, 110, 110));
  EXPECT_THAT(peaks(graph, schedule, PagingTime::overlapped), ElementsAre(100, 110, 160));
}

TEST(PagingTime, ASampleOfRamHasWhatArrives) {
  for (const PagingTime paging_time : kAllTimes) {
    const std::vector<RamSample> samples = ram_timeline(tiny_graph(), page_a(), paging_time);
    EXPECT_EQ(samples[2].ram_bytes, paging_time == PagingTime::overlapped ? 111 : 11);
  }
}

TEST(Storage, HoldsACopyOfEachTensorThatWasWrittenOut) {
  Schedule schedule = page_a();
  schedule.stages[2].resident = {0, 1};
  schedule.stages[2].page_in = {};
  schedule.stages[2].page_out = {0, 1};  // a for the second time
  Graph graph = tiny_graph();
  graph.nodes[1].storage_bytes = 512;
  Limits limits = ample_limits();
  const Replay replay = simulate(graph, schedule, limits);
  EXPECT_THAT(replay.violations, IsEmpty());
  EXPECT_EQ(replay.storage_bytes, 100 + 512);
  EXPECT_EQ(replay.written_bytes, 100 + 100 + 512);
  EXPECT_EQ(replay.page_out_bytes, 100 + 100 + 10);
  limits.storage.storage_budget_bytes = 612;
  limits.storage.page_out_budget_bytes = 712;
  EXPECT_THAT(broken(graph, schedule, limits), IsEmpty());
  limits.storage.storage_budget_bytes = 611;
  EXPECT_EQ(simulate(graph, schedule, limits).violations.at(0).message,
            "612 bytes of copies are in secondary storage; the budget is 611 bytes");
  limits.storage.page_out_budget_bytes = 711;
  EXPECT_THAT(broken(graph, schedule, limits),
              ElementsAre(Pair(Rule::storage, -1), Pair(Rule::storage, -1)));
}

TEST(ExactRules, HaveNumbers) {
  EXPECT_EQ(rule_name(Rule::once), "rule 8 (once)");
  EXPECT_EQ(rule_name(Rule::storage), "rule 9 (storage)");
}

}  // namespace
}  // namespace poet
