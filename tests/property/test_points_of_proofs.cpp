// Whole points of moment models, where a search for a proof ends: what they say of RAM, and which
// moments refute them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "solver/moments/moment_rows.hpp"
#include "solver/moments/moments.hpp"
#include "solver/moments/prove.hpp"
#include "solver/search/timeline.hpp"
#include "support/cases.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

/// The point that the search for a proof of a claim ends at; nothing if it proves the claim.
std::optional<Schedule> point_of(const Problem& problem, const ProofCosts& costs,
                                 const std::vector<int>& moments) {
  const MomentModel model(problem, costs, moments, false);
  const auto answer = search_proof_in_child(
      [&](const ProofReport& report) {
        return search_proof(model, costs, moment_rows(model), {.seconds = 20}, report);
      },
      20, 0, [](const ProofNews&) { return true; });
  return answer.result ? answer.result->point : std::nullopt;
}

/// Bytes over the budget where stages compute their own nodes.
Bytes over_at(const std::vector<int>& stages, const Timeline& plan) {
  Bytes over = 0;
  for (const int stage : stages) {
    const int event = plan.ram().first_from(computation(stage, stage));
    over = std::max(over, plan.ram().ram(event) - plan.ram().budget());
  }
  return over;
}

/// To the byte: there are no tensors that wait to be written, which models without writes leave
/// out.
TEST(PointsOfProofs, FitTheBudgetAtTheMomentsAndTheNewMomentsRefuteThem) {
  const CaseRange range = wanted_cases(400);
  int points = 0;
  int refuted = 0;
  int schedules = 0;
  for (int number = range.first; number < range.first + range.count; ++number) {
    SCOPED_TRACE(number);
    Random random(number);
    Problem problem = wild_problem(random, 6 + random.below(14), Numbers::moderate);
    problem.limits.techniques = {.paging = false, .remat = true};
    const ProofCosts costs =
        costs_for_claim(problem.graph, 1.5 * baseline(problem.graph).energy_joules);
    if (costs.target <= 0) continue;
    const WholeCosts whole(problem);
    Timeline plan(whole);
    std::vector<int> moments{random.below(problem.graph.size())};
    for (auto point = point_of(problem, costs, moments); point;) {
      ++points;
      plan.restore(entries_of(*point));
      ASSERT_EQ(over_at(moments, plan), 0);
      const std::vector<int> more = moments_against(problem, moments, *point);
      ASSERT_TRUE(std::ranges::includes(more, moments));
      if (more == moments) {
        schedules += plan.violation() == 0 ? 1 : 0;
        break;
      }
      const auto next = point_of(problem, costs, more);
      refuted += next && *next == *point ? 0 : 1;
      moments = more;
      point = next;
    }
  }
  std::cout << fmt::format("{} points, {} refuted, {} are schedules\n", points, refuted, schedules);
  // The rows on a recomputation do not count every byte.
  EXPECT_GE(100 * (refuted + schedules), 99 * points);
  EXPECT_GT(refuted, range.count / 10);
  EXPECT_GT(schedules, range.count / 10);
}

}  // namespace
}  // namespace poet::test
