#include <gtest/gtest.h>

#include "solver/formulation/knapsack_facet.hpp"
#include "solver/milp/linear_program.hpp"
#include "solver/search/position.hpp"

namespace poet::test {
namespace {

constexpr double kTolerance = 1e-3;

/// Whether the items of a set, a bit for each, are within the capacity.
bool admits(const Knapsack& knapsack, unsigned set) {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < knapsack.weights.size(); ++j) {
    if ((set >> j & 1) != 0) sum += knapsack.weights[j];
  }
  return sum <= knapsack.capacity;
}

/// Two to ten items of up to four sizes, some of them small.
Knapsack random_knapsack(Random& random) {
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

/// How far the point is from every mean of sets that fit, as a sum over its items.
double distance_from_hull(const Knapsack& knapsack, const std::vector<double>& point) {
  const std::size_t items = point.size();
  Milp milp;
  std::vector<MilpRow> rows(items + 1);
  rows[items] = {.name = "mean", .lower = 1, .upper = 1};
  for (std::size_t i = 0; i < items; ++i) {
    rows[i] = {.name = "item", .lower = point[i], .upper = point[i]};
    for (const double sign : {1.0, -1.0}) {
      rows[i].terms.push_back({static_cast<int>(milp.columns.size()), sign});
      milp.add_column({.name = "off", .cost = 1, .lower = 0, .upper = 1, .integer = false});
    }
  }
  for (unsigned set = 0; set < 1U << items; ++set) {
    if (!admits(knapsack, set)) continue;
    for (std::size_t i = 0; i < items; ++i) {
      if ((set >> i & 1) != 0) rows[i].terms.push_back({static_cast<int>(milp.columns.size()), 1});
    }
    rows[items].terms.push_back({static_cast<int>(milp.columns.size()), 1});
    milp.add_column({.name = "set", .cost = 0, .lower = 0, .upper = 1, .integer = false});
  }
  milp.rows = rows;
  LinearProgram program(milp);
  EXPECT_EQ(program.solve(kInfinity, kInfinity), LinearProgram::Status::optimal);
  return program.bound();
}

/// Some items there, some not, and the others in parts.
std::vector<double> draw_point(Random& random, std::size_t items) {
  std::vector<double> point(items);
  for (double& share : point) share = std::clamp(random.below(160) / 100.0 - 0.3, 0.0, 1.0);
  return point;
}

TEST(KnapsackFacet, HoldsForEverySetThatFitsAndIsFoundOutsideTheirHull) {
  int found = 0;
  int inside = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Knapsack knapsack = random_knapsack(random);
    const std::vector<double> point = draw_point(random, knapsack.weights.size());
    const auto facet = violated_facet(knapsack, point, kTolerance);
    const double outside = distance_from_hull(knapsack, point);
    if (!facet) {
      // A row that the point misses by so much at least, and is not told of.
      EXPECT_LT(outside, 0.05);
      ++inside;
      continue;
    }
    ++found;
    EXPECT_GT(outside, 0);
    EXPECT_GT(distance(*facet, point), kTolerance);
    EXPECT_LE(facet->capacity, 999);
    for (unsigned set = 0; set < 1U << knapsack.weights.size(); ++set) {
      if (!admits(knapsack, set)) continue;
      ASSERT_TRUE(admits(*facet, set)) << "set " << set;
    }
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(inside, 300);
}

TEST(KnapsackFacet, CountsWhatFitsTogether) {
  // 7.5 slots: a mean of sets of seven has no eighth by halves.
  const Knapsack slots{.weights = std::vector<std::int64_t>(9, 64), .capacity = 480};
  const std::vector<double> point{1, 1, 1, 1, 1, 1, 0.75, 0.75, 0};
  const auto facet = violated_facet(slots, point, kTolerance);
  ASSERT_TRUE(facet);
  EXPECT_EQ(facet->capacity, 7);
  EXPECT_EQ(facet->weights, std::vector<std::int64_t>(9, 1));
}

TEST(KnapsackFacet, ForbidsAPartOfWhatDoesNotFitBesideWhatIsThere) {
  const Knapsack knapsack{.weights = {50, 40, 60}, .capacity = 100};
  const auto facet = violated_facet(knapsack, std::vector<double>{1, 0, 0.5}, kTolerance);
  ASSERT_TRUE(facet);
  EXPECT_EQ(facet->weights, (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(facet->capacity, 1);
}

TEST(KnapsackFacet, ForbidsWholeSetsThatOverrunByAByte) {
  const Knapsack knapsack{.weights = {1'000'000, 999'999, 500'000}, .capacity = 1'999'998};
  const auto facet = violated_facet(knapsack, std::vector<double>{1, 1, 0}, kTolerance);
  ASSERT_TRUE(facet);
  EXPECT_FALSE(admits(*facet, 0b011));
  EXPECT_TRUE(admits(*facet, 0b110));
}

TEST(InUnits, HoldsForEverySetThatFits) {
  for (int seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const Knapsack knapsack = random_knapsack(random);
    const Knapsack row = in_units(knapsack);
    ASSERT_EQ(row.weights.size(), knapsack.weights.size());
    for (unsigned set = 0; set < 1U << knapsack.weights.size(); ++set) {
      if (!admits(knapsack, set)) continue;
      ASSERT_TRUE(admits(row, set)) << "seed " << seed << " set " << set;
    }
  }
}

TEST(InUnits, SevenAndAHalfSlotsAreSeven) {
  const Knapsack row = in_units({.weights = {64, 64, 64, 64, 64, 64, 64, 64, 3}, .capacity = 480});
  EXPECT_EQ(row.capacity, 7);
  EXPECT_EQ(row.weights, (std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 1, 0}));
}

TEST(InUnits, KeepsAnInfeasibleRowInfeasible) {
  EXPECT_LT(in_units({.weights = {1, 2}, .capacity = -1}).capacity, 0);
}

TEST(KnapsackFacet, OfNoRoomIsNone) {
  EXPECT_FALSE(violated_facet({.weights = {1, 2}, .capacity = -1}, std::vector<double>{0.5, 0.5},
                              kTolerance));
}

}  // namespace
}  // namespace poet::test
