// Proofs in moment models, as a phase of the solver: no bound above the optimum.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "solver/phases/phases.hpp"
#include "solver/solve_state.hpp"
#include "support/answers.hpp"
#include "support/cases.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

using Bounds = std::vector<Joules>;
using Take = std::function<void(const SolveResult&, SolveState&, const Bounds& shown)>;

/// Calls take() for random problems with their settled answers, gap 0, which both tests share, a
/// solve that knows nothing yet, and the bounds that it will have shown on its way.
void for_each_settled(const CaseRange& range, const Take& take) {
  static std::map<int, SolveResult> answers;
  for (int number = range.first; number < range.first + range.count; ++number) {
    SCOPED_TRACE(number);
    Random random(number);
    const Problem problem = wild_problem(random, 6 + random.below(10), Numbers::moderate);
    const auto [known, is_new] = answers.try_emplace(number);
    SolveResult& best = known->second;
    if (is_new) best = solve(problem, {.settings = {.gap = 0, .time_limit_seconds = 30}});
    if (!settled(best)) continue;
    SolveOptions options{.settings = {.gap = 1e-3, .time_limit_seconds = 20}};
    Bounds shown;
    options.progress = [&](const Progress& now) { shown.push_back(now.bound_joules); };
    SolveState state(problem, options);
    take(best, state, shown);
  }
}

/// Starts from the optimum, so that the claim is as high as it can be.
TEST(ProofPhase, NeverRaisesTheBoundAboveTheOptimum) {
  const CaseRange range = wanted_cases(40);
  int searched = 0;
  int proven = 0;
  int shown_early = 0;  // before the phase was over
  for_each_settled(range, [&](const SolveResult& best, SolveState& state, const Bounds& shown) {
    if (!best.schedule) return;
    state.offer(*best.schedule);
    if (state.proven()) return;  // by the baseline
    ++searched;
    const Joules before = state.incumbent.bound();
    ASSERT_EQ(run_proof_phase(state, {.share = 1, .of_elapsed = 3, .least_root = 0}),
              ModelVerdict::open);
    EXPECT_LE(state.incumbent.bound(), best.energy_joules * (1 + kSameEnergy));
    EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
    shown_early += shown.size() > 1 && shown[shown.size() - 2] > before ? 1 : 0;
    proven += state.proven() ? 1 : 0;
  });
  std::cout << fmt::format("{} of {} problems proven, {} bounds shown on the way\n", proven,
                           searched, shown_early);
  EXPECT_GT(shown_early, 0);
  EXPECT_GE(searched, range.count / 8);
  EXPECT_GE(2 * proven, searched);
}

/// A claim above the optimum has points below it, of which the phase makes schedules. The claim is
/// the best schedule's of less RAM.
TEST(ProofPhase, MakesABetterScheduleOfAPointBelowTheClaim) {
  int worse = 0;
  int optimal = 0;
  for_each_settled(
      wanted_cases(40), [&](const SolveResult& best, SolveState& state, const Bounds&) {
        if (!best.schedule) return;
        Problem less = state.problem;
        less.limits.ram_budget_bytes -= less.limits.ram_budget_bytes / 8;
        const SolveResult start = solve(less, {.settings = {.gap = 0, .time_limit_seconds = 30}});
        if (!start.schedule || start.energy_joules < best.energy_joules * (1 + 1e-3)) return;
        state.offer(*start.schedule);
        run_proof_phase(state, {.share = 1, .of_elapsed = 3, .least_root = 0});
        EXPECT_GE(state.incumbent.energy(), best.energy_joules * (1 - kSameEnergy));
        ++worse;
        optimal += state.incumbent.energy() < best.energy_joules * (1 + 1e-3) ? 1 : 0;
      });
  std::cout << fmt::format("{} of {} worse schedules became the best\n", optimal, worse);
  EXPECT_GT(worse, 3);
  EXPECT_GE(2 * optimal, worse);
}

/// Without a schedule the claim is that there is none.
TEST(ProofPhase, FindsThatThereIsNoScheduleAndNeverWhereThereIsOne) {
  int infeasible = 0;
  int proven = 0;
  for_each_settled(
      wanted_cases(40), [&](const SolveResult& best, SolveState& state, const Bounds&) {
        const bool none = run_proof_phase(state, {.share = 1, .of_elapsed = 3, .least_root = 0}) ==
                          ModelVerdict::infeasible;
        EXPECT_FALSE(none && best.schedule);
        infeasible += best.status == Status::infeasible ? 1 : 0;
        proven += none ? 1 : 0;
      });
  std::cout << fmt::format("{} of {} problems without a schedule proven\n", proven, infeasible);
  EXPECT_GE(2 * proven, infeasible);
  EXPECT_GT(proven, 0);
}

}  // namespace
}  // namespace poet::test
