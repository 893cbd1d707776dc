#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "solver/search/greedy.hpp"
#include "solver/search/plan.hpp"

namespace poet {

struct LocalSearchOptions {
  std::int64_t moves = 500'000;  ///< budget in moves, not seconds: a seed gives one answer
  int chains = 2;                ///< independent annealing chains; one alone can get trapped
  std::uint32_t seed = 1;
  Stop stop = [] { return false; };                                ///< polled; true ends the search
  std::function<void(const Plan&)> improved = [](const Plan&) {};  ///< each better feasible plan
};

/// The first feasible plan, in milliseconds: the greedy descent from the baseline, or else the
/// descent from evicting everything. Returns nothing if all of them overrun a budget or `stop` ends
/// the search.
std::optional<Plan> first_plan(
    const Problem& problem, const Stop& stop = [] { return false; });

/// Near-optimal plans: those of first_plan(), then annealing chains that start from them. Each
/// chain anneals globally for a quarter of its moves, which settles the coarse structure, and then
/// re-anneals its best inside small windows of nodes or stages, which a global annealing is too hot
/// to refine. It can succeed if first_plan() found nothing. The result is feasible by the plan's
/// own account; it counts only after the simulator has replayed it.
std::optional<Plan> local_search(const Problem& problem, const LocalSearchOptions& options);

}  // namespace poet
