#include "solver/work.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "solver/patience.hpp"

namespace poet {
namespace {

TEST(Patience, IsOverOnceItsRoundsTogetherCloseLessThanTheirShareOfWhatIsMissing) {
  const Patience patience{.rounds = 2, .share = 0.1};
  const std::vector<double> bounds{0, 0.9, 1};
  EXPECT_FALSE(patience.is_over(bounds, 10));
  EXPECT_TRUE(patience.is_over(bounds, 10.01));
  EXPECT_FALSE(patience.is_over(std::vector<double>{1, 1}, 10)) << "one round";
  EXPECT_TRUE(patience.is_over(std::vector<double>{0, 1, 1, 1}, 10)) << "the first is long past";
}

TEST(WorkShares, PromiseNoMoreThanIsLeft) {
  for (const std::size_t line : {1, 4, 8}) {
    WorkShares shares(1'000'000, line, 1000);
    std::deque<std::int64_t> promised;
    std::int64_t done = 0;
    int tasks = 0;
    // Every third task does all that it may, the others a little.
    while (true) {
      while (promised.size() < line) {
        const auto share = shares.next();
        if (!share) break;
        promised.push_back(*share);
      }
      if (promised.empty()) break;
      const std::int64_t part = ++tasks % 3 == 0 ? promised.front() : promised.front() / 10;
      shares.end(promised.front(), part);
      promised.pop_front();
      done += part;
    }
    EXPECT_EQ(shares.done(), done);
    EXPECT_LE(done, 1'000'000) << "a line of " << line;
    EXPECT_GT(done, 998'000) << "work was left although it was enough for a task";
  }
}

TEST(WorkShares, GiveTheFirstAnEqualPart) {
  WorkShares shares(800, 8, 1);
  EXPECT_EQ(shares.next(), 100);
}

TEST(WorkShares, GiveNoShareThatComesToNothing) {
  WorkShares shares(250, 8, 100);
  EXPECT_EQ(shares.next(), 100);
  EXPECT_EQ(shares.next(), 100);
  EXPECT_EQ(shares.next(), std::nullopt) << "only 50 are not promised";
  shares.end(100, 40);
  EXPECT_EQ(shares.next(), 100);
}

TEST(WorkShares, HaveNoEndWithoutALimit) {
  WorkShares shares(kNoLimit, 8, 100);
  EXPECT_EQ(shares.next(), kNoLimit);
  shares.end(kNoLimit, 5000);
  EXPECT_EQ(shares.next(), kNoLimit);
  EXPECT_EQ(shares.left(), kNoLimit);
  EXPECT_EQ(shares.done(), 5000);
}

}  // namespace
}  // namespace poet
