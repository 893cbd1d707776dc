// A solver that knows peaks alone may fill RAM so well that tensors have to be moved about to find
// room, and moves take time and energy that no figure of the step has. A little less RAM for the
// solve leaves holes, in which tensors stay where they are. A few tries, whose length is counted in
// moves of the search.

#include "question/fewer_moves.hpp"

#include <algorithm>

#include "base/stopwatch.hpp"
#include "question/watched_solve.hpp"
#include "report/place_schedule.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"

namespace poet {
namespace {

/// Of the energy, below which moves are left alone.
constexpr double kNoticed = 1e-3;
/// Solves at most: if what is in the way is too much to do without, half of it may do.
constexpr int kTries = 3;

/// By how much no offsets without moves are known to fit the budget.
Bytes bytes_in_the_way(const ScheduleFile& file) {
  const Bytes capacity = file.request.limits.ram_budget_bytes;
  const PlacedSchedule unmoved = place_schedule(
      file, {.capacity_bytes = capacity, .alignment = offset_alignment(file), .moves = false});
  return std::max<Bytes>(unmoved.unmoved_bytes - capacity, 0);
}

}  // namespace

Joules with_moves(const ScheduleFile& file) {
  return file.summary.energy_joules + file.arena.moved_joules.value_or(0);
}

std::optional<ScheduleFile> with_fewer_moves(const ScheduleFile& file, const Platform& platform,
                                             const SolveOptions& options) {
  if (file.arena.moved_joules.value_or(0) <= kNoticed * file.summary.energy_joules) return {};
  SolveOptions solving = options;
  solving.settings.effort = Effort::fast;
  solving.start.reset();
  Problem problem{.graph = file.graph, .limits = file.request.limits};
  const Bytes most = std::min(problem.limits.ram_budget_bytes, file.summary.peak_ram_bytes);
  Bytes less = bytes_in_the_way(file);
  const Stopwatch watch;
  const Seconds limit = options.settings.time_limit_seconds;
  for (int tried = 0; tried < kTries && less > 0; ++tried, less /= 2) {
    const Seconds spent = file.solver.wall_seconds + watch.elapsed();
    if (limit > 0 && spent >= limit) break;
    solving.settings.time_limit_seconds = rest_of_limit(limit, spent);
    problem.limits.ram_budget_bytes = most - less;
    if (problem.limits.ram_budget_bytes <= 0) continue;
    const SolveResult found = solve_watched(problem, solving, solve);
    if (!found.schedule) continue;
    ScheduleFile other = with_other_schedule(file, found);
    add_offsets(other);
    price_moves(other.arena, platform);
    if (with_moves(other) < with_moves(file)) return other;
  }
  return {};
}

}  // namespace poet
