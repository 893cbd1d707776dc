#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/error.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"
#include "support/program_interpreter.hpp"
#include "support/tiny_schedules.hpp"

namespace poet {
namespace {

using test::ample_limits;
using test::keep_all;
using test::page_a;
using test::recompute_a;
using test::tiny_graph;
using testing::ElementsAre;

/// `compute 0`, `free 0`, ... so that a failure prints readably.
std::vector<std::string> listing(const Schedule& schedule) {
  std::vector<std::string> lines;
  for (const Instruction& step : to_program(tiny_graph(), schedule)) {
    const char* const names[] = {"compute ", "free ", "page_out ", "page_in "};
    lines.push_back(names[static_cast<int>(step.op)] + std::to_string(step.node));
  }
  return lines;
}

TEST(Program, FreesEachTensorAfterItsLastUse) {
  EXPECT_THAT(listing(keep_all()), ElementsAre("compute 0", "compute 1", "compute 2", "free 1",
                                               "compute 3", "free 0", "free 2", "free 3"));
}

TEST(Program, ComputesADroppedTensorAgain) {
  EXPECT_THAT(listing(recompute_a()),
              ElementsAre("compute 0", "compute 1", "free 0", "compute 2", "free 1", "compute 0",
                          "compute 3", "free 0", "free 2", "free 3"));
}

TEST(Program, PagesOutAtAStagesStartAndInAtItsEnd) {
  EXPECT_THAT(listing(page_a()),
              ElementsAre("compute 0", "page_out 0", "compute 1", "free 0", "compute 2", "free 1",
                          "page_in 0", "compute 3", "free 0", "free 2", "free 3"));
}

TEST(Program, FreesAnUnusedResidentAtTheStagesEnd) {
  Schedule schedule = recompute_a();
  schedule.stages[2].resident = {0, 1};
  EXPECT_THAT(listing(schedule),
              ElementsAre("compute 0", "compute 1", "compute 2", "free 1", "free 0", "compute 0",
                          "compute 3", "free 0", "free 2", "free 3"));
}

TEST(Program, ExecutesWithTheEnergyAndPeakOfTheReplay) {
  for (const Schedule& schedule : {keep_all(), recompute_a(), page_a()}) {
    const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
    const test::Execution run = test::execute(tiny_graph(), to_program(tiny_graph(), schedule));
    EXPECT_EQ(run.fault, "");
    EXPECT_EQ(run.energy_joules, replay.energy_joules);
    EXPECT_EQ(run.peak_ram_bytes, replay.peak_ram_bytes);
    EXPECT_EQ(run.tensors_left, 0U);
  }
}

TEST(Program, RefusesNodesOutsideTheGraph) {
  Schedule schedule = keep_all();
  schedule.stages[2].page_in = {4};
  EXPECT_THROW(to_program(tiny_graph(), schedule), InputError);
  EXPECT_THROW(ram_timeline(tiny_graph(), schedule), InputError);
}

TEST(RamTimeline, SamplesEveryComputationWithItsOutput) {
  std::vector<std::tuple<int, int, Bytes>> samples;
  for (const RamSample& sample : ram_timeline(tiny_graph(), recompute_a())) {
    samples.emplace_back(sample.stage, sample.node, sample.ram_bytes);
  }
  EXPECT_THAT(samples,
              ElementsAre(std::tuple(0, 0, 100), std::tuple(1, 1, 110), std::tuple(2, 2, 11),
                          std::tuple(3, 0, 101), std::tuple(3, 3, 1101)));
}

}  // namespace
}  // namespace poet
