#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "solver/search/timeline.hpp"

namespace poet {

struct TimelineSearchOptions {
  std::int64_t moves = 1'000'000;  ///< budget in moves, not seconds: a seed gives one answer
  std::int64_t rest = std::numeric_limits<std::int64_t>::max();  ///< moves without a better plan
  std::uint32_t seed = 1;
  std::size_t line = 1;    ///< chains drawn before it is known what the first of them finds
  int processes = 1;       ///< that share the chains in line
  Bytes memory_bytes = 0;  ///< for all of them together; 0: no limit
  /// Plans that chains start from in turn, after the baseline; valid but for their RAM.
  std::vector<std::vector<Entry>> starts{};
  std::function<bool()> stop = [] { return false; };  ///< polled; true ends the search
  /// Each that is better than those before it and the starts.
  std::function<void(const Timeline&)> improved = [](const Timeline&) {};
  std::function<void(std::int64_t)> moved = [](std::int64_t) {};  ///< how many moves, at the end
};

/// Searches for near-optimal schedules of any graph by chains (chain.hpp) of growing length, from
/// the baseline and the starts in turn. If chains find no plan, the budget is tightened step by
/// step.
///
/// A chain is given the best plan, and the price of a byte, that the chains before it ended with.
/// It does without what those ahead of it in line find, so that processes can share them: what
/// comes out depends on the line, but not on the number of processes, unless `stop` ends the search
/// by the clock. Chains that know all find lower energies as often as higher ones.
///
/// Returns the best schedule, feasible by the timeline's own account, or nothing. If `stop`
/// ends the search, none is made.
std::optional<Schedule> search_timelines(const Problem& problem,
                                         const TimelineSearchOptions& options);

}  // namespace poet
