#include "solver/solve_state.hpp"

#include <algorithm>

#include "solver/search/greedy.hpp"
#include "solver/search/plan.hpp"

namespace poet {

bool SolveState::stopping() {
  if (!interrupted && options.interrupted && options.interrupted()) interrupted = true;
  return interrupted || clock.expired();
}

/// The steps of Effort::fast end by counts of iterations and nodes, so that a busy machine finds
/// the same schedule; the seconds are for models on which those counts take very long. A limit of
/// two seconds instead cost 14 % of the energy at `resnet18_cifar/m4` 280000 on a machine under
/// load.
Seconds SolveState::time_for_step(double share) const {
  constexpr Seconds kFastStep = 30;
  const Seconds seconds = share_of_time(share);
  return fast() ? std::min(seconds, kFastStep) : seconds;
}

Joules SolveState::gap_joules() const {
  return options.settings.gap * (incumbent.schedule() ? incumbent.energy() : base.energy_joules);
}

void SolveState::report_progress(const std::string& phase, std::int64_t nodes) {
  if (!options.progress) return;
  options.progress({.phase = phase,
                    .elapsed_seconds = clock.elapsed(),
                    .nodes = nodes,
                    .incumbent_joules = incumbent.energy(),
                    .bound_joules = incumbent.bound()});
}

bool SolveState::offer(const Schedule& schedule) {
  const bool first = !incumbent.schedule();
  const bool better = incumbent.offer(schedule);
  if (better && first) statistics.first_schedule_seconds = clock.elapsed();
  return better;
}

bool SolveState::offer_or_repair(const Schedule& schedule) {
  if (offer(schedule)) return true;
  Plan plan(problem, schedule);
  descend(plan, [&] { return stopping(); });
  return plan.feasible() && offer(plan.to_schedule());
}

void SolveState::note_model(const char* formulation, const Milp& milp) {
  const auto nonzeros = static_cast<std::int64_t>(milp.nonzeros());
  if (nonzeros < statistics.nonzeros) return;
  statistics.formulation = formulation;
  statistics.rows = static_cast<int>(milp.rows.size());
  statistics.columns = static_cast<int>(milp.columns.size());
  statistics.nonzeros = nonzeros;
}

}  // namespace poet
