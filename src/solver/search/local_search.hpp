#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"
#include "solver/search/greedy.hpp"

namespace poet {

/// A search that finds no better plan in so many moves hardly ever finds one later.
inline constexpr std::int64_t kRestingMoves = 10'000'000;

struct LocalSearchOptions {
  std::int64_t moves = 1'500'000;  ///< budget in moves, not seconds: a seed gives one answer
  /// Moves without a better plan after which a part of the search ends.
  std::int64_t rest = std::numeric_limits<std::int64_t>::max();
  /// Whether parts of the search have one technique only. A search that goes on from what such a
  /// search has found does without.
  bool has_parts = true;
  std::uint32_t seed = 1;
  int processes = 1;                 ///< that share a long search
  Bytes memory_bytes = 0;            ///< for all of them together; 0: no limit
  std::optional<Schedule> start{};   ///< a valid one, if any is known
  Stop stop = [] { return false; };  ///< polled; true ends the search
  /// Of the clock, of which each part of the search has its own.
  Seconds seconds = std::numeric_limits<Seconds>::infinity();
  Seconds first_seconds = 0;  ///< without a schedule by then: the larger of the two counts
  /// Each that is better than those before it and the start.
  std::function<void(Schedule)> improved = [](const Schedule&) {};
  std::function<void(std::int64_t)> moved = [](std::int64_t) {};  ///< how many moves, at the end
};

/// The first feasible schedule, in milliseconds: the better of the greedy descents from the
/// baseline, or else of those from evicting everything. If none of them fits, a short search looks
/// for one. Returns nothing if that was in vain or `stop` ended it.
std::optional<Schedule> first_schedule(
    const Problem& problem, const Stop& stop = [] { return false; });

/// What the greedy descent makes of a schedule that overruns the RAM budget but is valid otherwise;
/// nothing if it still does not fit.
std::optional<Schedule> repaired(const Problem& problem, const Schedule& schedule,
                                 const Stop& stop);

/// Near-optimal schedules: the results of all greedy descents, then of chains of threshold searches
/// that start from them and from the baseline (timeline_search.hpp). The result is feasible by the
/// search's own account; it counts only after the simulator has replayed it. If `stop` ends the
/// search of a large graph, it comes from `improved` only.
std::optional<Schedule> local_search(const Problem& problem, const LocalSearchOptions& options);

}  // namespace poet
