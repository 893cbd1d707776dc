#include "solver/bounds/count_messages.hpp"

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
  const CountSearchResult result{
      .status = CountSearchResult::Status::searched,
      .parts = {{.bound = 1.25, .ranges = {{.count = 7, .upper = 2}}}, {.bound = 1.5}},
      .bound = 1.25,
      .nodes = 5'000'000'000};
  Unpacker unpacker(result_message(result));
  EXPECT_EQ(tag(unpacker), CountMessage::result);
  const CountSearchResult arrived = get_result(unpacker);
  EXPECT_EQ(arrived.status, result.status);
  EXPECT_EQ(arrived.bound, result.bound);
  EXPECT_EQ(arrived.nodes, result.nodes);
  ASSERT_EQ(arrived.parts.size(), 2u);
  EXPECT_EQ(arrived.parts[0].bound, 1.25);
  ASSERT_EQ(arrived.parts[0].ranges.size(), 1u);
  EXPECT_EQ(arrived.parts[0].ranges[0].count, 7);
  EXPECT_EQ(arrived.parts[0].ranges[0].lower, -kInfinity);
  EXPECT_EQ(arrived.parts[0].ranges[0].upper, 2);
  EXPECT_TRUE(arrived.parts[1].ranges.empty());
}

TEST(CountMessages, ProgressIsTheBoundAndTheNodes) {
  Unpacker unpacker(progress_message(0.5, 12));
  EXPECT_EQ(tag(unpacker), CountMessage::progress);
  EXPECT_EQ(unpacker.get(), 0.5);
  EXPECT_EQ(unpacker.get_as<std::int64_t>(), 12);
}

}  // namespace
}  // namespace poet
