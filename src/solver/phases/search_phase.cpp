#include <algorithm>

#include "solver/phases/phases.hpp"
#include "solver/search/local_search.hpp"

namespace poet {
namespace {

/// Share of the time for a search that has no schedule yet: a bound alone is of no use to anybody.
/// The layered graph of 1000 nodes had none after 10 s at 60 % of its RAM, as the search was
/// stopped on its way there.
constexpr double kFirstShare = 0.6;

}  // namespace

void run_search_phase(SolveState& state, std::int64_t moves, double share) {
  const SolveSettings& settings = state.options.settings;
  if (!settings.features.local_search) return;
  const Seconds start = state.clock.elapsed();
  const Seconds seconds = state.share_of_time(share);
  LocalSearchOptions search{.moves = std::min(moves, state.work_left()),
                            .rest = kRestingMoves,
                            .has_parts = state.local_searches == 0,
                            .seed = settings.seed + state.local_searches++,
                            .processes = settings.threads,
                            .memory_bytes = settings.memory_limit_bytes,
                            .start = state.incumbent.schedule(),
                            .seconds = std::max(seconds, state.share_of_time(kFirstShare))};
  search.stop = [&] {
    return state.done() || (state.incumbent.schedule() && state.clock.elapsed() - start >= seconds);
  };
  search.moved = [&](std::int64_t made) { state.work.add_moves(made); };
  search.improved = [&](const Schedule& schedule) {
    state.offer(schedule);
    state.report_progress("local search");
  };
  local_search(state.problem, search);
  state.statistics.heuristic_seconds += state.clock.elapsed() - start;
}

}  // namespace poet
