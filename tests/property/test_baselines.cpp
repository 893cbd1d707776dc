// Every method of src/baselines on graphs of all kinds: what it makes is a schedule, and none needs
// less than the optimum.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "baselines/fields.hpp"
#include "baselines/run_baselines.hpp"
#include "poet/schedule_file.hpp"
#include "support/cases.hpp"
#include "support/random_graphs.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

SweepGrid grid_of(const Problem& problem) {
  Subject subject{.model = {.name = "random", .nodes = {}},
                  .platform = {},
                  .graph = problem.graph,
                  .base = baseline(problem.graph),
                  .limits = problem.limits};
  SweepGrid grid;
  grid.subjects.push_back(std::move(subject));
  return grid;
}

/// Runs all methods at one point, and holds every row against what it claims. Counts the feasible
/// rows of each method.
void expect_sound(const Problem& problem, std::map<std::string, int>& feasible) {
  const SweepGrid grid = grid_of(problem);
  const RuntimeBudget runtime(std::in_place_type<Seconds>, problem.limits.runtime_budget_seconds);
  const std::vector<SweepPoint> points{
      {.subject = 0, .runtime = runtime, .limits = problem.limits}};
  const BaselineOptions options{.methods = parse_methods("all"),
                                .settings = {.time_limit_seconds = 5},
                                .started = {},
                                .progress = {},
                                .finished = {},
                                .interrupted = {}};
  for (const BaselineResult& result : run_baselines(grid, points, options)) {
    const BaselineRow& row = result.row;
    EXPECT_NE(row.status, BaselineRow::Status::failed) << row.method << ": " << row.reason;
    EXPECT_EQ(row.status == BaselineRow::Status::feasible, result.file.has_value());
    if (!result.file) continue;
    ++feasible[row.method];
    const auto findings = verify_schedule_file(*result.file);
    EXPECT_TRUE(findings.empty()) << row.method << ": " << findings.front();
    EXPECT_LE(row.summary->peak_ram_bytes, problem.limits.ram_budget_bytes);
  }
}

/// Of one kind after the other: graphs as POET has them, exact ones, and awkward ones.
Problem problem_of(int number, Random& random) {
  const int size = 6 + random.below(12);
  if (number % 3 == 0) return random_problem(random, size);
  if (number % 3 == 1) return random_exact_problem(random, size);
  return wild_problem(random, size, Numbers::moderate);
}

TEST(Baselines, AreSoundOnGraphsOfAllKinds) {
  const CaseRange range = wanted_cases(30);
  std::map<std::string, int> feasible;
  for (int number = range.first; number < range.first + range.count; ++number) {
    SCOPED_TRACE(number);
    Random random(number);
    const Problem problem = problem_of(number, random);
    if (!(problem.limits.runtime_budget_seconds > 0) || problem.limits.ram_budget_bytes < 1)
      continue;
    expect_sound(problem, feasible);
  }
  if (range.count < 30) return;
  EXPECT_EQ(feasible.size(), parse_methods("all").size()) << "each method has made some schedule";
}

/// Hardly any time, so that our solver finds no schedule of its own.
TEST(Baselines, OursIsAboveNoneOfTheOthers) {
  int compared = 0;
  for (int number = 0; number < 30; ++number) {
    SCOPED_TRACE(number);
    Random random(number);
    const Problem problem = random_problem(random, 20 + random.below(30));
    const SweepGrid grid = grid_of(problem);
    const RuntimeBudget runtime(std::in_place_type<Seconds>, problem.limits.runtime_budget_seconds);
    const std::vector<SweepPoint> points{
        {.subject = 0, .runtime = runtime, .limits = problem.limits}};
    BaselineOptions options{.methods = parse_methods("poet,dtr-like,capuchin-like,page-all"),
                            .settings = {.time_limit_seconds = 1e-6},
                            .started = {},
                            .progress = {},
                            .finished = {},
                            .interrupted = {}};
    const std::vector<BaselineResult> results = run_baselines(grid, points, options);
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
