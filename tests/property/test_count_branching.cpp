// Branching on counts against the oracle: the subproblems that it leaves still contain the optimum,
// and its bound is never above the optimum.
#include <iostream>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "poet/problem.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/relaxation/count_branching.hpp"
#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

constexpr int kCases = 60;
constexpr double kBranchingTolerance = 1e-8;  // of the energy, in sums of another order

CountBranchingResult search(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                            const std::vector<Count>& counts, double ceiling) {
  CountBranchingOptions options{.features = no_features()};
  options.ceiling = [ceiling] { return ceiling; };
  options.improve = [](const std::vector<double>&, double, std::int64_t) { return Improvement{}; };
  options.improved = [](const Schedule&) {};
  options.progress = [](double, std::int64_t) { return true; };
  return run_count_branching(model, graph, scaled, counts, options);
}

/// The least cost in a subproblem of the model; infinity if it has no solution.
double optimum_in(const Milp& milp, const std::vector<Count>& counts,
                  const Subproblem& subproblem) {
  Milp ranged = milp;
  for (const CountRange& range : subproblem.ranges) {
    ranged.rows.push_back(range_row(counts, range));
  }
  const MipResult result = solve_mip(ranged, {}, [](const MipProgress&) { return true; });
  EXPECT_EQ(result.status, MipResult::Status::finished) << result.message;
  return result.values ? result.bound : kInfinity;
}

/// Branches on the counts of a model; the number of nodes.
std::int64_t expect_optimum_is_kept(const Problem& problem, bool collapse, Joules optimum) {
  const Joules base = baseline(problem.graph).energy_joules;
  const Formulation model = formulate(problem, useful_windows(problem, collapse, kInfinity));
  const ScaledMilp scaled = scale(model.milp, base);
  const std::vector<Count> counts = make_counts(model, problem.graph, scaled);
  const double best = scaled.to_units(optimum - base);
  const double slack = scaled.to_units(kBranchingTolerance * optimum);
  const CountBranchingResult result =
      search(model, problem.graph, scaled, counts, 1.5 * best + slack);
  EXPECT_EQ(result.status, CountBranchingResult::Status::searched);
  EXPECT_LE(result.bound, best + slack);
  double least = kInfinity;
  for (const Subproblem& subproblem : result.subproblems) {
    least = std::min(least, optimum_in(scaled.milp, counts, subproblem));
  }
  EXPECT_LE(least, best + slack) << "the optimum is in none of the subproblems";
  return result.nodes;
}

// Without rounded rows and cuts, which leave nothing to branch on in graphs this small.
TEST(CountBranching, LosesNoOptimum) {
  int branched = 0;
  const int cases = for_cases(kCases, [&](int number) {
    Random random(number);
    const Problem problem = wild_problem(random, 6 + random.below(3), Numbers::moderate);
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    const Joules base = baseline(problem.graph).energy_joules;
    if (!optimum || optimum->energy_joules <= base) return;
    for (const bool collapse : {true, false}) {
      if (collapse && !problem.graph.has_backward()) continue;
      if (expect_optimum_is_kept(problem, collapse, optimum->energy_joules) > 1) ++branched;
    }
  });
  std::cout << branched << " searches branched\n";
  if (cases >= kCases) {
    EXPECT_GT(branched, cases / 50) << "searches without a branch lose nothing";
  }
}

}  // namespace
}  // namespace poet::test
