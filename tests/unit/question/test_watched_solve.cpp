// What the process that watches a solve makes of its end; tests/cli/test_stuck_fork.cpp has solves
// that hang.
#include "question/watched_solve.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/error.hpp"
#include "question/watched_order.hpp"
#include "support/tiny_sweep.hpp"
#include "support/two_orders.hpp"

namespace poet {
namespace {

using testing::HasSubstr;

/// Of 120 bytes: proven with 6 J if a recomputation may take a sixth second, and with 9 J in five.
Problem tight_problem() {
  return {.graph = test::hill_graph(),
          .limits = {.ram_budget_bytes = 120, .runtime_budget_seconds = 10}};
}

void expect_same(const SolveResult& found, const SolveResult& expected) {
  EXPECT_EQ(found.status, expected.status);
  EXPECT_EQ(found.schedule, expected.schedule);
  EXPECT_EQ(found.energy_joules, expected.energy_joules);
  EXPECT_EQ(found.lower_bound_joules, expected.lower_bound_joules);
  EXPECT_EQ(found.reason, expected.reason);
  EXPECT_EQ(found.smallest_ram_bytes, expected.smallest_ram_bytes);
  EXPECT_EQ(found.smallest_ram_is_exact, expected.smallest_ram_is_exact);
  EXPECT_EQ(found.node, expected.node);
  EXPECT_EQ(found.bounds.runtime_lower_bound_seconds, expected.bounds.runtime_lower_bound_seconds);
  EXPECT_EQ(found.runtime_budget_seconds, expected.runtime_budget_seconds);
  EXPECT_EQ(found.interrupted, expected.interrupted);
  EXPECT_EQ(found.solver_failed, expected.solver_failed);
  EXPECT_EQ(found.statistics.formulation, expected.statistics.formulation);
  EXPECT_EQ(found.statistics.bound_by, expected.statistics.bound_by);
  EXPECT_EQ(found.statistics.columns, expected.statistics.columns);
  EXPECT_EQ(found.statistics.nodes, expected.statistics.nodes);
}

TEST(WatchedSolve, GivesTheResultOfTheSolve) {
  Problem problem = tight_problem();
  SolveOptions options;
  expect_same(solve_watched(problem, options, solve), solve(problem, options));
  options.settings.objective = Objective::runtime;
  expect_same(solve_watched(problem, options, solve), solve(problem, options));
  problem.limits.ram_budget_bytes = 100;
  expect_same(solve_watched(problem, {}, solve), solve(problem, {}));
}

TEST(WatchedSolve, PassesProgressAndSchedulesOn) {
  const Problem problem = tight_problem();
  int news = 0;
  std::optional<Schedule> last;
  SolveOptions options;
  options.progress = [&](const Progress&) { ++news; };
  options.improved = [&](const Schedule& schedule) { last = schedule; };
  const SolveResult result = solve_watched(problem, options, solve);
  EXPECT_GT(news, 0);
  EXPECT_EQ(last, result.schedule);
}

TEST(WatchedSolve, PassesAnInterruptOn) {
  SolveOptions options;
  options.interrupted = [] { return true; };
  const auto wait_for_it = [](const Problem&, const SolveOptions& given) {
    while (!given.interrupted()) {
    }
    return SolveResult{.reason = "told"};
  };
  EXPECT_EQ(solve_watched(tight_problem(), options, wait_for_it).reason, "told");
}

TEST(WatchedSolve, ThrowsWhatTheSolveThrows) {
  const Problem problem = tight_problem();
  const auto refuse = [](const Problem&, const SolveOptions&) -> SolveResult {
    throw InputError("not so");
  };
  const auto contradict = [](const Problem&, const SolveOptions&) -> SolveResult {
    throw InternalError("a proof is wrong");
  };
  EXPECT_THROW(solve_watched(problem, {}, refuse), InputError);
  EXPECT_THROW(solve_watched(problem, {}, contradict), InternalError);
}

/// A solve that crashes when it has found what there is to find.
SolveResult solve_and_crash(const Problem& problem, const SolveOptions& options) {
  solve(problem, options);
  std::raise(SIGKILL);
  return {};
}

TEST(WatchedSolve, KeepsTheBestScheduleAndBoundOfACrash) {
  const Problem problem = tight_problem();
  const SolveResult whole = solve(problem);
  const SolveResult kept = solve_watched(problem, {}, solve_and_crash);
  EXPECT_EQ(kept.schedule, whole.schedule);
  EXPECT_EQ(kept.energy_joules, whole.energy_joules);
  EXPECT_GE(kept.lower_bound_joules, 5);
  EXPECT_LE(kept.lower_bound_joules, kept.energy_joules);
  EXPECT_TRUE(kept.solver_failed);
  EXPECT_THAT(kept.reason, HasSubstr("killed by signal 9"));
}

TEST(WatchedSolve, KeepsTheShortestTimeOfACrash) {
  const Problem problem = tight_problem();
  SolveOptions options;
  options.settings.objective = Objective::runtime;
  const SolveResult whole = solve(problem, options);
  const SolveResult kept = solve_watched(problem, options, solve_and_crash);
  EXPECT_EQ(kept.schedule, whole.schedule);
  EXPECT_EQ(kept.status, Status::feasible);
  EXPECT_LE(kept.runtime_budget_seconds, whole.runtime_budget_seconds);
  EXPECT_LE(kept.bounds.runtime_lower_bound_seconds, kept.runtime_budget_seconds);
}

TEST(WatchedSolve, KnowsAProofThatWasReportedBeforeACrash) {
  const auto prove_and_crash = [](const Problem& problem, const SolveOptions& options) {
    const SolveResult result = solve(problem, options);
    options.progress({.phase = "proven",
                      .incumbent_joules = result.energy_joules,
                      .bound_joules = result.lower_bound_joules,
                      .bound_by = "proof"});
    std::raise(SIGKILL);
    return result;
  };
  const SolveResult kept = solve_watched(tight_problem(), {}, prove_and_crash);
  EXPECT_EQ(kept.status, Status::optimal);
  EXPECT_EQ(kept.statistics.bound_by, "proof");
}

TEST(WatchedSolve, SaysUnknownOfACrashWithoutASchedule) {
  const auto crash = [](const Problem&, const SolveOptions&) -> SolveResult {
    std::raise(SIGKILL);
    return {};
  };
  const SolveResult result = solve_watched(tight_problem(), {}, crash);
  EXPECT_EQ(result.status, Status::unknown);
  EXPECT_FALSE(result.schedule);
  EXPECT_TRUE(result.solver_failed);
}

// What the search over orders had found when its process died begins the solve.
TEST(WatchedOrder, KeepsTheBestOrderOfACrash) {
  const Subject subject = test::two_orders();
  const Problem problem{.graph = subject.graph,
                        .limits = {.ram_budget_bytes = 120, .runtime_budget_seconds = 12}};
  const auto search_and_crash = [](const Problem& task, const Precedence& precedence,
                                   const OrderSearchOptions& options) {
    search_order(task, precedence, options);
    std::raise(SIGKILL);
    return FoundOrder();
  };
  const FoundOrder whole = search_order(problem, precedence(subject), {});
  const WatchedOrder same = search_order_watched(problem, precedence(subject), {}, search_order);
  EXPECT_EQ(same.failure, "");
  EXPECT_EQ(same.found.order, whole.order);
  EXPECT_EQ(same.found.schedule, whole.schedule);
  EXPECT_EQ(same.found.given_energy_joules, whole.given_energy_joules);
  const WatchedOrder kept =
      search_order_watched(problem, precedence(subject), {}, search_and_crash);
  EXPECT_THAT(kept.failure, HasSubstr("killed by signal 9"));
  EXPECT_EQ(kept.found.order, whole.order);
  EXPECT_EQ(kept.found.schedule, whole.schedule);
}

TEST(WatchedOrder, PassesAStopOn) {
  const Subject subject = test::two_orders();
  OrderSearchOptions options;
  options.stop = [] { return true; };
  const auto wait_for_it = [](const Problem&, const Precedence&, const OrderSearchOptions& given) {
    while (!given.stop()) {
    }
    return FoundOrder{.energy_joules = 7};
  };
  EXPECT_EQ(search_order_watched({.graph = subject.graph, .limits = {}}, precedence(subject),
                                 options, wait_for_it)
                .found.energy_joules,
            7);
}

}  // namespace
}  // namespace poet
