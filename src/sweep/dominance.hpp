#pragma once

#include "poet/simulate.hpp"
#include "poet/sweep.hpp"

namespace poet {

// Points share results by the order of their limits: a schedule for tight limits is one for looser
// ones, and a bound or a proof of infeasibility for loose limits holds for tighter ones.

/// Whether every schedule within `tight` is one within `loose`. `dominates_otherwise` does not look
/// at their RAM budgets.
bool dominates(const Limits& loose, const Limits& tight);
bool dominates_otherwise(const Limits& loose, const Limits& tight);

/// The figures of a schedule whatever its limits; its violations are those of any limits with this
/// paging time.
Replay replay_without_limits(const Graph& graph, const Schedule& schedule, PagingTime paging_time);
/// Whether a schedule that is valid without limits is valid within these, which have the same
/// paging time. It needs the figures of one replay only, and a sweep asks this for each pair of
/// points.
bool fits(const Replay& replay, const Limits& limits);

}  // namespace poet
