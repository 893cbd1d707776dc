// The benchmark's baseline, POET's own MILP, is the published one, and says of a schedule what the
// replay says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/poet_milp.hpp"
#include "golden/instance.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "support/random_schedules.hpp"

namespace poet {
namespace {

using bench::make_poet_milp;
using bench::PoetColumns;
using bench::PoetMilp;

/// A schedule as a solution: the values of the columns that it implies.
class Solution {
 public:
  Solution(const Graph& graph, const Schedule& schedule, const PoetMilp& poet)
      : graph_(graph), at_(poet.columns), values_(poet.milp.columns.size()) {
    std::vector<bool> stored(graph.size());
    for (int t = 0; t < graph.size(); ++t) {
      const Stage& stage = schedule.stages[t];
      for (const int i : stage.resident) values_[at_.resident(t, i)] = 1;
      for (const int i : stage.compute) values_[at_.compute(t, i)] = 1;
      for (const int i : stage.page_in) values_[at_.page_in(t, i)] = 1;
      for (const int i : stage.page_out) values_[at_.page_out(t, i)] = 1;
      for (int i = 0; i < graph.size(); ++i) values_[at_.stored(t, i)] = stored[i] ? 1 : 0;
      for (const int i : stage.page_out) stored[i] = true;
    }
    for (int t = 0; t < graph.size(); ++t) follow_ram(t, poet.bytes_per_unit);
  }

  const std::vector<double>& values() const { return values_; }

 private:
  /// Free and U follow from the rest.
  void follow_ram(int t, double bytes_per_unit) {
    double ram = 0;
    for (int i = 0; i < graph_.size(); ++i) ram += values_[at_.resident(t, i)] * bytes(i);
    int edge = 0;
    for (int k = 0; k < graph_.size(); ++k) {
      ram += values_[at_.compute(t, k)] * bytes(k);
      values_[at_.ram(t, k)] = ram / bytes_per_unit;
      for (const int i : graph_.nodes[k].inputs) {
        const bool freed = is_freed(t, i, k);
        values_[at_.free(t, edge++)] = freed ? 1 : 0;
        if (freed) ram -= bytes(i);
      }
    }
  }

  bool is_freed(int t, int i, int k) const {
    if (values_[at_.compute(t, k)] == 0) return false;
    if (t + 1 < graph_.size() && values_[at_.resident(t + 1, i)] != 0) return false;
    return std::none_of(graph_.users[i].begin(), graph_.users[i].end(),
                        [&](int j) { return j > k && values_[at_.compute(t, j)] != 0; });
  }

  double bytes(int i) const { return static_cast<double>(graph_.nodes[i].bytes); }

  const Graph& graph_;
  PoetColumns at_;
  std::vector<double> values_;
};

/// The name of a row or column that the values break; empty where they are a solution.
std::string broken_part(const Milp& milp, const std::vector<double>& values) {
  constexpr double kTolerance = 1e-9;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const MilpColumn& column = milp.columns[c];
    if (values[c] < column.lower - kTolerance || values[c] > column.upper + kTolerance) {
      return column.name;
    }
  }
  for (const MilpRow& row : milp.rows) {
    double sum = 0;
    double size = 1;
    for (const MilpTerm& term : row.terms) {
      sum += term.coefficient * values[term.column];
      size += std::abs(term.coefficient);
    }
    if (sum < row.lower - kTolerance * size || sum > row.upper + kTolerance * size) {
      return row.name;
    }
  }
  return {};
}

double objective(const PoetMilp& poet, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t c = 0; c < values.size(); ++c) sum += poet.milp.columns[c].cost * values[c];
  return sum / poet.units_per_joule;
}

TEST(PoetMilp, HasThePublishedSize) {
  const Problem problem = instance("resnet18_cifar", "m4", 737719, 1.5);
  const PoetMilp poet = make_poet_milp(problem);
  // 142044 columns and 195916 rows are published, with one edge twice; here an edge is there once.
  constexpr std::size_t kStages = 133;
  constexpr std::size_t kRowsPerEdge = 3;
  ASSERT_EQ(problem.graph.size(), kStages);
  EXPECT_EQ(poet.milp.columns.size() + kStages, 142044U);
  EXPECT_EQ(poet.milp.rows.size() + kRowsPerEdge * kStages, 195916U);
}

TEST(PoetMilp, TakesEveryValidScheduleAtItsEnergy) {
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Twister random(seed);
    const test::Case made = test::random_case(random);
    const PoetMilp poet = make_poet_milp({.graph = made.graph, .limits = made.limits});
    const Solution solution(made.graph, made.schedule, poet);
    EXPECT_EQ(broken_part(poet.milp, solution.values()), "");
    const Joules energy = simulate(made.graph, made.schedule, made.limits).energy_joules;
    EXPECT_NEAR(objective(poet, solution.values()), energy, 1e-9 * energy);
    // Back again, it is a schedule that costs no more: a second page-out goes.
    const Schedule back = bench::schedule_of(poet.columns, made.graph, solution.values());
    const Replay replay = simulate(made.graph, back, made.limits);
    EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
    EXPECT_LE(replay.energy_joules, energy * (1 + 1e-9));
  }
}

TEST(PoetMilp, TakesOurScheduleOfResnet18Cifar) {
  // CBC has been seen to call this model infeasible.
  const Problem problem = instance("resnet18_cifar", "m4", 737719, 1.5);
  const SolveResult ours = solve(problem, {.settings = {.effort = Effort::fast}});
  ASSERT_TRUE(ours.schedule);
  const PoetMilp poet = make_poet_milp(problem);
  const Solution solution(problem.graph, *ours.schedule, poet);
  EXPECT_EQ(broken_part(poet.milp, solution.values()), "");
  EXPECT_NEAR(objective(poet, solution.values()), ours.energy_joules, 1e-9 * ours.energy_joules);
}

TEST(PoetMilp, RefusesAScheduleThatNeedsOneByteMore) {
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Twister random(seed);
    test::Case made = test::random_case(random);
    --made.limits.ram_budget_bytes;
    const PoetMilp poet = make_poet_milp({.graph = made.graph, .limits = made.limits});
    const Solution solution(made.graph, made.schedule, poet);
    EXPECT_EQ(broken_part(poet.milp, solution.values()).substr(0, 2), "U_");
  }
}

TEST(PoetMilp, RefusesAScheduleThatIsTooSlow) {
  test::Twister random(1);
  test::Case made = test::random_case(random);
  made.limits.runtime_budget_seconds *= 0.999;
  const PoetMilp poet = make_poet_milp({.graph = made.graph, .limits = made.limits});
  const Solution solution(made.graph, made.schedule, poet);
  EXPECT_EQ(broken_part(poet.milp, solution.values()), "runtime");
}

}  // namespace
}  // namespace poet
