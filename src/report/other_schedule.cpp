#include "report/other_schedule.hpp"

#include "report/schedule_version.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"

namespace poet {

ScheduleFile with_other_schedule(const ScheduleFile& file, const SolveResult& result) {
  const Problem problem{.graph = file.graph, .limits = file.request.limits};
  SolveResult known = result;
  known.lower_bound_joules = file.summary.lower_bound_joules;
  known.bounds = file.bounds;
  const bool is_proven =
      relative_gap(result.energy_joules, known.lower_bound_joules) <= file.request.settings.gap;
  known.status = is_proven ? Status::optimal : Status::feasible;
  Model in_order;
  in_order.order = file.model.order;
  ScheduleFile other = make_unplaced_file(in_order, nullptr, problem, file.request, known);
  other.model = file.model;
  other.platform = file.platform;
  if (!is_beyond_poet(other)) return other;
  const Replay replay = simulate(problem.graph, other.schedule, problem.limits);
  add_exact_figures(other.summary, problem.graph, replay);
  other.summary.memory = file.summary.memory;
  const Replay before = simulate(problem.graph, file.schedule, problem.limits);
  // The platform is not at hand: how long storage lasts is known if as much is written.
  if (replay.written_bytes == before.written_bytes) {
    other.summary.steps_until_worn = file.summary.steps_until_worn;
  }
  return other;
}

}  // namespace poet
