#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "baselines/run_baselines.hpp"
#include "solver/order/least_peak.hpp"
#include "solver/order/order_moves.hpp"
#include "support/random_graphs.hpp"
#include "support/two_orders.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

std::vector<BaselineResult> run(const Problem& problem, TechniqueSet techniques,
                                const char* methods,
                                const SolveSettings& settings = {.time_limit_seconds = 5}) {
  SweepGrid grid;
  grid.subjects.push_back({.model = {.name = "chain", .nodes = {}},
                           .platform = {},
                           .graph = problem.graph,
                           .base = baseline(problem.graph),
                           .limits = problem.limits});
  Limits limits = problem.limits;
  limits.techniques = techniques;
  const std::vector<SweepPoint> points{
      {.subject = 0,
       .runtime = RuntimeBudget(std::in_place_type<Seconds>, problem.limits.runtime_budget_seconds),
       .limits = limits}};
  return run_baselines(grid, points,
                       {.methods = parse_methods(methods),
                        .settings = settings,
                        .started = {},
                        .progress = {},
                        .finished = {},
                        .interrupted = {}});
}

TEST(RunBaselines, AScheduleThatExceedsTheRamInEveryStageIsInfeasible) {
  // More violations than a replay lists.
  Problem problem = chain_problem(600, 100);
  problem.limits.ram_budget_bytes = 50;
  const std::vector<BaselineResult> results =
      run(problem, kBothTechniques, "keep-all,chen-sqrt,page-all");
  ASSERT_EQ(results.size(), 3U);
  for (const BaselineResult& result : results) {
    EXPECT_EQ(result.row.status, BaselineRow::Status::infeasible)
        << result.row.method << ": " << result.row.reason;
    EXPECT_THAT(result.row.reason, HasSubstr("the budget is 50 bytes"));
  }
}

TEST(RunBaselines, AMethodThatNeedsWhatIsForbiddenDoesNotApply) {
  Problem problem = chain_problem(6, 100);
  problem.limits.ram_budget_bytes = problem.limits.ram_budget_bytes * 3 / 4;
  const auto expect_used = [&](TechniqueSet allowed, const char* forbidden) {
    for (const BaselineResult& result : run(problem, allowed, "all")) {
      const BaselineRow& row = result.row;
      if (row.method == "int8-all") {
        EXPECT_THAT(row.reason, HasSubstr("copies need an exact model of layers"));
        continue;
      }
      const TechniqueSet wanted = info_of(parse_methods(row.method).front()).techniques;
      const bool is_ours = row.method == "poet" || row.method == "poet-ordered";
      const bool applies = is_ours || wanted == kNoTechnique || wanted == allowed;
      EXPECT_EQ(row.status == BaselineRow::Status::not_applicable, !applies) << row.method;
      if (!applies) {
        EXPECT_THAT(row.reason, HasSubstr(forbidden)) << row.method;
      }
      if (!result.file) continue;
      const bool pages = row.summary->page_in_count + row.summary->page_out_count > 0;
      EXPECT_FALSE(pages && allowed == kOnlyRemat) << row.method;
      EXPECT_FALSE(row.summary->recompute_count > 0 && allowed == kOnlyPaging) << row.method;
      if (is_ours) {
        EXPECT_EQ(row.problem.limits.techniques, allowed);
      }
    }
  };
  expect_used(kOnlyRemat, "paging");
  expect_used(kOnlyPaging, "recomputation");
}

TEST(LeastPeak, IsThatOfTheBaselineInTheOrder) {
  Random random(3);
  for (int g = 0; g < 50; ++g) {
    const Graph graph = random_exact_graph(random, 4 + random.below(12));
    const Precedence pairs = precedence(graph);
    OrderMoves moves(graph, pairs, random);
    NodeOrder order(graph.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    for (int c = 0; c < 10; ++c) {
      EXPECT_EQ(keep_all_peak(graph, order), baseline(permuted(graph, order)).peak_ram_bytes);
      moves.change(order);
    }
    const NodeOrder least = least_peak_order(graph, pairs, 1, [] { return false; });
    if (least.empty()) continue;
    EXPECT_TRUE(is_legal(graph, pairs, least));
    EXPECT_LT(baseline(permuted(graph, least)).peak_ram_bytes, baseline(graph).peak_ram_bytes);
  }
}

TEST(RunBaselines, ChooseAnOrderByItselfAndWithAllTechniques) {
  SweepGrid grid;
  grid.subjects.push_back(two_orders());
  const auto run_with = [&](Bytes ram, const char* methods) {
    const SweepPoint point{.runtime = RuntimeBudget(std::in_place_type<Seconds>, 10),
                           .limits = {.ram_budget_bytes = ram, .runtime_budget_seconds = 10}};
    return run_baselines(grid, {point},
                         {.methods = parse_methods(methods),
                          .settings = {},
                          .started = {},
                          .progress = {},
                          .finished = {},
                          .interrupted = {}});
  };
  const std::vector<BaselineResult> results = run_with(120, "poet-ordered,poet,order-only");
  ASSERT_EQ(results.size(), 3U);
  const BaselineRow& ordered = results[0].row;
  const BaselineRow& given = results[1].row;
  const BaselineRow& by_itself = results[2].row;
  EXPECT_EQ(ordered.summary->energy_joules, 6);
  EXPECT_EQ(ordered.proven, true);
  EXPECT_EQ(results[0].file->request.settings.order, OrderKind::search);
  EXPECT_EQ(given.summary->energy_joules, 7);
  EXPECT_GT(given.summary->lower_bound_joules, ordered.summary->energy_joules)
      << "a bound about the given order alone";
  EXPECT_EQ(given.problem.order_sha256, "");
  EXPECT_EQ(by_itself.status, BaselineRow::Status::feasible);
  EXPECT_EQ(by_itself.summary->energy_joules, 6);
  EXPECT_EQ(by_itself.summary->peak_ram_bytes, 120);
  EXPECT_EQ(by_itself.problem.graph_sha256, given.problem.graph_sha256);
  EXPECT_NE(by_itself.problem.order_sha256, "");
  const BaselineRow tight = run_with(115, "order-only").at(0).row;
  EXPECT_EQ(tight.status, BaselineRow::Status::infeasible) << "120 bytes are the least";
  EXPECT_EQ(tight.summary->peak_ram_bytes, 120);
}

// As in any other solve of the program: not only if `dtr-like` is one of the methods.
TEST(RunBaselines, OurSolverIsOfferedTheScheduleOfARule) {
  Problem problem = chain_problem(100, 100);
  problem.limits.ram_budget_bytes = problem.limits.ram_budget_bytes / 2;
  problem.limits.runtime_budget_seconds = 100 * baseline(problem.graph).runtime_seconds;
  // Without a search of its own, and too large for a model.
  const SolveSettings hasty{.effort = Effort::fast, .features = no_features()};
  for (const char* method : {"poet", "checkmate"}) {
    const std::vector<BaselineResult> results = run(problem, kBothTechniques, method, hasty);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].row.status, BaselineRow::Status::feasible) << results[0].row.reason;
  }
}

}  // namespace
}  // namespace poet::test
