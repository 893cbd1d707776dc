#include "poet_baseline.hpp"

#include "cbc_program.hpp"
#include "poet/simulate.hpp"
#include "poet_milp.hpp"

namespace poet::bench {

PoetResult solve_by_poet(const Problem& problem, const Conditions& conditions) {
  const PoetMilp poet = make_poet_milp(problem);
  const CbcAnswer answer = run_cbc_program(poet.milp, conditions.solve.settings.gap,
                                           conditions.solve.settings.time_limit_seconds);
  PoetResult result{.rows = static_cast<int>(poet.milp.rows.size()),
                    .columns = static_cast<int>(poet.milp.columns.size()),
                    .status = answer.status,
                    .wall_seconds = answer.wall_seconds,
                    .has_bound = answer.has_bound,
                    .bound_joules = answer.bound / poet.units_per_joule};
  if (answer.values.empty()) return result;
  const Schedule schedule = schedule_of(poet.columns, problem.graph, answer.values);
  const Replay replay = simulate(problem.graph, schedule, problem.limits);
  result.has_schedule = replay.valid();
  result.energy_joules = replay.energy_joules;
  if (!replay.valid()) result.fault = replay.violations.front().message;
  return result;
}

std::string refuted(const PoetResult& poet, const Measurement& ours) {
  constexpr double kTolerance = 1e-6;  // of a solver that was handed a scaled model
  if (!ours.ok() || !ours.figures.has_schedule) return {};
  if (poet.status == "infeasible") return "it is feasible";
  if (poet.has_bound && poet.bound_joules > ours.figures.energy_joules * (1 + kTolerance)) {
    return "its bound is above a schedule's energy";
  }
  const bool called_optimal = poet.status == "optimal" && poet.has_schedule;
  const Joules known = ours.figures.energy_joules * (1 + ours.gap_asked + kTolerance);
  if (called_optimal && poet.energy_joules > known) return "it is not optimal";
  return {};
}

bool refutes(const PoetResult& poet, const Measurement& ours) {
  constexpr double kTolerance = 1e-9;
  if (!ours.ok() || !poet.has_schedule) return false;
  return ours.figures.status == Status::infeasible ||
         ours.figures.bound_joules > poet.energy_joules * (1 + kTolerance);
}

}  // namespace poet::bench
