#include "sweep/dominance.hpp"

#include <limits>

namespace poet {

namespace {

/// An absent budget allows everything.
bool allows(const std::optional<Bytes>& loose, const std::optional<Bytes>& tight) {
  return !loose || (tight && *loose >= *tight);
}

}  // namespace

/// Every schedule within tighter limits is also within looser ones. That one fact carries all
/// reuse: a schedule may move to looser limits, and a proof (a bound, or that nothing exists) to
/// tighter ones.
bool dominates_otherwise(const Limits& loose, const Limits& tight) {
  return loose.runtime_budget_seconds >= tight.runtime_budget_seconds &&
         (loose.techniques.paging || !tight.techniques.paging) &&
         (loose.techniques.remat || !tight.techniques.remat) &&
         loose.paging_time == tight.paging_time &&
         allows(loose.storage_budget_bytes, tight.storage_budget_bytes) &&
         allows(loose.page_out_budget_bytes, tight.page_out_budget_bytes);
}

bool dominates(const Limits& loose, const Limits& tight) {
  return loose.ram_budget_bytes >= tight.ram_budget_bytes && dominates_otherwise(loose, tight);
}

Replay replay_without_limits(const Graph& graph, const Schedule& schedule, PagingTime paging_time) {
  return simulate(graph, schedule,
                  {.ram_budget_bytes = std::numeric_limits<Bytes>::max(),
                   .runtime_budget_seconds = std::numeric_limits<double>::infinity(),
                   .paging_time = paging_time});
}

bool fits(const Replay& replay, const Limits& limits) {
  return replay.peak_ram_bytes <= limits.ram_budget_bytes &&
         within_runtime_budget(replay.runtime_seconds, limits.runtime_budget_seconds) &&
         (limits.techniques.paging || replay.page_out_count + replay.page_in_count == 0) &&
         (limits.techniques.remat || replay.recompute_count == 0) &&
         allows(limits.storage_budget_bytes, replay.storage_bytes) &&
         allows(limits.page_out_budget_bytes, replay.written_bytes);
}

}  // namespace poet
