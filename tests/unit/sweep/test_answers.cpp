#include <gtest/gtest.h>

#include <limits>

#include "base/process/packer.hpp"
#include "support/tiny_sweep.hpp"
#include "sweep/fields.hpp"

namespace poet {
namespace {

SweepOutcome long_outcome() {
  SweepOutcome outcome;
  outcome.result = {.status = Status::feasible,
                    .schedule = test::hill_paged(),
                    .energy_joules = 0.1 + 0.2,
                    .lower_bound_joules = 1.0 / 3,
                    .reason = "the time limit of 5 s, \"soft\" \xc3\xa4",
                    .smallest_ram_bytes = kMaxBytes,
                    .smallest_ram_is_exact = true,
                    .solver_failed = true,
                    .statistics = {.formulation = "full",
                                   .rows = 1,
                                   .columns = 2,
                                   .nonzeros = 3'000'000'000,
                                   .nodes = 4,
                                   .heuristic_seconds = 5,
                                   .build_seconds = 6,
                                   .milp_seconds = 7,
                                   .first_schedule_seconds = 8,
                                   .wall_seconds = 9}};
  outcome.origin = SweepOutcome::Origin::reused;
  outcome.origin_point = 17;
  outcome.wall_seconds = 10;
  return outcome;
}

TEST(Answers, OfAPointArriveAsTheyWere) {
  const SweepOutcome sent = long_outcome();
  const SweepOutcome arrived = unpacked<SweepOutcome>(packed(sent));
  EXPECT_EQ(arrived.result.status, Status::feasible);
  EXPECT_EQ(arrived.result.schedule, sent.result.schedule);
  EXPECT_EQ(arrived.result.energy_joules, 0.1 + 0.2);
  EXPECT_EQ(arrived.result.lower_bound_joules, 1.0 / 3);
  EXPECT_EQ(arrived.result.reason, sent.result.reason);
  EXPECT_EQ(arrived.result.smallest_ram_bytes, kMaxBytes);
  EXPECT_TRUE(arrived.result.smallest_ram_is_exact);
  EXPECT_FALSE(arrived.result.interrupted);
  EXPECT_TRUE(arrived.result.solver_failed);
  EXPECT_EQ(arrived.result.statistics.formulation, "full");
  EXPECT_EQ(arrived.result.statistics.rows, 1);
  EXPECT_EQ(arrived.result.statistics.columns, 2);
  EXPECT_EQ(arrived.result.statistics.nonzeros, 3'000'000'000);
  EXPECT_EQ(arrived.result.statistics.nodes, 4);
  EXPECT_EQ(arrived.result.statistics.heuristic_seconds, 5);
  EXPECT_EQ(arrived.result.statistics.build_seconds, 6);
  EXPECT_EQ(arrived.result.statistics.milp_seconds, 7);
  EXPECT_EQ(arrived.result.statistics.first_schedule_seconds, 8);
  EXPECT_EQ(arrived.result.statistics.wall_seconds, 9);
  EXPECT_EQ(arrived.origin, SweepOutcome::Origin::reused);
  EXPECT_EQ(arrived.origin_point, 17);
  EXPECT_EQ(arrived.wall_seconds, 10);
}

TEST(Answers, WithoutAScheduleStayWithoutOne) {
  const SweepOutcome arrived =
      unpacked<SweepOutcome>(packed(SweepOutcome{.result = {.status = Status::infeasible}}));
  EXPECT_EQ(arrived.result.status, Status::infeasible);
  EXPECT_FALSE(arrived.result.schedule);
  EXPECT_FALSE(arrived.result.smallest_ram_bytes);
  EXPECT_EQ(arrived.origin_point, -1);
}

TEST(Answers, AboutTheSmallestRamArriveAsTheyWere) {
  const MinRam sent{.infeasible = true,
                    .infeasible_below_bytes = 1,
                    .feasible_bytes = kMaxBytes,
                    .schedule = test::hill_paged(),
                    .node = 2,
                    .is_working_set = true,
                    .reason = "why",
                    .wall_seconds = std::numeric_limits<double>::denorm_min()};
  const MinRam arrived = unpacked<MinRam>(packed(sent));
  EXPECT_TRUE(arrived.infeasible);
  EXPECT_EQ(arrived.infeasible_below_bytes, 1);
  EXPECT_EQ(arrived.feasible_bytes, kMaxBytes);
  EXPECT_EQ(arrived.schedule, sent.schedule);
  EXPECT_EQ(arrived.node, 2);
  EXPECT_TRUE(arrived.is_working_set);
  EXPECT_EQ(arrived.reason, "why");
  EXPECT_EQ(arrived.wall_seconds, sent.wall_seconds);
}

TEST(Answers, ThatBreakOffAreAnError) {
  Message message = packed(long_outcome());
  message.resize(message.size() - 8);
  EXPECT_THROW(unpacked<SweepOutcome>(message), MalformedMessage);
  EXPECT_THROW(unpacked<MinRam>(Message{}), MalformedMessage);
}

}  // namespace
}  // namespace poet
