// The sampled relaxation against the oracle: never above the optimum, and never without a solution
// if a schedule exists, for any moments and any windows that contain the optimum. Nor may any row
// forbid the oracle's schedule.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include <fmt/format.h>

#include "poet/problem.hpp"
#include "solver/formulation/moments.hpp"
#include "solver/formulation/sampled_relaxation.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/relaxation/row_loop.hpp"
#include "support/cases.hpp"
#include "support/idle_problems.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"
#include "support/sampled_point.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

constexpr double kSampledTolerance = 1e-8;  // of the energy, in sums of another order

/// The relaxation's optimum in scaled units; nothing if it is infeasible.
std::optional<double> sampled_optimum(const ScaledMilp& scaled) {
  const MipResult result =
      solve_mip(scaled.milp, {.absolute_gap = 0}, [](const MipProgress&) { return true; });
  EXPECT_EQ(result.status, MipResult::Status::finished) << result.message;
  if (!result.values) return std::nullopt;
  return result.bound;
}

/// The bound of its linear relaxation with cuts, which is all that large graphs get.
double linear_bound(const SampledModel& model, const Graph& graph, const ScaledMilp& scaled) {
  const RowLoopOptions options{
      .cuts = [&](std::span<const double> values) { return sampled_cuts(model, graph, values); },
      .least_gain = 0};
  const RowLoopResult result = run_row_loop(scaled.milp, options, [](double) { return true; });
  EXPECT_EQ(result.status, RowLoopResult::Status::bounded);
  return result.bound;
}

std::vector<int> draw_moments(Random& random, const Problem& problem,
                              const UsefulWindows& windows) {
  const int size = problem.graph.size();
  const int count = 1 + random.below(size);
  const int kind = random.below(3);
  if (kind == 0) return peak_moments(problem, count);
  if (kind == 1) return spread_moments(problem.graph, windows.first_stage, count);
  std::vector<int> moments;
  for (int t = 0; t < size; ++t) {
    if (random.below(size) < count) moments.push_back(t);
  }
  return moments;
}

struct SampledOracleTally {
  int problems = 0;
  int informative = 0;
};

void compare_with(const OracleAnswer& optimum, const Problem& problem, Random& random, bool search,
                  SampledOracleTally& tally) {
  const Joules base = baseline(problem.graph).energy_joules;
  const Joules extra = optimum.energy_joules - base;
  const Joules slack = kSampledTolerance * optimum.energy_joules;
  // The narrowest windows that still contain the optimum, or the widest.
  const Joules allowed = random.below(2) == 0 ? extra + 1e-9 * optimum.energy_joules : kInfinity;
  const UsefulWindows windows = useful_windows(problem, random.below(2) == 0, allowed);
  const SampledModel model =
      sampled_relaxation(problem, windows, draw_moments(random, problem, windows));
  const ScaledMilp scaled = scale(model.milp, base);
  const Schedule schedule = normal(problem.graph, optimum.schedule, problem.limits.paging_time);
  const std::vector<double> point = SampledPoint(model, problem, schedule).run();
  for (const MilpRow& row : model.milp.rows) expect_row_holds(row, point);
  EXPECT_LE(objective(model.milp, point), extra + slack);
  EXPECT_LE(linear_bound(model, problem.graph, scaled), scaled.to_units(extra + slack));
  ++tally.problems;
  if (!search) return;
  const auto bound = sampled_optimum(scaled);
  ASSERT_TRUE(bound) << "no solution";
  EXPECT_LE(*bound, scaled.to_units(extra + slack));
  if (*bound > 0.01) ++tally.informative;
}

void expect_never_above(int usual_cases, const std::function<Problem(Random&)>& draw) {
  constexpr int kMostSearches = 200;
  const CaseRange cases = wanted_cases(usual_cases);
  SampledOracleTally tally;
  int searches = 0;
  for (int number = cases.first; number < cases.first + cases.count; ++number) {
    SCOPED_TRACE(fmt::format("POET_SEED={} POET_CASES=1", number));
    Random random(number);
    const Problem problem = draw(random);
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    if (!optimum) continue;
    // CBC takes ten times as long as the rest, so long runs search for one problem in ten.
    const bool search = searches < kMostSearches || number % 10 == 0;
    searches += search ? 1 : 0;
    compare_with(*optimum, problem, random, search, tally);
    if (testing::Test::HasFailure()) return;
  }
  if (cases.count < usual_cases) return;
  EXPECT_GT(tally.problems, cases.count / 5);
  EXPECT_GT(tally.informative, searches / 20) << "bounds of nothing prove nothing";
}

TEST(SampledRelaxation, IsNeverAboveTheOptimum) {
  expect_never_above(60, [](Random& random) {
    return wild_problem(random, 4 + random.below(5), Numbers::moderate);
  });
}

TEST(SampledRelaxation, IsNeverAboveTheOptimumOfGraphsThatAreNotPoets) {
  expect_never_above(
      60, [](Random& random) { return random_exact_problem(random, 4 + random.below(4)); });
}

// It knows no page-outs, and what is computed again only to free what is written out has no place.
TEST(SampledRelaxation, IsNeverAboveOptimaThatNeedIdleRecomputations) {
  expect_never_above(60, idle_problem);
}

}  // namespace
}  // namespace poet::test
