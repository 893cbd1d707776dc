#pragma once

#include <vector>

#include "poet/min_ram.hpp"
#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet {

// What a worker process of a sweep does with its task.

/// Solves one point of a sweep, starting with a short search. If that ends close to the bounds that
/// are known, a quick look at the relaxation is often proof enough. If it is not, the point is
/// solved as hard as `options` ask for, starting from what has been found. The time limit counts
/// over all of it.
SolveResult solve_point(const Problem& problem, const SolveOptions& options);

/// Finds the smallest RAM budget with a schedule within `limits`, whose own RAM budget has no
/// meaning. No budget below `floor_bytes` has one: the caller has proven that. `starts` are
/// schedules that may fit. The time limit of `options` counts over the whole search; what it leaves
/// open is an interval.
MinRam find_min_ram(const Subject& subject, const Limits& limits, const SolveOptions& options,
                    Bytes floor_bytes, const std::vector<const Schedule*>& starts);

}  // namespace poet
