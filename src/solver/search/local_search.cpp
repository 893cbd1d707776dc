#include "solver/search/local_search.hpp"

#include <algorithm>
#include <utility>

#include "base/stopwatch.hpp"
#include "solver/limits.hpp"
#include "solver/search/extra_bound.hpp"
#include "solver/search/segment_search.hpp"
#include "solver/search/timeline_search.hpp"

namespace poet {
namespace {

/// Of a search with so many moves, processes share the chains. In a shorter one each chain should
/// know what all before it found.
constexpr std::int64_t kSharedSearchMoves = 10'000'000;
constexpr std::size_t kChainsInLine = 4;

/// Moves for each pair of a stage and a node: a small graph has few plans, so more moves find no
/// more.
constexpr std::int64_t kMovesPerPair = 2000;

// Moves for a first schedule if no descent finds one, for each node, and their limits.
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
    if (timeline.feasible()) prune(timeline, stop);
    take(timeline);
  }
}

/// The same for those from evicting everything, by paging and by recomputing.
template <typename Function>
void descend_from_eviction(Timeline& timeline, const Stop& stop, Function take) {
  const Limits& limits = timeline.costs().problem->limits;
  for (const bool by_paging : {true, false}) {
    if (stop() || !(by_paging ? limits.techniques.paging : limits.techniques.remat)) continue;
    timeline.restore({});
    evict_everything(timeline, by_paging, stop);
    descend(timeline, Return::at_use, stop);
    if (timeline.feasible()) prune(timeline, stop);
    take(timeline);
  }
}

std::optional<Schedule> search_for_any(const Problem& problem, const Stop& stop) {
  std::optional<Schedule> found;
  const std::int64_t moves =
      std::clamp(kFirstMoves * problem.graph.size(), kLeastFirstMoves, kMostFirstMoves);
  search_timelines(problem, {.moves = moves,
                             .stop = [&] { return found || stop(); },
                             .improved = [&](const Timeline& plan) { found = to_schedule(plan); }});
  return found;
}

/// Takes a plan that fits and is better than `best`.
void keep_better(const Timeline& plan, std::optional<FoundPlan>& best) {
  const Units energy = plan.extra_energy();
  if (!plan.feasible() || (best && energy >= best->energy)) return;
  best = FoundPlan{.entries = plan.entries(), .energy = energy};
}

/// From so many nodes on segments are searched for; moves alone do as well on smaller graphs.
constexpr int kDeepNodes = 400;
/// A try of that search takes as long as some two moves for each node, and has a third of the time.
constexpr std::int64_t kMovesOfTry = 6;

/// Parts of a search: with both techniques, and with each by itself.
constexpr int kParts = 3;

/// With both techniques there are more plans to find the way through, and most are worse. So two
/// parts of the moves go to searches with one technique, each the very search of a problem without
/// the other; the third, with both, starts from what they find. That is why three times the moves
/// of such a search never find less with both techniques.
class PartedSearch {
 public:
  PartedSearch(const Problem& problem, const LocalSearchOptions& options)
      : problem_(problem), options_(options), costs_(problem), timeline_(costs_) {}

  std::optional<Schedule> run() {
    const Stopwatch watch;
    if (options_.start) is_better(start_.emplace(entries_of(*options_.start)));
    // Time that is up ends a search that has no plan yet a little later.
    const Stop stop = [this, watch] {
      const Seconds most =
          best_ ? options_.seconds : std::max(options_.seconds, options_.first_seconds);
      return options_.stop() || watch.elapsed() >= most;
    };
    const Plans plans = descents(costs_, stop);
    // To begin each of the searches below takes a second with 20,000 nodes.
    if (timeline_.size() >= kSlowDescentNodes && stop()) return std::nullopt;
    const TechniqueSet& techniques = problem_.limits.techniques;
    if (options_.has_parts && techniques.paging && techniques.remat) {
      search_without(&TechniqueSet::paging);
      search_without(&TechniqueSet::remat);
    }
    search(problem_, start_, plans, options_.moves - made_, stop);
    options_.moved(made_);
    if (!best_ || (timeline_.size() >= kSlowDescentNodes && stop())) return std::nullopt;
    timeline_.restore(*best_);
    return to_schedule(timeline_);
  }

 private:
  using Plans = std::vector<std::vector<Entry>>;

  /// Also so many seconds after the call.
  Stop stop_after(Seconds seconds) const {
    return [this, seconds, watch = Stopwatch()] {
      return options_.stop() || watch.elapsed() >= seconds;
    };
  }

  /// The plans of all greedy descents, noted. On a large graph each is noted at once, and the
  /// search may end with it; on a smaller one all are made before the first is noted.
  Plans descents(const WholeCosts& costs, const Stop& stop) {
    Plans plans;
    Timeline timeline(costs);
    const bool is_large = timeline.size() >= kSlowDescentNodes;
    std::optional<FoundPlan> best;
    const auto take = [&](const Timeline& plan) {
      if (is_large && !plan.feasible() && stop()) return;  // it was cut short, and nothing starts
      keep_better(plan, best);
      plans.push_back(entries_of(plan));
      if (is_large) note(plans.back());
    };
    descend_from_baseline(timeline, stop, take);
    descend_from_eviction(timeline, stop, take);
    if (timeline.size() >= kDeepNodes) {
      if (const auto plan = plan_of_segments(timeline, best, stop)) {
        timeline.restore(plan->entries);
        take(timeline);
      }
    }
    if (!is_large) {
      for (const std::vector<Entry>& plan : plans) note(plan);
    }
    return plans;
  }

  /// One that is better than the start of this search and the best of the descents.
  std::optional<FoundPlan> plan_of_segments(Timeline& timeline, std::optional<FoundPlan> best,
                                            const Stop& stop) {
    if (start_) {
      timeline.restore(*start_);
      keep_better(timeline, best);
    }
    return search_segments(timeline,
                           {.start = std::move(best),
                            .tries = options_.moves / kMovesOfTry / timeline.size(),
                            .seed = options_.seed,
                            .stop = stop,
                            .improved = [&](const Timeline& plan) { note(entries_of(plan)); }});
  }

  /// Leaves a technique out, unless no plan with the other alone can be better than the best.
  void search_without(bool TechniqueSet::*technique) {
    Problem restricted = problem_;
    restricted.limits.techniques.*technique = false;
    if (best_ && least_extra_energy(restricted) >= costs_.joules(least_)) return;
    const Stop stop = stop_after(options_.seconds / kParts);
    const std::optional<std::vector<Entry>> before = best_;
    const Plans plans = descents(WholeCosts(restricted), stop);
    search(restricted, {}, plans, options_.moves / kParts, stop);
    if (best_ != before) start_ = best_;
  }

  /// Chains from a start, if there is one, and from plans.
  void search(const Problem& problem, const std::optional<std::vector<Entry>>& start,
              const Plans& plans, std::int64_t moves, const Stop& stop) {
    const auto size = static_cast<std::int64_t>(problem.graph.size());
    TimelineSearchOptions search{.moves = std::min(moves, kMovesPerPair * size * size),
                                 .rest = options_.rest,
                                 .seed = options_.seed,
                                 .processes = options_.processes,
                                 .memory_bytes = options_.memory_bytes,
                                 .stop = stop,
                                 .improved = [&](const Timeline& plan) { note(entries_of(plan)); },
                                 .moved = [&](std::int64_t made) { made_ += made; }};
    if (search.moves >= kSharedSearchMoves) search.line = kChainsInLine;
    if (start) search.starts.push_back(*start);
    search.starts.insert(search.starts.end(), plans.begin(), plans.end());
    search_timelines(problem, search);
  }

  /// By the account of the whole problem.
  void note(const std::vector<Entry>& plan) {
    if (is_better(plan)) options_.improved(to_schedule(timeline_));
  }

  bool is_better(const std::vector<Entry>& plan) {
    timeline_.restore(plan);
    if (!timeline_.feasible() || (best_ && timeline_.extra_energy() >= least_)) return false;
    least_ = timeline_.extra_energy();
    best_ = plan;
    return true;
  }

  const Problem& problem_;
  const LocalSearchOptions& options_;
  std::optional<std::vector<Entry>> start_;
  WholeCosts costs_;
  Timeline timeline_;
  std::optional<std::vector<Entry>> best_;
  Units least_ = 0;        // of the best
  std::int64_t made_ = 0;  // moves
};

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
  return PartedSearch(problem, options).run();
}

}  // namespace poet
