// What the other tests draw: valid, and with every technique.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mutations.hpp"
#include "schedule/lifetimes.hpp"
#include "support/program_interpreter.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {
namespace {

/// Random schedules, of POET's graphs and of graphs beyond them.
class RandomSchedules : public testing::TestWithParam<Case (*)(Twister&)> {};

TEST_P(RandomSchedules, AreValidWithinTheirTightestLimitsAndRunAsPrograms) {
  Twister random(seed_of_run());
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(fmt::format("seed {}, case {}", seed_of_run(), i));
    const Case made = GetParam()(random);
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    ASSERT_TRUE(replay.valid()) << replay.violations.front().message;
    const Execution run =
        execute(made.graph, to_program(made.graph, made.schedule, made.limits.paging_time));
    ASSERT_EQ(run.fault, "");
    ASSERT_EQ(run.energy_joules, replay.energy_joules);
    ASSERT_EQ(run.peak_ram_bytes, replay.peak_ram_bytes);
    ASSERT_EQ(run.tensors_left, 0U);
    ASSERT_LE(working_set(made.graph).bytes, replay.peak_ram_bytes);
  }
}

/// By stage, the most bytes in RAM that the tensors of a timeline have together, less workspace.
std::vector<Bytes> tensors_at_each_column(const Case& made, const ScheduleTimeline& timeline) {
  std::vector<Bytes> bytes(timeline.columns.size(), 0);
  for (int node = 0; node < made.graph.size(); ++node) {
    for (const Stay& stay : timeline.lives[node].stays) {
      for (int c = stay.first; c <= stay.last; ++c) bytes[c] += made.graph.nodes[node].bytes;
    }
  }
  return bytes;
}

TEST_P(RandomSchedules, TimelinesShowTheTensorsOfEverySampleAndThePeakOfEveryStage) {
  Twister random(seed_of_run());
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(fmt::format("seed {}, case {}", seed_of_run(), i));
    const Case made = GetParam()(random);
    const ScheduleTimeline timeline =
        make_timeline(made.graph, made.schedule, made.limits.paging_time);
    const std::vector<Bytes> tensors = tensors_at_each_column(made, timeline);
    std::vector<Bytes> peaks(made.graph.nodes.size(), 0);
    for (int c = 0; c < timeline.size(); ++c) {
      const RamSample& sample = timeline.columns[c];
      ASSERT_EQ(tensors[c] + made.graph.nodes[sample.node].workspace_bytes, sample.ram_bytes)
          << "column " << c;
      peaks[sample.stage] = std::max(peaks[sample.stage], sample.ram_bytes);
    }
    ASSERT_EQ(peaks, simulate(made.graph, made.schedule, made.limits).stage_peak_ram_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RandomSchedules, testing::Values(random_case, random_exact_case),
                         [](const auto& test) {
                           return test.param == random_case ? "PoetsGraphs" : "ExactGraphs";
                         });

TEST(RandomPoetSchedules, UseEveryTechnique) {
  Twister random(seed_of_run());
  int recomputed = 0;
  int paged_in = 0;
  for (int i = 0; i < 200; ++i) {
    const Case made = random_case(random);
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    recomputed += replay.recompute_count > 0 ? 1 : 0;
    paged_in += replay.page_in_count > 0 ? 1 : 0;
  }
  EXPECT_GT(recomputed, 50);
  EXPECT_GT(paged_in, 20);
}

TEST(RandomExactSchedules, UseEveryRule) {
  Twister random(seed_of_run());
  int taken_over = 0;
  int transfers = 0;
  int recomputed = 0;
  int overlapped = 0;
  for (int i = 0; i < 300; ++i) {
    const Case made = random_exact_case(random);
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    const auto program = to_program(made.graph, made.schedule, made.limits.paging_time);
    taken_over += std::any_of(program.begin(), program.end(),
                              [](const Instruction& step) { return step.over.has_value(); });
    transfers += replay.page_in_count > 0 ? 1 : 0;
    recomputed += replay.recompute_count > 0 ? 1 : 0;
    overlapped += replay.runtime_seconds > replay.compute_seconds &&
                          replay.runtime_seconds < replay.compute_seconds + replay.paging_seconds
                      ? 1
                      : 0;
  }
  EXPECT_GT(taken_over, 100);
  EXPECT_GT(transfers, 50);
  EXPECT_GT(recomputed, 50);
  EXPECT_GT(overlapped, 3);
}

TEST(RandomPlacedFiles, AreValidReadBackAndUseMovesAndSlots) {
  Twister random(seed_of_run());
  int moved = 0;
  int stored = 0;
  int reused = 0;
  for (int i = 0; i < 500; ++i) {
    const ScheduleFile file = random_placed_file(random);
    ASSERT_THAT(verify_schedule_file(file), testing::IsEmpty())
        << "seed " << seed_of_run() << ", case " << i;
    ASSERT_EQ(to_json(parse_schedule_file(to_json(file), "placed")), to_json(file)) << "case " << i;
    ASSERT_LE(file.arena.storage_bytes.value_or(0), *file.summary.peak_storage_bytes);
    moved += file.arena.moved_bytes.has_value() ? 1 : 0;
    stored += file.arena.storage_bytes.has_value() ? 1 : 0;
    reused += file.arena.storage_bytes.value_or(0) < *file.summary.peak_storage_bytes ? 1 : 0;
  }
  EXPECT_GT(moved, 50);
  EXPECT_GT(stored, 50);
  EXPECT_GT(reused, 20);
}

}  // namespace
}  // namespace poet::test
