#pragma once

#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet {

// What a worker process of a sweep does with its task.

/// Solves one point of a sweep, starting with a short search. If that ends close to the bounds that
/// are known, a quick look at the relaxation is often proof enough. If it is not, the point is
/// solved as hard as `options` ask for, starting from what has been found. The time limit counts
/// over all of it.
SolveResult solve_point(const Problem& problem, const SolveOptions& options);

}  // namespace poet
