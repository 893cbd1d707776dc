#include "solver/relaxation/counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

namespace poet {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;

TEST(Splits, BeginWithTheCountThatCanGainMost) {
  const std::vector<Count> counts{{.columns = {0, 1}, .weight = 1},
                                  {.columns = {2, 3}, .weight = 1}};
  const std::vector<double> values{0.9, 0.9, 0.9, 0.5};
  const auto splits = best_splits(counts, values, {.most = 2});
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[0].count, 1);
  EXPECT_EQ(splits[0].most, 1);
  EXPECT_EQ(splits[1].count, 0);
  EXPECT_EQ(best_splits(counts, values, {}).size(), 1u);
}

TEST(Splits, PreferCountsToSingleColumns) {
  const std::vector<Count> counts{{.columns = {0}, .weight = 1, .is_one_column = true},
                                  {.columns = {1}, .weight = 0.1}};
  const auto splits = best_splits(counts, std::vector<double>{0.5, 0.5}, {.most = 2});
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[0].count, 1);
}

TEST(Splits, LeaveWholeNumbersAndSmallGainsAlone) {
  const std::vector<Count> counts{{.columns = {0, 1}, .weight = 1},
                                  {.columns = {0}, .weight = 1e-4}};
  const std::vector<double> values{0.5, 0.5};
  EXPECT_TRUE(best_splits(counts, values, {.gain = 1e-2}).empty());
  EXPECT_EQ(best_splits(counts, values, {.most = 2}).size(), 1u);
  EXPECT_TRUE(best_splits(counts, values, {.most = 2, .distance = 0.5}).empty());
}

TEST(Counts, AreTakenOverTheNodesInOnePlaceOfEqualBlocks) {
  // Six blocks of two layers that cost the same; the second of each adds the block's input.
  std::vector<Node> nodes{{.name = "input", .bytes = 1}};
  for (int i = 1; i <= 12; ++i) {
    const std::vector<int> inputs = i % 2 == 1 ? std::vector{i - 1} : std::vector{i - 2, i - 1};
    nodes.push_back({.name = fmt::format("n{}", i), .bytes = 1, .inputs = inputs});
  }
  CountCollector collector(make_graph(nodes));
  for (int i = 1; i <= 12; ++i) collector.add("compute", i, 1, {i});
  std::vector<std::vector<int>> columns;
  for (const Count& count : std::move(collector).all()) columns.push_back(count.columns);
  EXPECT_THAT(columns, Contains(ElementsAre(3, 5, 7, 9)));
  EXPECT_THAT(columns, Contains(ElementsAre(4, 6, 8)));
  EXPECT_THAT(std::set(columns.begin(), columns.end()), SizeIs(columns.size()));
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
