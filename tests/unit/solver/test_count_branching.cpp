#include "solver/relaxation/count_branching.hpp"

#include <gtest/gtest.h>

namespace poet {
namespace {

CountMessage tag(Unpacker& unpacker) {
  return static_cast<CountMessage>(unpacker.get_as<int>());
}

TEST(CountMessages, AScheduleArrivesAsItWas) {
  Schedule schedule;
  schedule.stages = {{.compute = {0}, .page_out = {0}},
                     {.resident = {0}, .compute = {2, 1}},
                     {.page_in = {0, 1}},
                     {}};
  Unpacker unpacker(schedule_message(schedule));
  EXPECT_EQ(tag(unpacker), CountMessage::schedule);
  const Schedule arrived = get_schedule(unpacker);
  ASSERT_EQ(arrived.stages.size(), schedule.stages.size());
  for (std::size_t s = 0; s < arrived.stages.size(); ++s) {
    EXPECT_EQ(arrived.stages[s].resident, schedule.stages[s].resident);
    EXPECT_EQ(arrived.stages[s].compute, schedule.stages[s].compute);
    EXPECT_EQ(arrived.stages[s].page_out, schedule.stages[s].page_out);
    EXPECT_EQ(arrived.stages[s].page_in, schedule.stages[s].page_in);
  }
}

TEST(CountMessages, AResultArrivesAsItWas) {
  const CountBranchingResult result{
      .status = CountBranchingResult::Status::searched,
      .subproblems = {{.bound = 1.25, .ranges = {{.count = 7, .upper = 2}}}, {.bound = 1.5}},
      .bound = 1.25,
      .nodes = 5'000'000'000};
  Unpacker unpacker(result_message(result));
  EXPECT_EQ(tag(unpacker), CountMessage::result);
  const CountBranchingResult arrived = get_result(unpacker, 8);
  EXPECT_EQ(arrived.status, result.status);
  EXPECT_EQ(arrived.bound, result.bound);
  EXPECT_EQ(arrived.nodes, result.nodes);
  ASSERT_EQ(arrived.subproblems.size(), 2u);
  EXPECT_EQ(arrived.subproblems[0].bound, 1.25);
  ASSERT_EQ(arrived.subproblems[0].ranges.size(), 1u);
  EXPECT_EQ(arrived.subproblems[0].ranges[0].count, 7);
  EXPECT_EQ(arrived.subproblems[0].ranges[0].lower, -kInfinity);
  EXPECT_EQ(arrived.subproblems[0].ranges[0].upper, 2);
  EXPECT_TRUE(arrived.subproblems[1].ranges.empty());
}

TEST(CountMessages, ProgressIsTheBoundAndTheNodes) {
  Unpacker unpacker(progress_message({.bound = 0.5, .nodes = 12}));
  EXPECT_EQ(tag(unpacker), CountMessage::progress);
  const CountProgress progress = get_progress(unpacker);
  EXPECT_EQ(progress.bound, 0.5);
  EXPECT_EQ(progress.nodes, 12);
}

TEST(CountMessages, AResultAboutUnknownCountsIsRefused) {
  const CountBranchingResult result{.status = CountBranchingResult::Status::searched,
                                    .subproblems = {{.ranges = {{.count = 7}}}}};
  Unpacker unpacker(result_message(result));
  tag(unpacker);
  EXPECT_THROW(get_result(unpacker, 7), MalformedMessage);
}

}  // namespace
}  // namespace poet
