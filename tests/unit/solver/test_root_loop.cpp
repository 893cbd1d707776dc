#include "solver/relaxation/root_loop.hpp"

#include <gtest/gtest.h>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/solve.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

TEST(RootLoop, LeavesRoomForRoundingBesideTheDearestPrice) {
  ScaledMilp scaled;
  EXPECT_EQ(fixing_margin(scaled), 1e-4);
  scaled.rounding = 0.5;
  EXPECT_GE(fixing_margin(scaled), 0.5);
}

/// Where a page costs twelve orders of magnitude more than a computation, the sums behind a reduced
/// cost are off by more than any fixed margin. The optimum must stay possible all the same.
TEST(RootLoop, FixesNoColumnOfTheOptimumBesideHugePrices) {
  int with_fixings = 0;
  for (const double price : {1e0, 1e4, 1e8, 1e12}) {
    Problem problem = test::chain_problem(10, 10);
    problem.limits.ram_budget_bytes = 70;
    for (Node& node : problem.graph.nodes) {
      node.page_in_energy_joules *= price;
      node.page_out_energy_joules *= price;
    }
    const SolveResult optimum = solve(problem, {.settings = {.gap = 0}});
    ASSERT_EQ(optimum.status, Status::optimal) << price;
    const UsefulWindows windows = useful_windows(problem, true, kInfinity);
    const Formulation model = formulate(problem, windows);
    const Joules base = baseline(problem.graph).energy_joules;
    const ScaledMilp scaled = scale(model.milp, base);
    const RootOptions options{.ceiling = scaled.to_units(optimum.energy_joules - base) + 1e-3};
    const RootResult root =
        run_root_loop(model, problem.graph, scaled, options, [](double) { return true; });
    const std::vector<double> point = point_of_schedule(model, *optimum.schedule);
    for (std::size_t c = 0; c < root.fixed.size(); ++c) {
      if (root.fixed[c] < 0) continue;
      ++with_fixings;
      EXPECT_EQ(root.fixed[c], point[c]) << "column " << c << ", pages at " << price;
    }
  }
  EXPECT_GT(with_fixings, 0);
}

/// The root's bound on `resnet18_cifar`, as a share of the best extra energy.
double root_share(const char* platform_name, Bytes ram_bytes, double runtime, Joules best_extra,
                  RootOptions options) {
  const Platform platform = load_platform(platform_name);
  Problem problem{.graph = cost_graph(load_model("resnet18_cifar"), &platform)};
  const Baseline base = baseline(problem.graph);
  problem.limits.ram_budget_bytes = ram_bytes;
  problem.limits.runtime_budget_seconds = runtime * base.runtime_seconds;
  const Formulation model = formulate(problem, useful_windows(problem, true, best_extra));
  const ScaledMilp scaled = scale(model.milp, base.energy_joules);
  options.ceiling = scaled.to_units(best_extra);
  return run_root_loop(model, problem.graph, scaled, options, [](double) { return true; }).bound /
         options.ceiling;
}

/// Without knapsack cuts a part of a tensor fills the rest of the budget, at every moment.
TEST(RootLoop, RisesByWhatFitsTogether) {
  const auto share = [](bool cuts) {
    return root_share("jetsontx2", 284060, 1.2, 0.0315723, {.features = {.knapsack_cuts = cuts}});
  };
  const double without = share(false);
  EXPECT_GT(share(true) - without, 0.3 * (1 - without));
}

/// Without tail cuts, 0.906: two plans for the last blocks are mixed, of which one overruns the
/// budget.
TEST(RootLoop, RisesByWhatTheLastStagesSpend) {
  EXPECT_GT(root_share("m4", 440000, 1.5, 0.0543586, {.open_for_tails = 0}), 0.935);
}

}  // namespace
}  // namespace poet
