#pragma once

#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet {

/// Solves one point of a sweep: first with a short search, for which the bound that comes from
/// other points is often proof enough, then, where that leaves a gap, as hard as `options` say,
/// starting from what the first has found. The time limit counts over both.
SolveResult solve_point(const Problem& problem, const SolveOptions& options);

}  // namespace poet
