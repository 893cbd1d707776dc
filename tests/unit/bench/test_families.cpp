// The samples of graphs that are no chains in POET's manner, and the table over them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/family_table.hpp"
#include "bench/instance.hpp"
#include "poet/problem.hpp"

namespace poet::bench {
namespace {

using testing::_;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Pair;
using testing::SizeIs;

/// How often each value comes up.
template <typename Value>
std::map<Value, int> count(const std::vector<Instance>& instances, Value Instance::*member) {
  std::map<Value, int> counts;
  for (const Instance& instance : instances) ++counts[instance.*member];
  return counts;
}

void expect_forty_different(const std::vector<Instance>& instances) {
  EXPECT_EQ(instances.size(), 40U);
  std::set<std::string> names;
  for (const Instance& instance : instances) names.insert(instance.name());
  EXPECT_EQ(names.size(), instances.size());
}

TEST(Families, LayeredOnesHaveEverySizeShareAndSeedEquallyOften) {
  const std::vector<Instance> all = layered_instances(false);
  expect_forty_different(all);
  EXPECT_THAT(count(all, &Instance::nodes), AllOf(SizeIs(4), Each(Pair(_, 10))));
  EXPECT_THAT(count(all, &Instance::ram_percent), AllOf(SizeIs(4), Each(Pair(_, 10))));
  EXPECT_THAT(count(all, &Instance::graph_seed), AllOf(SizeIs(5), Each(Pair(_, 8))));
  std::map<std::pair<int, int>, int> together;
  for (const Instance& instance : all) ++together[{instance.nodes, instance.ram_percent}];
  EXPECT_THAT(together, AllOf(SizeIs(16), Each(Pair(_, AllOf(Ge(2), Le(3))))));
}

TEST(Families, LayeredOnesOnlyRecomputeInAShareOfThePeak) {
  for (const Instance& instance : layered_instances(true)) {
    const Problem problem = problem_of(instance);
    EXPECT_EQ(problem.graph.size(), 100);
    EXPECT_FALSE(problem.limits.techniques.paging);
    EXPECT_TRUE(problem.limits.techniques.remat);
    EXPECT_EQ(problem.limits.ram_budget_bytes,
              baseline(problem.graph).peak_ram_bytes * instance.ram_percent / 100);
  }
}

TEST(Families, ExactOnesHaveEveryModelAndPlatformEquallyOften) {
  const std::vector<Instance> all = exact_instances(false);
  expect_forty_different(all);
  EXPECT_THAT(count(all, &Instance::model), AllOf(SizeIs(10), Each(Pair(_, 4))));
  EXPECT_THAT(count(all, &Instance::platform), AllOf(SizeIs(10), Each(Pair(_, 4))));
  EXPECT_THAT(count(all, &Instance::runtime_ratio),
              AllOf(SizeIs(2), Each(Pair(_, AllOf(Ge(19), Le(21))))));
}

TEST(Families, ExactOnesHaveTheBudgetsThatAreFollowed) {
  std::vector<std::string> names;
  for (const Instance& instance : exact_instances(true)) names.push_back(instance.name());
  EXPECT_THAT(names, testing::IsSupersetOf({"exact resnet18_cifar/m4 264396 3x",
                                            "exact resnet18_cifar/m4 467763 3x",
                                            "exact resnet18_cifar/m4 738918 3x"}));
}

TEST(Families, ExactOnesWaitForTransfersAndUpdateOnce) {
  const Problem problem = problem_of(exact_instances(true).front());
  EXPECT_EQ(problem.limits.paging_time, PagingTime::blocking);
  const auto& nodes = problem.graph.nodes;
  const auto updates = std::count_if(
      nodes.begin(), nodes.end(), [](const Node& node) { return !node.writes_parameters.empty(); });
  EXPECT_GT(updates, 0);
}

TEST(Families, InferenceHasNoBackwardPassAndSomethingToGain) {
  const std::vector<Instance> all = inference_instances(false);
  expect_forty_different(all);
  EXPECT_THAT(count(all, &Instance::model), AllOf(SizeIs(4), Each(Pair(_, 10))));
  EXPECT_THAT(count(all, &Instance::platform), AllOf(SizeIs(10), Each(Pair(_, 4))));
  EXPECT_THAT(count(all, &Instance::runtime_ratio), AllOf(SizeIs(2), Each(Pair(_, 20))));
  for (const Instance& instance : all) {
    const Problem problem = problem_of(instance);
    EXPECT_EQ(problem.graph.first_backward, problem.graph.size());
    EXPECT_GE(instance.ram_bytes, working_set(problem.graph).bytes);
    EXPECT_LT(instance.ram_bytes, baseline(problem.graph).peak_ram_bytes);
  }
}

TEST(Families, SecondSampleSharesNoPointWithTheGrid) {
  std::set<std::string> grid;
  for (const Instance& instance : grid_instances(false)) grid.insert(instance.name());
  const std::vector<Instance> all = second_sample_instances(false);
  EXPECT_EQ(all.size(), 80U);
  EXPECT_THAT(count(all, &Instance::model), AllOf(SizeIs(8), Each(Pair(_, 10))));
  EXPECT_THAT(count(all, &Instance::platform), AllOf(SizeIs(5), Each(Pair(_, 16))));
  for (const Instance& instance : all) {
    EXPECT_FALSE(grid.contains(instance.name())) << instance.name();
    EXPECT_NE(instance.solver_seed, Instance().solver_seed);
  }
}

/// Baseline 100 J; 116 J after 10 s, 112 J in the end, bound 106 J.
Measurement layered_one() {
  return {.instance = {.kind = Kind::layered, .nodes = 100, .graph_seed = 1, .ram_percent = 80},
          .figures = {.finished = true,
                      .status = Status::feasible,
                      .has_schedule = true,
                      .valid = true,
                      .wall_seconds = 60,
                      .baseline_joules = 100,
                      .energy_joules = 112,
                      .patient_joules = 116,
                      .bound_joules = 106}};
}

/// The row that begins with a word, its cells parted by single blanks.
std::string row_of(const std::string& table, const std::string& word) {
  const std::size_t begin = table.find("\n" + word) + 1;
  std::string row;
  for (const char c : table.substr(begin, table.find('\n', begin) - begin)) {
    if (c != ' ' || row.back() != ' ') row += c;
  }
  return row;
}

TEST(FamilyTable, ComparesExtraEnergyWithTheBestKnown) {
  Measurement m = layered_one();
  BestKnown known{{m.instance.name(), {.baseline_joules = 100, .energy_joules = 108}}};
  // Gap 6/112, of the extra 6/12; 16/8 - 1 at 10 s, 12/8 - 1 in the end.
  EXPECT_EQ(row_of(family_table({m}, known), "layered"),
            "layered 1 0 0 0 5.357 5.357 50 50 100 100 50 50");
  known.begin()->second.energy_joules = 120;
  const std::string table = family_table({m}, known);
  EXPECT_EQ(row_of(table, "layered"), "layered 1 0 0 0 5.357 5.357 50 50 33.33 33.33 0 0");
  EXPECT_THAT(table, HasSubstr("1 better than the best known before"));
}

TEST(FamilyTable, HasARowForEachKindWithMeanAndWorst) {
  Measurement proven = layered_one();
  proven.instance.nodes = 250;
  proven.figures.status = Status::optimal;
  proven.figures.wall_seconds = 9;
  proven.figures.bound_joules = proven.figures.energy_joules;
  proven.figures.patient_joules = proven.figures.energy_joules;
  Measurement exact = proven;
  exact.instance = {"bert", "m4", 1000, 3, 0, Kind::exact};
  const std::string table = family_table({layered_one(), proven, exact}, {});
  EXPECT_EQ(row_of(table, "layered"), "layered 2 0 1 1 2.679 5.357 25 50 16.67 33.33 0 0");
  EXPECT_EQ(row_of(table, "exact"), "exact 1 0 1 1 0 0 0 0 0 0 0 0");
  EXPECT_THAT(table, HasSubstr("worst gap: layered 100 graph 1 80 %"));
  EXPECT_THAT(table, testing::Not(HasSubstr("inference")));
}

TEST(FamilyTable, CountsWhatHasNoSchedule) {
  Measurement late = layered_one();
  late.figures.patient_joules = 0;
  Measurement none = layered_one();
  none.figures.has_schedule = false;
  none.figures.status = Status::unknown;
  EXPECT_THAT(family_table({late, none}, {}),
              HasSubstr("1 without a schedule or a verdict, 1 of the others without one at 10 s"));
}

}  // namespace
}  // namespace poet::bench
