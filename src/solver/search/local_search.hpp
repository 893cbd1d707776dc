#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "poet/schedule.hpp"
#include "solver/search/greedy.hpp"
#include "solver/search/plan.hpp"

namespace poet {

struct LocalSearchOptions {
  std::int64_t moves = 1'500'000;  ///< budget in moves, not seconds: a seed gives one answer
  std::uint32_t seed = 1;
  std::optional<Schedule> start{};   ///< a valid one, if any is known
  Stop stop = [] { return false; };  ///< polled; true ends the search
  std::function<void(const Schedule&)> improved = [](const Schedule&) {};  ///< each better one
  std::function<void(std::int64_t)> moved = [](std::int64_t) {};  ///< how many moves, at the end
};

/// The first feasible plan, in milliseconds: the greedy descent from the baseline, or else the
/// descent from evicting everything. Returns nothing if all of them overrun a budget or `stop` ends
/// the search.
std::optional<Plan> first_plan(
    const Problem& problem, const Stop& stop = [] { return false; });

/// Near-optimal schedules: those of first_plan(), then chains of threshold searches that start from
/// them and from the baseline (timeline_search.hpp). It can succeed if first_plan() found nothing.
/// The result is feasible by the search's own account; it counts only after the simulator has
/// replayed it.
std::optional<Schedule> local_search(const Problem& problem, const LocalSearchOptions& options);

}  // namespace poet
