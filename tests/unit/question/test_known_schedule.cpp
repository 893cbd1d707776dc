// Schedules that are handed on between orders of one problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_input_error.hpp"
#include "question/known_schedule.hpp"
#include "support/ordered_files.hpp"
#include "support/random_orders.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(KnownSchedule, HasTheOrderOfItsFileWhateverTheOrderOfTheSubject) {
  const Subject given = fork_subject("accumulate");
  Twister random(1);
  const Subject first = reordered(given, random_order(random, given.model));
  const Subject second = reordered(given, random_order(random, given.model));
  ASSERT_NE(first.model.order, second.model.order);
  for (const Subject* const from : {&given, &first, &second}) {
    const ScheduleFile file = kept_file(*from);
    for (const Subject* const to : {&given, &first, &second}) {
      const OrderedSchedule known = known_schedule(*to, file);
      EXPECT_EQ(known.order, from->model.order);
      EXPECT_EQ(known.schedule, file.schedule);
      const Replay replay = replay_known(*to, known, file.request.limits);
      EXPECT_THAT(replay.violations, IsEmpty());
      EXPECT_EQ(replay.energy_joules, file.summary.energy_joules) << "replayed in its own order";
      if (from == to) {
        EXPECT_NO_THROW(expect_order_of(*to, known));
      } else {
        EXPECT_THAT(input_error([&] { expect_order_of(*to, known); }),
                    HasSubstr("--order with this file solves in its order"));
      }
    }
  }
}

TEST(KnownSchedule, IsOfTheSameGraph) {
  const Subject given = fork_subject("accumulate");
  const Subject other = fork_subject("buffered");
  Twister random(1);
  const ScheduleFile file = kept_file(reordered(other, random_order(random, other.model)));
  EXPECT_THAT(input_error([&] { known_schedule(given, file); }),
              HasSubstr("found a schedule of another graph"));
}

/// By the lists of the graph the order is legal, so that the file is valid by itself.
TEST(KnownSchedule, IsInAnOrderThatTheModelAllows) {
  const Subject given = fork_subject("accumulate");
  Subject careless = given;
  for (ModelNode& node : careless.model.nodes) node.adds_to.clear();
  careless.model.update = Update::fused;
  const ScheduleFile file =
      kept_file(reordered(careless, moved_behind(given, "update(a)", "grad(s)")));
  EXPECT_THAT(input_error([&] { known_schedule(given, file); }),
              HasSubstr("('update(a)') comes before"));
}

}  // namespace
}  // namespace poet::test
