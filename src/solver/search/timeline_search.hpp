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
  std::function<void(std::int64_t)> moved = [](std::int64_t) {};  ///< how many moves, at the end
};

/// Searches for near-optimal schedules of any graph. A chain is a threshold search from the
/// baseline or a start, then shorter and cooler ones in windows of stages around what it found,
/// each accepted if not worse, until too many in a row were in vain. If chains find no plan, the
/// budget is tightened step by step. Every fourth chain is followed by longer ones.
///
/// Chains depend on one another by three things: every fourth one refines the best of all, and so
/// does one whose own search found no plan; a chain begins with the price of a byte that the last
/// successful one ended with; and all draw from one stream of random numbers. So calls with
/// different seeds are independent, and can run side by side; the schedules of a round can be the
/// starts of the next.
///
/// Returns the best schedule, feasible by the timeline's own account, or nothing.
std::optional<Schedule> search_timelines(const Problem& problem,
                                         const TimelineSearchOptions& options);

}  // namespace poet
