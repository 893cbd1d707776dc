// The benchmark's sets of instances, and the growth over sizes that it reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/growth.hpp"
#include "bench/instance.hpp"
#include "bench/synthetic.hpp"
#include "poet/graph.hpp"

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

TEST(SyntheticGraphs, HaveTheSizeAskedForAndABackwardChain) {
  for (const Family family : {Family::skips, Family::layered}) {
    const Graph graph = synthetic_graph(family, 500, 1);
    EXPECT_EQ(graph.size(), 499);
    EXPECT_EQ(graph.first_backward, 250);
    EXPECT_THAT(graph.nodes[250].inputs, testing::ElementsAre(248, 249));
    EXPECT_THAT(graph.nodes[251].inputs, testing::ElementsAre(247, 248, 250));
  }
}

TEST(SyntheticGraphs, ReachFarWithoutABackwardPass) {
  const Graph graph = synthetic_graph(Family::far_reaching, 500, 1);
  EXPECT_EQ(graph.size(), 500);
  EXPECT_EQ(graph.first_backward, 500);
  int far = 0;
  for (int k = 0; k < graph.size(); ++k) {
    for (const int input : graph.nodes[k].inputs) far += k - input > 100 ? 1 : 0;
  }
  EXPECT_GT(far, 50);
}

TEST(SyntheticGraphs, RepeatForASeed) {
  const auto energies = [](std::uint64_t seed) {
    std::vector<Joules> list;
    for (const Node& node : synthetic_graph(Family::layered, 100, seed).nodes) {
      list.push_back(node.energy_joules);
    }
    return list;
  };
  EXPECT_EQ(energies(1), energies(1));
  EXPECT_NE(energies(1), energies(2));
}

TEST(SyntheticGraphs, LeaveRoomBetweenTheBudgets) {
  const Graph graph = synthetic_graph(Family::skips, 200, 1);
  const Bytes least = working_set(graph).bytes;
  const Bytes peak = baseline(graph).peak_ram_bytes;
  ASSERT_LT(least, peak);
  EXPECT_EQ(budget_between(graph, 0), least);
  EXPECT_EQ(budget_between(graph, 1), peak);
  EXPECT_EQ(budget_between(graph, 0.5), least + (peak - least) / 2);
}

TEST(GrowthExponent, IsThatOfAPowerLaw) {
  const std::optional<double> cubic = growth_exponent({{10, 2e3}, {20, 16e3}, {40, 128e3}});
  ASSERT_TRUE(cubic);
  EXPECT_NEAR(*cubic, 3, 1e-12);
}

TEST(GrowthExponent, NeedsTwoSizesAndPositiveValues) {
  EXPECT_FALSE(growth_exponent({}));
  EXPECT_FALSE(growth_exponent({{10, 1}}));
  EXPECT_FALSE(growth_exponent({{10, 1}, {10, 2}}));
  EXPECT_FALSE(growth_exponent({{10, 0}, {20, 2}}));
}

}  // namespace
}  // namespace poet::bench
