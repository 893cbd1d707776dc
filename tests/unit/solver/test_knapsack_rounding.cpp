#include <gtest/gtest.h>

#include "solver/formulation/knapsack_rounding.hpp"
#include "solver/search/position.hpp"

namespace poet {
namespace {

bool admits(const Knapsack& knapsack, unsigned set) {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < knapsack.weights.size(); ++j) {
    if ((set >> j & 1) != 0) sum += knapsack.weights[j];
  }
  return sum <= knapsack.capacity;
}

TEST(Tighten, SevenAndAHalfSlotsAreSeven) {
  const Knapsack tight =
      tighten({.weights = {64, 64, 64, 64, 64, 64, 64, 64, 64}, .capacity = 480});
  EXPECT_EQ(tight.capacity, 7);
  EXPECT_EQ(tight.weights, std::vector<std::int64_t>(9, 1));
}

TEST(Tighten, OddSmallItemsThatFitTheSlackVanish) {
  const Knapsack tight = tighten({.weights = {100, 100, 100, 3, 4}, .capacity = 250});
  EXPECT_EQ(tight.capacity, 2);
  EXPECT_EQ(tight.weights, (std::vector<std::int64_t>{1, 1, 1, 0, 0}));
}

TEST(Tighten, LowersTheCapacityToAReachableSum) {
  // No unit suits both sizes at once; 18 is not reachable, 12 is.
  const Knapsack tight = tighten({.weights = {7, 7, 12, 12, 12}, .capacity = 30});
  const double relative =
      static_cast<double>(tight.capacity) / static_cast<double>(tight.weights[2]);
  EXPECT_LE(relative, 26.0 / 12);
}

TEST(Tighten, KeepsAnInfeasibleRowInfeasible) {
  EXPECT_LT(tighten({.weights = {1, 2}, .capacity = -1}).capacity, 0);
}

Knapsack random_knapsack(int seed) {
  Random random(seed);
  Knapsack knapsack;
  std::int64_t total = 0;
  const int kinds = 1 + random.below(4);
  std::vector<std::int64_t> sizes;
  for (int s = 0; s < kinds; ++s) sizes.push_back(random.below(random.below(2) == 0 ? 20 : 2000));
  for (int j = 2 + random.below(9); j > 0; --j) {
    knapsack.weights.push_back(sizes[random.below(kinds)]);
    total += knapsack.weights.back();
  }
  knapsack.capacity = random.below(static_cast<int>(total) + 2);
  return knapsack;
}

TEST(Tighten, AdmitsExactlyTheSameSets) {
  for (int seed = 0; seed < 3000; ++seed) {
    const Knapsack knapsack = random_knapsack(seed);
    const Knapsack tight = tighten(knapsack);
    for (unsigned set = 0; set < 1U << knapsack.weights.size(); ++set) {
      ASSERT_EQ(admits(knapsack, set), admits(tight, set)) << "seed " << seed << " set " << set;
    }
  }
}

TEST(RoundedRows, HoldForEverySetThatFits) {
  std::size_t found = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    const Knapsack knapsack = random_knapsack(seed);
    const std::vector<Knapsack> rows = rounded_rows(knapsack);
    found += rows.size();
    for (unsigned set = 0; set < 1U << knapsack.weights.size(); ++set) {
      if (!admits(knapsack, set)) continue;
      for (const Knapsack& row : rows) {
        ASSERT_TRUE(admits(row, set)) << "seed " << seed << " set " << set;
      }
    }
  }
  EXPECT_GT(found, 3000U);
}

TEST(RoundedRows, OfNoRoomAreNone) {
  EXPECT_TRUE(rounded_rows({.weights = {1, 2}, .capacity = -1}).empty());
}

}  // namespace
}  // namespace poet
