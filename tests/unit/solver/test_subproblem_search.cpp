// Searches that begin again because CBC took for solutions what overruns the budget.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

/// Tensors and workspaces are multiples of it. A byte of it is half a millionth: below CBC's
/// tolerances.
constexpr Bytes kUnit = Bytes{1} << 21;

/// A budget of so many units less `missing` bytes.
Problem problem_in_units(int seed, Bytes missing) {
  Random random(seed);
  Problem problem = test::random_problem(random, 8 + random.below(3));
  problem.limits.techniques.paging = true;
  problem.limits.techniques.remat = random.below(2) == 1;
  problem.limits.runtime_budget_seconds = 1e6;
  for (Node& node : problem.graph.nodes) {
    node.bytes = kUnit * (1 + random.below(4));
    node.workspace_bytes = kUnit * random.below(4);
  }
  const Bytes peak = baseline(problem.graph).peak_ram_bytes / kUnit;
  problem.limits.ram_budget_bytes = kUnit * (peak - random.below(5)) - missing;
  problem.limits.paging_time = random.below(2) == 1 ? PagingTime::free : PagingTime::blocking;
  return problem;
}

/// Without rounded rows, which would see a byte.
SolveResult solve_plainly(const Problem& problem, bool rows_on_demand) {
  SolveOptions options{.settings = {.gap = 0, .time_limit_seconds = 60}};
  options.settings.features = no_features();
  if (rows_on_demand) {
    options.settings.features.cuts_in_cbc = true;
    options.complete_nonzeros = 0;
  }
  return solve(problem, options);
}

// Each of these ended without a proof when covers knew tensors only.
TEST(SubproblemSearch, ProvesThatAWorkspaceIsAByteTooLarge) {
  for (const int seed : {34, 87, 105}) {
    for (const bool rows_on_demand : {false, true}) {
      SCOPED_TRACE(fmt::format("seed {}, rows {}", seed, rows_on_demand ? "on demand" : "at once"));
      const SolveResult short_of_one = solve_plainly(problem_in_units(seed, 1), rows_on_demand);
      EXPECT_EQ(short_of_one.status, Status::optimal) << short_of_one.reason;
      // A byte less than so many units is as good as one unit less.
      const SolveResult less = solve_plainly(problem_in_units(seed, kUnit), rows_on_demand);
      EXPECT_DOUBLE_EQ(short_of_one.energy_joules, less.energy_joules);
    }
  }
}

}  // namespace
}  // namespace poet
