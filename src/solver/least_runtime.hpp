#pragma once

#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet {

/// The problem whose energies are the times of this one, for a search that knows energies alone.
/// Throws InputError if transfers overlap with computations.
Problem with_times_as_energies(Problem problem);

/// solve() for Objective::runtime: the least time of all computations within the limits, then the
/// least energy within that time. Both solves share the time limit.
SolveResult solve_for_runtime(const Problem& problem, const SolveOptions& options);

}  // namespace poet
