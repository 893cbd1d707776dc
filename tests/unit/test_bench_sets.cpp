// The benchmark's sets of instances, and the growth over sizes that it reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/instance.hpp"

namespace poet::bench {
namespace {

using testing::_;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;
using testing::Pair;
using testing::SizeIs;

std::vector<std::string> names(const std::vector<Instance>& instances) {
  std::vector<std::string> list;
  for (const Instance& instance : instances) list.push_back(instance.name());
  return list;
}

TEST(BenchSets, GridHasEveryCombinationOnce) {
  const std::vector<std::string> grid = names(grid_instances(false));
  EXPECT_EQ(grid.size(), 880U);
  EXPECT_EQ(std::set(grid.begin(), grid.end()).size(), 880U);
}

TEST(BenchSets, SampleIsAPartOfTheGridWithEveryModelPlatformAndRuntimeEquallyOften) {
  const std::vector<std::string> grid = names(grid_instances(false));
  const std::vector<Instance> sample = sample_instances(false);
  ASSERT_EQ(sample.size(), 80U);
  std::map<std::string, int> models;
  std::map<std::string, int> platforms;
  std::map<double, int> runtimes;
  std::map<std::size_t, int> budgets;
  for (const Instance& instance : sample) {
    const auto at = std::find(grid.begin(), grid.end(), instance.name());
    ASSERT_NE(at, grid.end()) << instance.name();
    ++models[instance.model];
    ++platforms[instance.platform];
    ++runtimes[instance.runtime_ratio];
    ++budgets[(at - grid.begin()) / 2 % 11];  // the grid varies runtimes first, then budgets
  }
  EXPECT_THAT(models, AllOf(SizeIs(8), Each(Pair(_, 10))));
  EXPECT_THAT(platforms, AllOf(SizeIs(5), Each(Pair(_, 16))));
  EXPECT_THAT(runtimes, AllOf(SizeIs(2), Each(Pair(_, 40))));
  EXPECT_THAT(budgets, AllOf(SizeIs(11), Each(Pair(_, AllOf(Ge(6), Le(9))))));
}

TEST(BenchSets, ShardsShareASetWithoutOverlap) {
  const std::vector<Instance> whole = named_instances(false);
  std::multiset<std::string> together;
  for (int part = 1; part <= 3; ++part) {
    const std::vector<std::string> some = names(shard(whole, part, 3));
    EXPECT_NEAR(static_cast<double>(some.size()), static_cast<double>(whole.size()) / 3, 1);
    together.insert(some.begin(), some.end());
  }
  const std::vector<std::string> all = names(whole);
  EXPECT_EQ(together, std::multiset<std::string>(all.begin(), all.end()));
}

TEST(BenchSets, QuickOnesAreNamedOnesWithTheSameBestKnownEnergy) {
  std::map<std::string, Joules> best;
  for (const Instance& instance : named_instances(false)) {
    best[instance.name()] = instance.best_extra_joules;
  }
  int shared = 0;
  for (const Instance& instance : named_instances(true)) {
    if (!best.contains(instance.name())) continue;
    ++shared;
    EXPECT_EQ(instance.best_extra_joules, best[instance.name()]) << instance.name();
  }
  EXPECT_EQ(shared, 3);
}

}  // namespace
}  // namespace poet::bench
