// Branching on counts against the oracle: whatever it leaves to others still has the optimum, and
// its bound is none that the optimum is below.
#include <iostream>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "poet/problem.hpp"
#include "solver/bounds/count_search.hpp"
#include "solver/milp/mip_solver.hpp"
#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

constexpr int kCases = 150;
constexpr double kTolerance = 1e-8;  // of the energy, in sums of another order

CountSearchResult search(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const std::vector<Count>& counts, double ceiling) {
  CountSearchOptions options{.techniques = no_techniques()};
  options.ceiling = [ceiling] { return ceiling; };
  options.improve = [](const std::vector<double>&, double) { return std::optional<Schedule>(); };
  options.improved = [](const Schedule&) {};
  options.progress = [](double, std::int64_t) { return true; };
  return run_count_search(model, graph, scaled, counts, options);
}

/// The least cost in a part of the model; the cutoff where nothing is below it.
double optimum_in(const Milp& milp, const std::vector<Count>& counts, const Part& part) {
  Milp ranged = milp;
  for (const CountRange& range : part.ranges) {
    MilpRow row{.lower = range.lower, .upper = range.upper};
    for (const int column : counts[range.count].columns) row.terms.push_back({column, 1});
    ranged.rows.push_back(std::move(row));
  }
  const MipResult result = solve_mip(ranged, {}, [](const MipProgress&) { return true; });
  EXPECT_EQ(result.status, MipResult::Status::finished) << result.message;
  return result.values ? result.bound : kInfinity;
}

// Without rounded rows and cuts, which leave nothing to branch on in graphs this small.
TEST(CountSearch, LosesNoOptimum) {
  const CaseRange cases = wanted_cases(kCases);
  int branched = 0;
  for (int number = cases.first; number < cases.first + cases.count; ++number) {
    SCOPED_TRACE(fmt::format("POET_SEED={} POET_CASES=1", number));
    Random random(number);
    const Problem problem = wild_problem(random, 6 + random.below(3), Numbers::moderate);
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    const Joules base = baseline(problem.graph).energy_joules;
    if (!optimum || optimum->energy_joules <= base) continue;
    const Formulation model =
        formulate(problem, make_scope(problem, true, kInfinity), no_techniques());
    if (!model.scope.collapsed()) continue;
    const ScaledMilp scaled = scale(model.milp, base);
    const std::vector<Count> counts = make_counts(model, problem.graph, scaled);
    const double best = scaled.to_units(optimum->energy_joules - base);
    const double slack = scaled.to_units(kTolerance * optimum->energy_joules);
    const CountSearchResult result =
        search(model, problem.graph, scaled, counts, 1.5 * best + slack);
    ASSERT_EQ(result.status, CountSearchResult::Status::searched);
    EXPECT_LE(result.bound, best + slack);
    double least = kInfinity;
    for (const Part& part : result.parts) {
      least = std::min(least, optimum_in(scaled.milp, counts, part));
    }
    EXPECT_LE(least, best + slack) << "the optimum is in none of the parts";
    if (result.nodes > 1) ++branched;
  }
  std::cout << branched << " searches branched\n";
  if (cases.count >= kCases) {
    EXPECT_GT(branched, cases.count / 50) << "searches without a branch lose nothing";
  }
}

}  // namespace
}  // namespace poet::test
