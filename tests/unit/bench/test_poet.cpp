// Where the answers of POET's formulation and ours exclude each other.
#include <gtest/gtest.h>

#include "bench/poet_baseline.hpp"

namespace poet::bench {
namespace {

/// Energy 100 J, bound 99 J.
Measurement ours() {
  return {.gap_asked = 0.01,
          .figures = {.status = Status::optimal,
                      .has_schedule = true,
                      .valid = true,
                      .baseline_joules = 90,
                      .energy_joules = 100,
                      .bound_joules = 99}};
}

PoetResult theirs(Joules energy, Joules bound) {
  return {.status = "optimal",
          .has_schedule = true,
          .energy_joules = energy,
          .has_bound = true,
          .bound_joules = bound};
}

TEST(PoetBaseline, AgreesWithinTheGaps) {
  EXPECT_EQ(refuted(theirs(100.5, 99.5), ours()), "");
  EXPECT_FALSE(refutes(theirs(100.5, 99.5), ours()));
  EXPECT_FALSE(refutes(theirs(99, 99), ours()));
}

TEST(PoetBaseline, IsWrongWhereOurScheduleIsBetterThanItsProofAllows) {
  EXPECT_EQ(refuted(theirs(100.5, 100.1), ours()), "its bound is above a schedule's energy");
  EXPECT_EQ(refuted(theirs(102, 99), ours()), "it is not optimal");
  PoetResult infeasible;
  infeasible.status = "infeasible";
  EXPECT_EQ(refuted(infeasible, ours()), "it is feasible");
}

TEST(PoetBaseline, ProvesUsWrongWhereItsScheduleIsBelowOurBound) {
  EXPECT_TRUE(refutes(theirs(98.9, 98), ours()));
  Measurement infeasible = ours();
  infeasible.figures.status = Status::infeasible;
  EXPECT_TRUE(refutes(theirs(100, 99), infeasible));
  infeasible.failure = "it ended by a signal";
  EXPECT_FALSE(refutes(theirs(100, 99), infeasible));
}

}  // namespace
}  // namespace poet::bench
