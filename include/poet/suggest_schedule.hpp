#pragma once

#include <optional>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// A schedule by a rule and not by a search, for SolveOptions::suggest: tensors that are cheap,
/// large and unused for long are evicted when an operator has no room, and computed again on demand
/// (the method `dtr-like` of docs/baselines.md). Nothing if recomputation is not allowed, or if the
/// graph is so large that it would take more than some tenths of a second. It may exceed the
/// budgets.
std::optional<Schedule> suggest_schedule(const Problem& problem);

}  // namespace poet
