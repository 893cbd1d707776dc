#include <gtest/gtest.h>

#include "support/random_exact_schedules.hpp"
#include "support/tiny_schedules.hpp"
#include "sweep/dominance.hpp"

namespace poet {
namespace {

using test::tiny_graph;

constexpr Limits kPlain{.ram_budget_bytes = 2000, .runtime_budget_seconds = 100};

Limits with_storage(Bytes storage) {
  Limits limits = kPlain;
  limits.storage.storage_budget_bytes = storage;
  return limits;
}

Limits with_page_out(Bytes page_out) {
  Limits limits = kPlain;
  limits.storage.page_out_budget_bytes = page_out;
  return limits;
}

Limits with_time(PagingTime paging_time) {
  Limits limits = kPlain;
  limits.paging_time = paging_time;
  return limits;
}

TEST(Dominance, OfStorageBudgetsIsThatOfTheLargerOrNone) {
  EXPECT_TRUE(dominates(with_storage(512), with_storage(512)));
  EXPECT_TRUE(dominates(with_storage(512), with_storage(100)));
  EXPECT_FALSE(dominates(with_storage(100), with_storage(512)));
  EXPECT_TRUE(dominates(kPlain, with_storage(512)));
  EXPECT_FALSE(dominates(with_storage(512), kPlain));
  EXPECT_TRUE(dominates(kPlain, with_page_out(512)));
  EXPECT_FALSE(dominates(with_page_out(512), kPlain));
  EXPECT_FALSE(dominates(with_storage(512), with_page_out(512)));
}

// A schedule for charged transfers fits free ones, but its figures are others.
TEST(Dominance, NeedsTheSamePagingTime) {
  for (const PagingTime loose : {PagingTime::free, PagingTime::blocking, PagingTime::overlapped}) {
    for (const PagingTime tight :
         {PagingTime::free, PagingTime::blocking, PagingTime::overlapped}) {
      EXPECT_EQ(dominates(with_time(loose), with_time(tight)), loose == tight);
    }
  }
}

TEST(Dominance, AScheduleFitsWhatItsReplayKeepsTo) {
  const Replay replay = replay_without_limits(tiny_graph(), test::page_a(), PagingTime::blocking);
  EXPECT_EQ(replay.runtime_seconds, 23);
  EXPECT_TRUE(fits(replay, kPlain));
  EXPECT_TRUE(fits(replay, with_storage(100)));
  EXPECT_FALSE(fits(replay, with_storage(99)));
  EXPECT_TRUE(fits(replay, with_page_out(100)));
  EXPECT_FALSE(fits(replay, with_page_out(99)));
}

TEST(Dominance, FitsWhateverTheJudgeAccepts) {
  test::Twister random(3);
  int fitting = 0;
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    test::Case made = test::random_exact_case(random);
    const Replay replay = replay_without_limits(made.graph, made.schedule, made.limits.paging_time);
    // Tightened by a byte or a second, or not.
    if (test::chance(random, 20)) made.limits.ram_budget_bytes -= 1;
    if (test::chance(random, 20)) made.limits.runtime_budget_seconds *= 0.999;
    if (made.limits.storage.storage_budget_bytes > 0 && test::chance(random, 20)) {
      *made.limits.storage.storage_budget_bytes -= 1;
    }
    if (made.limits.storage.page_out_budget_bytes > 0 && test::chance(random, 20)) {
      *made.limits.storage.page_out_budget_bytes -= 1;
    }
    made.limits.techniques.remat = test::chance(random, 80);
    made.limits.techniques.paging = test::chance(random, 80);
    const bool valid = simulate(made.graph, made.schedule, made.limits).valid();
    ASSERT_EQ(fits(replay, made.limits), valid);
    fitting += valid ? 1 : 0;
  }
  EXPECT_GT(fitting, 200);
  EXPECT_LT(fitting, 800);
}

TEST(Dominance, APointHasThePagingLimitsOfItsSubject) {
  Subject subject{.graph = tiny_graph(), .base = baseline(tiny_graph())};
  subject.limits = with_storage(512);
  subject.limits.paging_time = PagingTime::overlapped;
  const Limits limits = limits_of(subject, kOnlyPaging, Ratio{2}, 111);
  EXPECT_EQ(limits.ram_budget_bytes, 111);
  EXPECT_EQ(limits.runtime_budget_seconds, 30);
  EXPECT_TRUE(limits.techniques.paging);
  EXPECT_FALSE(limits.techniques.remat);
  EXPECT_EQ(limits.paging_time, PagingTime::overlapped);
  EXPECT_EQ(limits.storage.storage_budget_bytes, 512);
}

}  // namespace
}  // namespace poet
