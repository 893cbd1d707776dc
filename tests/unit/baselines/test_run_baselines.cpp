#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "baselines/run_baselines.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

std::vector<BaselineResult> run(const Problem& problem, TechniqueSet techniques,
                                const char* methods) {
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
                        .settings = {.time_limit_seconds = 5},
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
      const TechniqueSet wanted = info_of(parse_methods(row.method).front()).techniques;
      const bool applies = row.method == "poet" || wanted == kNoTechnique || wanted == allowed;
      EXPECT_EQ(row.status == BaselineRow::Status::not_applicable, !applies) << row.method;
      if (!applies) {
        EXPECT_THAT(row.reason, HasSubstr(forbidden)) << row.method;
      }
      if (!result.file) continue;
      const bool pages = row.summary->page_in_count + row.summary->page_out_count > 0;
      EXPECT_FALSE(pages && allowed == kOnlyRemat) << row.method;
      EXPECT_FALSE(row.summary->recompute_count > 0 && allowed == kOnlyPaging) << row.method;
      if (row.method == "poet") {
        EXPECT_EQ(row.problem.limits.techniques, allowed);
      }
    }
  };
  expect_used(kOnlyRemat, "paging");
  expect_used(kOnlyPaging, "recomputation");
}

}  // namespace
}  // namespace poet::test
