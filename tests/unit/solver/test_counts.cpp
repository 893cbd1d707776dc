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

/// A count of one node, and one of its first stages.
std::vector<Count> with_early_stages(std::vector<int> columns, std::size_t stages) {
  return {count(CountKind::one_node, std::move(columns), 1),
          {.kind = CountKind::early_stages, .weight = 1, .node_count = 0, .stages = stages}};
}

TEST(Branching, PrefersLikeNodesToOneNodeAndOneNodeToEarlyStages) {
  const std::vector<double> values{0.5, 0};
  std::vector<Count> counts = with_early_stages({0, 1}, 1);
  counts.push_back(count(CountKind::like_nodes, {0}, 1));
  EXPECT_EQ(choose_branching(counts, values, kCeiling).count, 2);
  counts.pop_back();
  EXPECT_EQ(choose_branching(counts, values, kCeiling).count, 0);
}

TEST(Branching, DividesTheStagesIfTheCountIsWhole) {
  const std::vector<Count> counts = with_early_stages({4, 2, 3}, 2);
  const std::vector<double> values{0, 0, 0.2, 0.6, 0.2};
  const Branching branching = choose_branching(counts, values, kCeiling);
  EXPECT_EQ(branching.count, 1);
  EXPECT_DOUBLE_EQ(branching.value, 0.4);
}

TEST(Counts, EarlyStagesAreTheFirstColumnsOfTheNode) {
  const MilpRow row = range_row(with_early_stages({4, 2, 3}, 2), {.count = 1, .lower = 1});
  ASSERT_EQ(row.terms.size(), 2u);
  EXPECT_EQ(row.terms[0].column, 4);
  EXPECT_EQ(row.terms[1].column, 2);
  EXPECT_EQ(row.lower, 1);
  EXPECT_EQ(row.upper, kInfinity);
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
