#include "solver/solve_state.hpp"

namespace poet {

void note_model(SolverReport& report, const char* formulation, const Milp& milp) {
  const auto nonzeros = static_cast<std::int64_t>(milp.nonzeros());
  if (nonzeros < report.nonzeros) return;
  report.formulation = formulation;
  report.rows = static_cast<int>(milp.rows.size());
  report.columns = static_cast<int>(milp.columns.size());
  report.nonzeros = nonzeros;
}

bool SolveState::stopping() {
  if (!interrupted && options.interrupted && options.interrupted()) interrupted = true;
  return interrupted || clock.expired();
}

Joules SolveState::gap_joules() const {
  return options.gap * (incumbent.schedule() ? incumbent.energy() : base.energy_joules);
}

void SolveState::tell(const std::string& phase, std::int64_t nodes) {
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
  if (better && first) report.first_schedule_seconds = clock.elapsed();
  return better;
}

}  // namespace poet
