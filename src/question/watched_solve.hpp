#pragma once

#include <functional>

#include "poet/problem.hpp"
#include "poet/solve.hpp"

namespace poet {

/// How long a solve may go on after its time limit or an interrupt. One second is usual.
inline constexpr Seconds kWatchGrace = 10;

/// solve() or solve_point().
using SolveFunction = std::function<SolveResult(const Problem&, const SolveOptions&)>;

/// Runs `work` in a child, watches it, and returns its result or throws its exception. If the child
/// does not end within kWatchGrace, or crashes, the result is the best schedule and bound that it
/// had reported, and `reason` says so. If the system has no process for it, `work` runs in this
/// one, unwatched.
SolveResult solve_watched(const Problem& problem, const SolveOptions& options,
                          const SolveFunction& work);

}  // namespace poet
