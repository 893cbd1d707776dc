// Solves by several processes against solves by one, on graphs that need a search.
#include <gtest/gtest.h>

#include <iostream>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "support/answers.hpp"
#include "support/cases.hpp"
#include "support/failing_case.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

SolveResult solve_on(int threads, const Problem& problem) {
  SolveOptions options{.settings = {.gap = 0, .time_limit_seconds = 5, .threads = threads}};
  options.settings.features.local_search = false;  // leaves more to the search
  return solve(problem, options);
}

/// What differs between two answers; nothing if they are the same.
std::string difference(const SolveResult& one, const SolveResult& other) {
  if (one.status != other.status) return "another status";
  if (one.energy_joules != other.energy_joules) return "another energy";
  if (one.lower_bound_joules != other.lower_bound_joules) return "another bound";
  if (one.statistics.nodes != other.statistics.nodes) return "other nodes";
  if (one.schedule.has_value() != other.schedule.has_value()) return "another outcome";
  if (one.schedule && one.schedule->stages != other.schedule->stages) return "another schedule";
  return "";
}

TEST(Threads, AnswerAsOneDoes) {
  const CaseRange range = wanted_cases(10, 10);
  int searched = 0;
  int unsettled = 0;
  for (int number = range.first; searched < range.count; ++number) {
    Random random(number);
    const Problem problem = wild_problem(random, 16 + random.below(15), Numbers::moderate);
    const SolveResult one = solve_on(1, problem);
    if (one.statistics.formulation == "none") continue;
    ++searched;
    const int threads = number % 2 == 0 ? 2 : 4;
    const SolveResult several = solve_on(threads, problem);
    EXPECT_FALSE(several.solver_failed) << "case " << number << ": " << several.reason;
    const bool compares = settled(one) && settled(several);
    if (!compares) ++unsettled;
    std::string wrong = contradiction(one, several);
    // Without a limit that cuts them short, they do the same.
    if (compares && wrong.empty()) wrong = difference(one, several);
    if (wrong.empty()) continue;
    const std::string what = fmt::format("{} processes: {}", threads, wrong);
    ADD_FAILURE() << "case " << number << ", " << what << "\nwritten to "
                  << write_failing_case(problem, fmt::format("threads_{}", number), what);
  }
  std::cout << fmt::format("{} problems searched by 2 or 4 processes; {} without a proof by both\n",
                           searched, unsettled);
  EXPECT_LE(unsettled, range.count / 10);
}

}  // namespace
}  // namespace poet::test
