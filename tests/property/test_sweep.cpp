// What points of a sweep take from each other, held against solving each by itself on random
// graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"
#include "question/least_ram.hpp"
#include "support/random_graphs.hpp"
#include "support/tiny_sweep.hpp"

namespace poet {
namespace {

constexpr double kRelative = 1e-8;  // CBC's tolerances after scaling

SolveOptions exact() {
  SolveOptions options{.settings = {.gap = 0, .time_limit_seconds = 60}};
  options.settings.features.local_search = false;  // the MILP alone is fast on small graphs
  return options;
}

/// Four RAM budgets, two runtime budgets, all sets of techniques.
SweepGrid random_grid(Random& random) {
  SweepGrid grid;
  grid.subjects.push_back(
      test::subject_of(test::random_problem(random, 6 + random.below(4)).graph, "random"));
  const Bytes low = working_set(grid.subjects[0].graph).bytes;
  const Bytes high = grid.subjects[0].base.peak_ram_bytes;
  for (const int quarter : {0, 1, 2, 3}) {
    const Bytes budget = std::max<Bytes>(1, low + (high - low) * quarter / 4);
    if (!grid.ram.empty() && std::get<Bytes>(grid.ram.back().first) == budget) continue;
    grid.ram.push_back({.first = budget});
  }
  grid.runtime = {Ratio{1 + random.uniform()}, Ratio{2 + random.uniform()}};
  grid.techniques = {kNoTechnique, kOnlyRemat, kOnlyPaging, kBothTechniques};
  return grid;
}

void expect_monotone(const std::vector<SweepPoint>& points, const SweepOutcomes& outcomes) {
  for (std::size_t loose = 0; loose < points.size(); ++loose) {
    for (std::size_t tight = 0; tight < points.size(); ++tight) {
      const Limits& l = points[loose].limits;
      const Limits& t = points[tight].limits;
      const bool allows = l.ram_budget_bytes >= t.ram_budget_bytes &&
                          l.runtime_budget_seconds >= t.runtime_budget_seconds &&
                          l.techniques.paging >= t.techniques.paging &&
                          l.techniques.remat >= t.techniques.remat;
      if (!allows || !outcomes[tight]->result.schedule) continue;
      ASSERT_TRUE(outcomes[loose]->result.schedule) << loose << " allows as much as " << tight;
      EXPECT_LE(outcomes[loose]->result.energy_joules, outcomes[tight]->result.energy_joules);
    }
  }
}

/// The solver's own answer just below and at the smallest budget.
void expect_smallest(const Subject& subject, const Limits& limits, const MinRam& found) {
  ASSERT_TRUE(found.exact()) << found.reason;
  Problem problem{.graph = subject.graph, .limits = limits};
  problem.limits.ram_budget_bytes = found.feasible_bytes;
  EXPECT_EQ(solve(problem, exact()).status, Status::optimal);
  problem.limits.ram_budget_bytes = found.feasible_bytes - 1;
  EXPECT_EQ(solve(problem, exact()).status, Status::infeasible);
}

TEST(Sweep, AgreesWithSolvingEachPointByItself) {
  // POET_SWEEPS=200 for a longer run.
  const char* const wanted = std::getenv("POET_SWEEPS");
  const int sweeps = wanted != nullptr ? std::atoi(wanted) : 20;
  int reused = 0;
  int solved = 0;
  for (int seed = 0; seed < sweeps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const SweepGrid grid = random_grid(random);
    const std::vector<SweepPoint> points = sweep_points(grid, {0});
    SweepOutcomes outcomes;
    ASSERT_TRUE(run_sweep(grid, points, {.solve = exact(), .jobs = 2}, outcomes));
    share_results(grid, points, 0, outcomes);
    for (std::size_t p = 0; p < points.size(); ++p) {
      const SweepOutcome& outcome = *outcomes[p];
      reused += outcome.origin == SweepOutcome::Origin::reused ? 1 : 0;
      solved += outcome.origin == SweepOutcome::Origin::solved ? 1 : 0;
      const Problem problem{.graph = grid.subjects[0].graph, .limits = points[p].limits};
      const SolveResult alone = solve(problem, exact());
      ASSERT_EQ(outcome_name(outcome), status_name(alone.status)) << "point " << p;
      EXPECT_NEAR(outcome.result.energy_joules, alone.energy_joules,
                  kRelative * grid.subjects[0].base.energy_joules)
          << "point " << p;
    }
    expect_monotone(points, outcomes);
  }
  EXPECT_GT(reused, solved) << "of " << reused + solved << " points that need more than a verdict";
}

TEST(MinRam, IsWhereTheSolverBeginsToFindSchedules) {
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(1000 + seed);
    const Problem problem = test::random_problem(random, 6 + random.below(4));
    const Subject subject = test::subject_of(problem.graph, "random");
    Limits limits = problem.limits;
    limits.techniques.paging = seed % 2 == 0;
    const MinRam found = least_ram(subject, limits, exact(), 0, {});
    expect_smallest(subject, limits, found);
  }
}

}  // namespace
}  // namespace poet
