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

/// Without knapsack cuts a part of a tensor fills the rest of the budget, at every moment.
TEST(RootLoop, RisesByWhatFitsTogether) {
  const Platform platform = load_platform("jetsontx2");
  Problem problem{.graph = cost_graph(load_model("resnet18_cifar"), &platform)};
  const Baseline base = baseline(problem.graph);
  problem.limits.ram_budget_bytes = 284060;
  problem.limits.runtime_budget_seconds = 1.2 * base.runtime_seconds;
  constexpr Joules kBestExtra = 0.0315723;
  const Formulation model = formulate(problem, useful_windows(problem, true, kBestExtra));
  const ScaledMilp scaled = scale(model.milp, base.energy_joules);
  std::vector<double> bounds;
  for (const bool cuts : {false, true}) {
    const RootOptions options{.ceiling = scaled.to_units(kBestExtra),
                              .features = {.knapsack_cuts = cuts}};
    bounds.push_back(
        run_root_loop(model, problem.graph, scaled, options, [](double) { return true; }).bound);
  }
  EXPECT_GT(bounds[1] - bounds[0], 0.3 * (scaled.to_units(kBestExtra) - bounds[0]));
}

}  // namespace
}  // namespace poet
