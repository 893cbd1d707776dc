#pragma once

#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet {

/// solve() for Objective::runtime: the least time of all computations within the limits, then the
/// least energy within that time. Both solves share the time limit.
SolveResult solve_for_runtime(const Problem& problem, const SolveOptions& options);

}  // namespace poet
