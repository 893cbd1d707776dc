// The objectives beside the energy, against an oracle that tries everything.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/min_ram.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "question/least_ram.hpp"
#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/tiny_sweep.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

/// Of a figure: what sums in another order and the documented proof tolerance may differ by.
constexpr double kTolerance = 2e-9;
/// The documented slack of the runtime, and a little less of it: certainly within.
constexpr double kCertain = 0.9e-9;

/// Nodes of few sizes and costs, often equal or zero, as everything can be in a graph of ours.
Problem drawn_problem(int number) {
  Random random(number);
  return wild_problem(random, 4 + random.below(4), Numbers::moderate);
}

Problem with_runtimes_as_energies(Problem problem) {
  for (Node& node : problem.graph.nodes) {
    node.energy_joules = node.runtime_seconds;
    node.page_in_energy_joules = node.page_out_energy_joules = 0;
  }
  return problem;
}

/// The least energy of a schedule whose runtime is at most `factor` times the budget.
std::optional<Joules> least_energy(const Problem& problem, double factor) {
  Limits limits = problem.limits;
  limits.runtime_budget_seconds *= factor;
  const auto answer = ask_oracle(problem.graph, limits);
  return answer ? std::optional(answer->energy_joules) : std::nullopt;
}

/// Expects the figure to be one of an optimum: with the slack for certain, or with all of it.
void expect_least_energy(Joules energy, const Problem& problem) {
  const auto most = least_energy(problem, 1 + kCertain);
  const auto least = least_energy(problem, 1 + kTolerance);
  ASSERT_TRUE(most && least);
  EXPECT_LE(energy, *most * (1 + kTolerance));
  EXPECT_GE(energy, *least * (1 - kTolerance));
}

SolveOptions exactly(Objective objective) {
  return {.settings = {.gap = 0, .time_limit_seconds = 60, .objective = objective}};
}

TEST(Objectives, LeastRuntimeAgreesWithTheOracle) {
  int slower = 0;  // than the baseline, which takes a search
  const int cases = for_cases(60, [&](int number) {
    Problem problem = drawn_problem(number);
    const Baseline base = baseline(problem.graph);
    // Half of the problems have no limit but the RAM.
    if (number % 2 == 0) {
      problem.limits.runtime_budget_seconds = problem.graph.size() * base.runtime_seconds;
    }
    const Problem timed = with_runtimes_as_energies(problem);
    const SolveResult result = solve(problem, exactly(Objective::runtime));
    const auto least = least_energy(timed, 1 + kTolerance);
    if (result.status == Status::infeasible) {
      EXPECT_FALSE(least_energy(timed, 1 - kTolerance)) << result.reason;
      return;
    }
    ASSERT_EQ(result.status, Status::optimal) << result.reason;
    ASSERT_TRUE(least);
    ASSERT_TRUE(result.runtime_budget_seconds && result.bounds.runtime_lower_bound_seconds);
    const Seconds time = *result.runtime_budget_seconds;
    expect_least_energy(time, timed);
    EXPECT_LE(*result.bounds.runtime_lower_bound_seconds, *least * (1 + kTolerance) + 1e-300);
    EXPECT_GE(*result.bounds.runtime_lower_bound_seconds, time * (1 - kTolerance));
    problem.limits.runtime_budget_seconds = time;
    const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
    EXPECT_TRUE(replay.valid());
    expect_least_energy(replay.energy_joules, problem);
    EXPECT_LE(result.lower_bound_joules, replay.energy_joules);
    slower += time > base.runtime_seconds * (1 + kTolerance) ? 1 : 0;
  });
  EXPECT_GT(slower, cases / 60) << "so few say little";
}

TEST(Objectives, LeastRuntimeCountsTransfersThatBlock) {
  int slower = 0;
  for (int number = 0; number < 60; ++number) {
    SCOPED_TRACE("case " + std::to_string(number));
    Problem problem = drawn_problem(number);
    problem.limits.paging_time = PagingTime::blocking;
    for (Node& node : problem.graph.nodes) {
      node.page_in_seconds = node.runtime_seconds / 4;
      node.page_out_seconds = node.runtime_seconds / 8;
    }
    const Seconds once = baseline(problem.graph).runtime_seconds;
    problem.limits.runtime_budget_seconds = 2 * problem.graph.size() * once;
    Problem timed = with_runtimes_as_energies(problem);
    timed.limits.paging_time = PagingTime::free;  // the oracle is asked for energies alone
    for (Node& node : timed.graph.nodes) {
      node.page_in_energy_joules = node.page_in_seconds;
      node.page_out_energy_joules = node.page_out_seconds;
    }
    const SolveResult result = solve(problem, exactly(Objective::runtime));
    if (result.status == Status::infeasible) {
      EXPECT_FALSE(least_energy(timed, 1)) << result.reason;
      continue;
    }
    ASSERT_TRUE(result.runtime_budget_seconds) << result.reason;
    expect_least_energy(*result.runtime_budget_seconds, timed);
    slower += *result.runtime_budget_seconds > once * (1 + kTolerance) ? 1 : 0;
  }
  EXPECT_GT(slower, 10) << "so few say little";
}

TEST(Objectives, LeastRuntimeIsRefusedIfTransfersOverlap) {
  Problem problem = drawn_problem(0);
  problem.limits.paging_time = PagingTime::overlapped;
  EXPECT_THROW(solve(problem, exactly(Objective::runtime)), InputError);
}

TEST(Objectives, LeastRamAgreesWithTheOracle) {
  int above_working_set = 0;  // which takes a proof
  int open = 0;
  const int cases = for_cases(60, [&](int number) {
    Problem problem = drawn_problem(number);
    const MinRam found = least_ram(subject_of(problem.graph, "drawn"), problem.limits,
                                   exactly(Objective::energy), 0, {});
    if (found.infeasible) {
      problem.limits.ram_budget_bytes = baseline(problem.graph).peak_ram_bytes;
      EXPECT_FALSE(least_energy(problem, 1 - kTolerance)) << found.reason;
      return;
    }
    ASSERT_TRUE(found.exact()) << found.reason;
    if (found.feasible_bytes > 0) {
      problem.limits.ram_budget_bytes = found.feasible_bytes - 1;
      EXPECT_FALSE(least_energy(problem, 1 - kTolerance));
    }
    problem.limits.ram_budget_bytes = found.feasible_bytes;
    SolveOptions options = exactly(Objective::ram);
    options.start = found.schedule;
    const SolveResult result = solve(problem, options);
    ASSERT_TRUE(result.schedule);
    open += result.status == Status::feasible ? 1 : 0;
    expect_least_energy(result.energy_joules, problem);
    above_working_set += found.is_working_set ? 0 : 1;
  });
  // Numbers can be so far apart that a solver cannot tell the small ones from nothing.
  EXPECT_LE(open, cases / 50);
  EXPECT_GT(above_working_set, cases / 60) << "so few say little";
}

TEST(Objectives, AnInterruptLeavesTheBestScheduleAndTrueBounds) {
  int without_proof = 0;
  for (int number = 0; number < 60; ++number) {
    SCOPED_TRACE("case " + std::to_string(number));
    Problem problem = drawn_problem(number);
    const Problem timed = with_runtimes_as_energies(problem);
    SolveOptions options = exactly(Objective::runtime);
    int polls = 0;
    options.interrupted = [&] { return ++polls >= 1 + number % 7; };
    const SolveResult result = solve(problem, options);
    if (!result.schedule) continue;
    without_proof += result.status == Status::feasible ? 1 : 0;
    problem.limits.runtime_budget_seconds = result.runtime_budget_seconds.value();
    const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
    EXPECT_TRUE(replay.valid());
    EXPECT_EQ(replay.energy_joules, result.energy_joules);
    const auto least = least_energy(timed, 1);
    if (!least) continue;
    EXPECT_LE(result.bounds.runtime_lower_bound_seconds.value(), *least * (1 + kTolerance));
    const auto energy = least_energy(problem, 1 - kTolerance);
    EXPECT_LE(result.lower_bound_joules, energy.value_or(result.energy_joules) * (1 + kTolerance));
  }
  EXPECT_GT(without_proof, 0);
}

}  // namespace
}  // namespace poet::test
