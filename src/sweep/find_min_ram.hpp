#pragma once

#include <vector>

#include "poet/min_ram.hpp"

namespace poet {

/// Finds the smallest RAM budget with a schedule within `limits`, whose own RAM budget has no
/// meaning. No budget below `floor_bytes` has one: the caller has proven that. `starts` are
/// schedules that may fit. The time limit of `options` counts over the whole search; what it leaves
/// open is an interval.
MinRam find_min_ram(const SweepSubject& subject, const Limits& limits, const SolveOptions& options,
                    Bytes floor_bytes, const std::vector<const Schedule*>& starts);

}  // namespace poet
