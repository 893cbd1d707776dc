// Every method of src/baselines on graphs of all kinds: what it makes is a schedule, and none needs
// less than the optimum.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "baselines/fields.hpp"
#include "baselines/run_baselines.hpp"
#include "poet/schedule_file.hpp"
#include "support/cases.hpp"
#include "support/random_graphs.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

/// Runs methods at one point.
std::vector<BaselineResult> run_methods(const Problem& problem, const char* methods,
                                        Seconds time_limit) {
  SweepGrid grid;
  grid.subjects.push_back({.model = {.name = "random", .nodes = {}},
                           .platform = {},
                           .graph = problem.graph,
                           .base = baseline(problem.graph),
                           .limits = problem.limits});
  const RuntimeBudget runtime(std::in_place_type<Seconds>, problem.limits.runtime_budget_seconds);
  return run_baselines(grid, {{.subject = 0, .runtime = runtime, .limits = problem.limits}},
                       {.methods = parse_methods(methods),
                        .settings = {.time_limit_seconds = time_limit},
                        .started = {},
                        .progress = {},
                        .finished = {},
                        .interrupted = {}});
}

/// Rows with a schedule, by method.
using Feasible = std::map<std::string, int>;

/// Holds every row of all methods against what it claims. A second suffices for our own solver to
/// find a schedule of so few nodes.
void expect_sound(const Problem& problem, Feasible& feasible) {
  for (const BaselineResult& result : run_methods(problem, "all", 1)) {
    const BaselineRow& row = result.row;
    SCOPED_TRACE(row.method);
    EXPECT_NE(row.status, BaselineRow::Status::failed) << row.reason;
    EXPECT_EQ(row.status == BaselineRow::Status::feasible, result.file.has_value());
    feasible[row.method] += result.file ? 1 : 0;
    if (!result.file) continue;
    const auto findings = verify_schedule_file(*result.file);
    EXPECT_TRUE(findings.empty()) << findings.front();
    EXPECT_LE(row.summary->peak_ram_bytes, problem.limits.ram_budget_bytes);
  }
}

Problem awkward_problem(Random& random, int nodes) {
  Problem problem = wild_problem(random, nodes, Numbers::moderate);
  while (!(problem.limits.runtime_budget_seconds > 0) || problem.limits.ram_budget_bytes < 1) {
    problem = wild_problem(random, nodes, Numbers::moderate);
  }
  return problem;
}

// Each method has schedules among them, or its part of the test would say nothing.
TEST(Baselines, AreSoundOnTrainingGraphsExactGraphsAndAwkwardOnes) {
  Feasible feasible;
  for_cases(8, [&](int number) {
    for (const auto draw_problem : {random_problem, random_exact_problem, awkward_problem}) {
      Random random(number);
      const int nodes = 6 + random.below(12);
      expect_sound(draw_problem(random, nodes), feasible);
    }
  });
  feasible.erase("int8-all");  // is for models of layers; test_baselines of the program has it
  EXPECT_GT(feasible.size(), 10U);
  for (const auto& [method, count] : feasible) EXPECT_GT(count, 0) << method;
}

/// Hardly any time, so that our solver finds no schedule of its own.
TEST(Baselines, OursIsAboveNoneOfTheOthers) {
  int compared = 0;
  for (int number = 0; number < 30; ++number) {
    SCOPED_TRACE(number);
    Random random(number);
    const Problem problem = random_problem(random, 20 + random.below(30));
    const auto results = run_methods(problem, "poet,dtr-like,capuchin-like,page-all", 1e-6);
    ASSERT_EQ(results.size(), 4U);
    const BaselineRow& ours = results.front().row;
    ASSERT_EQ(ours.method, "poet");
    for (const BaselineResult& other : results) {
      if (other.row.status != BaselineRow::Status::feasible) continue;
      ++compared;
      ASSERT_EQ(ours.status, BaselineRow::Status::feasible);
      EXPECT_LE(ours.summary->energy_joules, other.row.summary->energy_joules);
      EXPECT_EQ(ours.summary->lower_bound_joules, other.row.summary->lower_bound_joules);
    }
  }
  EXPECT_GE(compared, 40);
}

}  // namespace
}  // namespace poet::test
