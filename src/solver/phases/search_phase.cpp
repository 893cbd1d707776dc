#include <algorithm>
#include <utility>

#include "solver/limits.hpp"
#include "solver/phases/phases.hpp"
#include "solver/search/local_search.hpp"

namespace poet {
void run_search_phase(SolveState& state, std::int64_t moves, double share) {
  const SolveSettings& settings = state.options.settings;
  if (!settings.features.local_search) return;
  const Seconds start = state.clock.elapsed();
  // Time ends the first search of a large graph, and its parts, too early: the exact step of
  // densenet121, of 2054 nodes, took 0.9 % more energy after 60 s without parts in the second.
  const bool is_large = state.problem.graph.size() >= kSlowDescentNodes;
  const bool is_alone = state.problem.graph.size() >= kNoModelNodes;
  LocalSearchOptions search{.moves = std::min(moves, state.work_left()),
                            .rest = kRestingMoves,
                            .has_parts = state.local_searches == 0 || is_large,
                            .seed = settings.seed + state.local_searches++,
                            .processes = settings.threads,
                            .memory_bytes = settings.memory_limit_bytes,
                            .start = state.incumbent.schedule(),
                            .seconds = state.share_of_time(share),
                            .first_seconds = state.share_of_time(is_alone ? 1 : kScheduleShare)};
  search.stop = [&] { return state.done(); };
  search.moved = [&](std::int64_t made) { state.work.add_moves(made); };
  search.improved = [&](Schedule schedule) {
    state.offer(std::move(schedule));
    state.report_progress("local search");
  };
  local_search(state.problem, search);
  state.statistics.heuristic_seconds += state.clock.elapsed() - start;
}

}  // namespace poet
