#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace poet::test {

/// Which cases a property test draws: case number i of every run is the same problem.
/// POET_CASES=20000 POET_SEED=1000 draws the 20000 cases from number 1000 on. With the sanitizers,
/// where a case takes six times as long, a run draws an eighth of the usual number, or a quarter if
/// that is 20 cases or fewer, as tests ask for some of each kind; but at least `least`, if what a
/// test expects of all cases together needs so many.
struct CaseRange {
  int first = 0;
  int count = 0;
};

inline CaseRange wanted_cases(int usual_count, [[maybe_unused]] int least = 0) {
  const auto number = [](const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
  };
#ifdef POET_SANITIZE
  usual_count = std::max({(usual_count + 7) / 8, std::min((usual_count + 3) / 4, 20), least});
#endif
  return {.first = number("POET_SEED", 0), .count = number("POET_CASES", usual_count)};
}

/// Calls check(number) for each of the cases, and ends after the first one that fails.
/// Returns how many were asked for.
template <typename Check>
int for_cases(int usual_count, Check&& check) {
  const CaseRange range = wanted_cases(usual_count);
  for (int number = range.first; number < range.first + range.count; ++number) {
    SCOPED_TRACE("POET_CASES=1 POET_SEED=" + std::to_string(number));
    check(number);
    if (testing::Test::HasFailure()) break;
  }
  return range.count;
}

}  // namespace poet::test
