#pragma once

#include <optional>
#include <string>

#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet::test {

/// The optimum by the oracle, without the documented slack of the runtime and with it; nothing
/// where there is no schedule. Where the answer depends on the slack, the energy has to lie between
/// the two.
struct Truth {
  std::optional<Joules> strict;
  std::optional<Joules> lenient;
  std::optional<Schedule> schedule;  ///< a best one with the slack

  explicit Truth(const Problem& problem);
};

/// What is wrong with an answer; empty where nothing is. Unproven answers are right as far as they
/// go, which is for the caller to judge.
std::string what_is_wrong(const Problem& problem, const Truth& truth, const SolveResult& result,
                          double gap);

}  // namespace poet::test
