#include "solver/formulation/cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

constexpr Bytes kLargeTensor = Bytes{1} << 21;  // a byte of it is half a millionth
constexpr int kSlots = 6;

Problem chain_in(Bytes ram_budget) {
  Problem problem = test::chain_problem(8, kLargeTensor);
  problem.limits.ram_budget_bytes = ram_budget;
  return problem;
}

/// The best schedule for so many tensors at a time.
SolveResult best_in(int slots) {
  return solve(chain_in(slots * kLargeTensor), {.settings = {.gap = 0, .time_limit_seconds = 60}});
}

Formulation full_model(const Problem& problem) {
  return formulate(problem, useful_windows(problem, false, kInfinity));
}

std::vector<MilpRow> covers_for(const Problem& problem, const Schedule& schedule) {
  const Formulation model = full_model(problem);
  const std::vector<std::vector<double>> points{point_of_schedule(model, schedule)};
  return violated_covers(model, problem, points);
}

double excess(const MilpRow& row, const std::vector<double>& values) {
  double sum = -row.upper;
  for (const MilpTerm& term : row.terms) sum += term.coefficient * values[term.column];
  return sum;
}

/// How many of the rows the schedule breaks.
int broken(const std::vector<MilpRow>& rows, const Formulation& model, const Schedule& schedule) {
  const std::vector<double> values = point_of_schedule(model, schedule);
  return static_cast<int>(std::count_if(
      rows.begin(), rows.end(), [&](const MilpRow& row) { return excess(row, values) > 0.5; }));
}

TEST(Covers, ThereAreNoneForAScheduleThatFitsToTheByte) {
  EXPECT_TRUE(covers_for(chain_in(kSlots * kLargeTensor), *best_in(kSlots).schedule).empty());
}

TEST(Covers, OneByteTooMuchBreaksThemByOne) {
  const Problem problem = chain_in(kSlots * kLargeTensor - 1);
  const Schedule too_much = *best_in(kSlots).schedule;
  const std::vector<MilpRow> covers = covers_for(problem, too_much);
  ASSERT_FALSE(covers.empty());
  for (const MilpRow& row : covers) {
    for (const MilpTerm& term : row.terms) EXPECT_EQ(term.coefficient, 1) << row.name;
  }
  EXPECT_GE(broken(covers, full_model(problem), too_much), 1);
}

TEST(Covers, NoScheduleWithinTheBudgetBreaksThem) {
  const Problem problem = chain_in(kSlots * kLargeTensor - 1);
  const std::vector<MilpRow> covers = covers_for(problem, *best_in(kSlots).schedule);
  for (int slots = kSlots - 1; slots >= 4; --slots) {
    const SolveResult result = best_in(slots);
    ASSERT_TRUE(result.schedule) << slots;
    EXPECT_EQ(broken(covers, full_model(problem), *result.schedule), 0) << slots;
  }
}

TEST(Covers, RecomputationsThatTakeTooLongTogetherAreForbiddenTogether) {
  Problem problem = chain_in(5 * kLargeTensor);
  problem.limits.techniques.paging = false;
  const SolveResult ample = solve(problem, {.settings = {.gap = 0, .time_limit_seconds = 60}});
  ASSERT_TRUE(ample.schedule);
  const Seconds needed = simulate(problem.graph, *ample.schedule, problem.limits).runtime_seconds;
  ASSERT_GT(needed, baseline(problem.graph).runtime_seconds);
  problem.limits.runtime_budget_seconds = needed;
  EXPECT_TRUE(covers_for(problem, *ample.schedule).empty());
  problem.limits.runtime_budget_seconds = needed * (1 - 1e-7);
  const std::vector<MilpRow> covers = covers_for(problem, *ample.schedule);
  ASSERT_EQ(covers.size(), 1U);
  EXPECT_EQ(broken(covers, full_model(problem), *ample.schedule), 1);
}

TEST(Covers, AByteTooLittleCostsAsMuchAsATensorLess) {
  const SolveResult result = solve(chain_in(kSlots * kLargeTensor - 1),
                                   {.settings = {.gap = 0, .time_limit_seconds = 60}});
  EXPECT_EQ(result.status, Status::optimal);
  EXPECT_DOUBLE_EQ(result.energy_joules, best_in(kSlots - 1).energy_joules);
  EXPECT_GT(result.energy_joules, best_in(kSlots).energy_joules);
}

}  // namespace
}  // namespace poet
