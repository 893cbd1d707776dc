// CBC on several threads against CBC on one, on graphs that need a search.
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

TEST(Threads, AnswerAsOneDoes) {
  const CaseRange range = wanted_cases(12);
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
    if (!settled(one) || !settled(several)) ++unsettled;
    const std::string wrong = contradiction(one, several);
    if (wrong.empty()) continue;
    const std::string what = fmt::format("{} threads: {}", threads, wrong);
    ADD_FAILURE() << "case " << number << ", " << what << "\nwritten to "
                  << write_failing_case(problem, fmt::format("threads_{}", number), what);
  }
  std::cout << fmt::format("{} problems searched on 2 or 4 threads; {} without a proof on both\n",
                           searched, unsettled);
  EXPECT_LE(unsettled, range.count / 10);
}

}  // namespace
}  // namespace poet::test
