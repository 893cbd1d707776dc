// Offsets without moves for runtimes that cannot move a tensor. Placing is not a part of the
// solver's model: whether offsets exist is hard to decide, and they usually do. So a schedule whose
// offsets do not fit is solved again with that much less RAM, until one fits.

#include "question/place_unmoved.hpp"

#include <algorithm>

#include "question/watched_solve.hpp"
#include "report/unplaced_file.hpp"

namespace poet {

UnmovedPlacement place_unmoved(const ScheduleFile& schedule, PlaceOptions options,
                               const std::function<void(const Progress&)>& progress,
                               const std::function<bool()>& interrupted) {
  options.moves = false;
  UnmovedPlacement result{.placed = place_schedule(schedule, options)};
  PlacedSchedule& placed = result.placed;
  if (placed.peak_bytes > placed.capacity_bytes) return result;
  options.capacity_bytes = placed.capacity_bytes;
  Problem problem{.graph = schedule.graph, .limits = schedule.request.limits};
  Bytes& budget = problem.limits.ram_budget_bytes;
  SolveOptions solving{
      .settings = schedule.request.settings, .progress = progress, .interrupted = interrupted};
  // If there is another objective, the budgets of the file are what it came to.
  solving.settings.objective = Objective::energy;
  // A buffer that no bank can hold is as large in less RAM.
  while (!placed.fits && !placed.is_above_banks && !interrupted()) {
    // The new schedule has a lower peak than the last one, so that this ends.
    const Bytes excess = placed.unmoved_bytes - placed.capacity_bytes;
    budget = std::min(budget, placed.file.summary.peak_ram_bytes) - excess;
    result.ram_budget_bytes = budget;
    const SolveResult found =
        budget > 0 ? solve_watched(problem, solving, solve) : SolveResult{.reason = "nothing fits"};
    if (!found.schedule) {
      result.no_schedule = found.reason;
      return result;
    }
    placed = place_schedule(with_other_schedule(schedule, found), options);
  }
  return result;
}

}  // namespace poet
