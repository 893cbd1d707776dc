#pragma once

#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet {

/// Solves one point of a sweep. A short search comes first; where it ends close to the bounds that
/// are known, a quick look at the relaxation is often proof enough. Where it is not, the point is
/// solved as hard as `options` say, starting from what has been found. The time limit counts over
/// all of it.
SolveResult solve_point(const Problem& problem, const SolveOptions& options);

}  // namespace poet
