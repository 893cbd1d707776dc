#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"

namespace poet {

struct TimelineSearchOptions {
  std::int64_t moves = 1'000'000;  ///< budget in moves, not seconds: a seed gives one answer
  std::uint32_t seed = 1;
  /// Schedules that chains start from in turn, after the baseline; valid but for their RAM.
  std::vector<Schedule> starts{};
  std::function<bool()> stop = [] { return false; };  ///< polled; true ends the search
  std::function<void(const Schedule&)> improved = [](const Schedule&) {};  ///< each better one
};

/// Searches for near-optimal schedules of any graph. A chain is a threshold search from the
/// baseline, then shorter and cooler ones in windows of stages around the best, each accepted if
/// not worse. Chains are independent, since seeds differ by a tenth where RAM is tight; every other
/// one refines the best of all instead of its own, and every second pair is longer. If chains find
/// no plan, the budget is tightened step by step.
///
/// Returns the best schedule, feasible by the timeline's own account, or nothing.
std::optional<Schedule> search_timelines(const Problem& problem,
                                         const TimelineSearchOptions& options);

}  // namespace poet
