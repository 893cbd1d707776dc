#pragma once

#include <functional>
#include <optional>
#include <string>

#include "poet/problem.hpp"
#include "poet/solve.hpp"
#include "poet/sweep.hpp"

namespace poet {

// What a worker process of a sweep does with its task.

/// Solves one point of a sweep, starting with a short search. If that ends close to the bounds that
/// are known, a quick look at the relaxation is often proof enough. If it is not, the point is
/// solved as hard as `options` ask for, starting from what has been found. The time limit counts
/// over all of it.
SolveResult solve_point(const Problem& problem, const SolveOptions& options);

/// What is proven beforehand of a problem in an order, by Subject::order_sha256(); 0 if nothing is.
using BoundOfOrder = std::function<Joules(const std::string&)>;

/// Solves a problem with OrderKind::search, as a worker process of a sweep does: first an order,
/// from `start` on, then the schedule in it. `given` is in the given order, and is known to have no
/// verdict. The time limit of `options` counts over both. The outcome is infeasible in no case:
/// what is so in the given order is unknown in others.
SweepOutcome solve_in_some_order(const Subject& given, const Limits& limits,
                                 const SolveOptions& options,
                                 const std::optional<OrderedSchedule>& start,
                                 const BoundOfOrder& bound_of);

/// Likewise with a search over copies after it, from the copies of `start` on. `given` has none.
SweepOutcome solve_with_some_copies(const Subject& given, const Limits& limits,
                                    const SolveOptions& options,
                                    const std::optional<OrderedSchedule>& start,
                                    const BoundOfOrder& bound_of);

}  // namespace poet
