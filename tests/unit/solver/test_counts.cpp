#include "solver/relaxation/counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace poet {
namespace {

Count count(CountKind kind, std::vector<int> columns, double weight) {
  return {.kind = kind, .columns = std::move(columns), .weight = weight};
}

TEST(Splits, BeginWithTheCountThatCanGainMost) {
  const std::vector<Count> counts{count(CountKind::one_node, {0, 1}, 1),
                                  count(CountKind::one_node, {2, 3}, 1)};
  const std::vector<double> values{0.9, 0.9, 0.9, 0.5};
  const auto splits = best_splits(counts, values, {.most = 2});
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[0].count, 1);
  EXPECT_EQ(splits[0].most, 1);
  EXPECT_EQ(splits[1].count, 0);
  EXPECT_EQ(best_splits(counts, values, {}).size(), 1u);
}

TEST(Splits, PreferLikeNodesToOneNodeAndOneNodeToOneColumn) {
  const std::vector<double> values{0.5};
  const std::vector<Count> counts{count(CountKind::one_column, {0}, 1),
                                  count(CountKind::one_node, {0}, 1),
                                  count(CountKind::like_nodes, {0}, 1)};
  const auto splits = best_splits(counts, values, {.most = 3});
  ASSERT_EQ(splits.size(), 3u);
  EXPECT_EQ(splits[0].count, 2);
  EXPECT_EQ(splits[1].count, 1);
}

TEST(Splits, LeaveWholeNumbersAndSmallGainsAlone) {
  const std::vector<Count> counts{count(CountKind::like_nodes, {0, 1}, 1),
                                  count(CountKind::like_nodes, {0}, 1e-4)};
  const std::vector<double> values{0.5, 0.5};
  EXPECT_TRUE(best_splits(counts, values, {.gain = 1e-2}).empty());
  EXPECT_EQ(best_splits(counts, values, {.most = 2}).size(), 1u);
  EXPECT_TRUE(best_splits(counts, values, {.most = 2, .distance = 0.5}).empty());
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
