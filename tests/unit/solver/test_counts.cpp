#include "solver/relaxation/counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace poet {
namespace {

constexpr double kCeiling = 10;

Count count(CountKind kind, std::vector<int> columns, double weight) {
  return {.kind = kind, .columns = std::move(columns), .weight = weight};
}

TEST(Branching, TakesTheCountThatCanGainMost) {
  const std::vector<Count> counts{count(CountKind::one_node, {0, 1}, 1),
                                  count(CountKind::one_node, {2, 3}, 1)};
  const std::vector<double> values{0.9, 0.9, 0.9, 0.5};
  const Branching branching = choose_branching(counts, values, kCeiling);
  EXPECT_EQ(branching.count, 1);
  EXPECT_DOUBLE_EQ(branching.value, 1.4);
}

TEST(Branching, PrefersLikeNodesToOneNodeAndOneNodeToOneColumn) {
  const std::vector<double> values{0.5};
  std::vector<Count> counts{count(CountKind::one_column, {0}, 1),
                            count(CountKind::one_node, {0}, 1),
                            count(CountKind::like_nodes, {0}, 1)};
  EXPECT_EQ(choose_branching(counts, values, kCeiling).count, 2);
  counts.pop_back();
  EXPECT_EQ(choose_branching(counts, values, kCeiling).count, 1);
}

TEST(Branching, WholeNumbersAndSmallGainsAreLeftAlone) {
  const std::vector<Count> counts{count(CountKind::like_nodes, {0, 1}, 1),
                                  count(CountKind::like_nodes, {0}, 1e-4)};
  EXPECT_EQ(choose_branching(counts, std::vector<double>{0.5, 0.5}, kCeiling).count, -1);
}

TEST(Counts, RangesOfACountMergeIntoTheirIntersection) {
  const auto ranges = merged({{.count = 3, .upper = 5},
                              {.count = 1, .lower = 2},
                              {.count = 3, .lower = 1, .upper = 4},
                              {.count = 3, .lower = 0}});
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].count, 3);
  EXPECT_EQ(ranges[0].lower, 1);
  EXPECT_EQ(ranges[0].upper, 4);
  EXPECT_EQ(ranges[1].count, 1);
  EXPECT_EQ(ranges[1].lower, 2);
  EXPECT_EQ(ranges[1].upper, kInfinity);
}

}  // namespace
}  // namespace poet
