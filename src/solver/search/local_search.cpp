#include "solver/search/local_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/search/timeline_search.hpp"

namespace poet {
namespace {

/// Moves for each pair of a stage and a node: a small graph has few plans, so more moves find no
/// more.
constexpr std::int64_t kMovesPerPair = 2000;

/// Calls take(plan) for each start as it is ready, the greedy one first; ends early if that returns
/// false.
template <typename Function>
void make_starts(const Problem& problem, const Stop& stop, Function take) {
  Plan greedy(problem);
  descend(greedy, stop);
  if (!take(std::move(greedy))) return;
  for (const bool by_paging : {true, false}) {
    if (!(by_paging ? problem.limits.paging : problem.limits.remat)) continue;
    Plan evicted(problem);
    evict_everything(evicted, by_paging, stop);
    descend(evicted, stop);
    if (!take(std::move(evicted))) return;
  }
}

}  // namespace

std::optional<Plan> first_plan(const Problem& problem, const Stop& stop) {
  std::optional<Plan> first;
  make_starts(problem, stop, [&](Plan plan) {
    if (plan.feasible()) first = std::move(plan);
    return !first && !stop();
  });
  return first;
}

std::optional<Schedule> local_search(const Problem& problem, const LocalSearchOptions& options) {
  const auto size = static_cast<std::int64_t>(problem.graph.size());
  TimelineSearchOptions search{.moves = std::min(options.moves, kMovesPerPair * size * size),
                               .seed = options.seed,
                               .stop = options.stop,
                               .improved = options.improved,
                               .moved = options.moved};
  std::optional<Plan> best;
  if (options.start) search.starts.push_back(*options.start);
  make_starts(problem, options.stop, [&](const Plan& plan) {
    search.starts.push_back(plan.to_schedule());
    if (plan.feasible() && (!best || plan.extra_energy() < best->extra_energy())) {
      best = plan;
      options.improved(search.starts.back());
    }
    return !options.stop();
  });
  std::optional<Schedule> found = search_timelines(problem, search);
  if (!best) return found;
  // A timeline cannot express every plan, so it can lose a start.
  const bool better = found && Plan(problem, *found).extra_energy() < best->extra_energy();
  return better ? std::move(found) : best->to_schedule();
}

}  // namespace poet
