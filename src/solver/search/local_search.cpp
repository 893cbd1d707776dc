#include "solver/search/local_search.hpp"

#include <algorithm>
#include <utility>

#include "solver/search/timeline_search.hpp"

namespace poet {
namespace {

/// Of a search with so many moves, processes share the chains. In a shorter one each chain should
/// know what all before it found.
constexpr std::int64_t kLongSearch = 10'000'000;
constexpr std::size_t kChainsInLine = 4;

/// Moves for each pair of a stage and a node: a small graph has few plans, so more moves find no
/// more.
constexpr std::int64_t kMovesPerPair = 2000;

// Moves for a first schedule where no descent finds one, for each node, and their limits.
constexpr std::int64_t kFirstMoves = 1000;
constexpr std::int64_t kLeastFirstMoves = 30'000;
constexpr std::int64_t kMostFirstMoves = 150'000;

/// Calls take(timeline) for the descents from the baseline.
template <typename Function>
void descend_from_baseline(Timeline& timeline, const Stop& stop, Function take) {
  for (const Return back : {Return::any, Return::at_use}) {
    if (stop()) return;
    timeline.restore({});
    descend(timeline, back, stop);
    if (timeline.feasible()) prune(timeline);
    take(timeline);
  }
}

/// The same for those from evicting everything, by paging and by recomputing.
template <typename Function>
void descend_from_eviction(Timeline& timeline, const Stop& stop, Function take) {
  const Limits& limits = timeline.costs().problem->limits;
  for (const bool by_paging : {true, false}) {
    if (stop() || !(by_paging ? limits.paging : limits.remat)) continue;
    timeline.restore({});
    evict_everything(timeline, by_paging, stop);
    descend(timeline, Return::at_use, stop);
    if (timeline.feasible()) prune(timeline);
    take(timeline);
  }
}

std::optional<Schedule> search_for_any(const Problem& problem, const Stop& stop) {
  std::optional<Schedule> found;
  const std::int64_t moves =
      std::clamp(kFirstMoves * problem.graph.size(), kLeastFirstMoves, kMostFirstMoves);
  search_timelines(problem, {.moves = moves,
                             .stop = [&] { return found || stop(); },
                             .improved = [&](const Schedule& schedule) { found = schedule; }});
  return found;
}

}  // namespace

std::optional<Schedule> first_schedule(const Problem& problem, const Stop& stop) {
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  std::optional<Schedule> first;
  Units least = 0;
  const auto take = [&](const Timeline& plan) {
    if (!plan.feasible() || (first && plan.extra_energy() >= least)) return;
    first = to_schedule(plan);
    least = plan.extra_energy();
  };
  descend_from_baseline(timeline, stop, take);
  if (!first) descend_from_eviction(timeline, stop, take);
  return first || stop() ? first : search_for_any(problem, stop);
}

std::optional<Schedule> repaired(const Problem& problem, const Schedule& schedule,
                                 const Stop& stop) {
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  timeline.restore(entries_of(schedule));
  descend(timeline, Return::any, stop);
  if (!timeline.feasible()) return std::nullopt;
  return to_schedule(timeline);
}

std::optional<Schedule> local_search(const Problem& problem, const LocalSearchOptions& options) {
  const auto size = static_cast<std::int64_t>(problem.graph.size());
  TimelineSearchOptions search{.moves = std::min(options.moves, kMovesPerPair * size * size),
                               .seed = options.seed,
                               .processes = options.processes,
                               .memory_bytes = options.memory_bytes,
                               .stop = options.stop,
                               .improved = options.improved,
                               .moved = options.moved};
  if (search.moves >= kLongSearch) search.line = kChainsInLine;
  if (options.start) search.starts.push_back(*options.start);
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  const auto take = [&](const Timeline& plan) {
    search.starts.push_back(to_schedule(plan));
    if (plan.feasible()) options.improved(search.starts.back());
  };
  descend_from_baseline(timeline, options.stop, take);
  descend_from_eviction(timeline, options.stop, take);
  return search_timelines(problem, search);
}

}  // namespace poet
