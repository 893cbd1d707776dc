// The least time is the least energy of another problem: one whose computations and transfers cost
// what they add to the runtime, which is nothing for a transfer in POET. So the solver for energy
// finds it, with every bound and proof that it has. A schedule that is only fast may waste
// energy if no time depends on it, above all on transfers; a second solve of the problem itself,
// with the time found as its runtime budget, leaves the fast schedules of least energy. See "Other
// objectives" in docs/formulation.md.

#include "solver/least_runtime.hpp"

#include <utility>

#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "solver/limits.hpp"

namespace poet {
namespace {

SolveResult find_least_time(const Problem& problem, const SolveOptions& options) {
  SolveOptions first = options;
  first.settings.objective = Objective::energy;
  first.settings.time_limit_seconds *= kLeastTimeShare;
  first.known_bound_joules = 0;  // it is a bound of the energy
  if (options.progress) {
    first.progress = [&options](Progress progress) {
      progress.objective = Objective::runtime;
      options.progress(progress);
    };
  }
  return solve(with_times_as_energies(problem), first);
}

/// The work of both solves, and the size of the larger model.
SolveStatistics sum_of(const SolveStatistics& first, const SolveStatistics& second) {
  SolveStatistics sum = first.nonzeros > second.nonzeros ? first : second;
  sum.bound_by = second.bound_by;
  sum.nodes = first.nodes + second.nodes;
  sum.heuristic_seconds = first.heuristic_seconds + second.heuristic_seconds;
  sum.build_seconds = first.build_seconds + second.build_seconds;
  sum.milp_seconds = first.milp_seconds + second.milp_seconds;
  sum.first_schedule_seconds = first.first_schedule_seconds;
  sum.wall_seconds = first.wall_seconds + second.wall_seconds;
  return sum;
}

}  // namespace

Problem with_times_as_energies(Problem problem) {
  const PagingTime paging_time = problem.limits.paging_time;
  if (paging_time == PagingTime::overlapped) {
    throw InputError(
        "found transfers that overlap with computations; expected others with the objective "
        "runtime, as the time of a stage is not a sum of times");
  }
  const double share = paging_time == PagingTime::blocking ? 1 : 0;
  for (Node& node : problem.graph.nodes) {
    node.energy_joules = node.runtime_seconds;
    node.page_in_energy_joules = share * node.page_in_seconds;
    node.page_out_energy_joules = share * node.page_out_seconds;
  }
  return problem;
}

SolveResult solve_for_runtime(const Problem& problem, const SolveOptions& options) {
  SolveResult fastest = find_least_time(problem, options);
  const Seconds bound = std::exchange(fastest.lower_bound_joules, 0);
  if (!fastest.schedule) {
    fastest.bounds.runtime_lower_bound_seconds = bound;
    return fastest;
  }

  Problem timed = problem;
  timed.limits.runtime_budget_seconds =
      simulate(problem.graph, *fastest.schedule, problem.limits).runtime_seconds;
  SolveOptions second = options;
  second.settings.objective = Objective::energy;
  second.settings.time_limit_seconds =
      rest_of_limit(options.settings.time_limit_seconds, fastest.statistics.wall_seconds);
  second.start = fastest.schedule;
  SolveResult result = solve(timed, second);
  result.bounds.runtime_lower_bound_seconds = bound;
  result.runtime_budget_seconds = timed.limits.runtime_budget_seconds;
  if (fastest.status != Status::optimal && result.status == Status::optimal) {
    result.status = Status::feasible;
  }
  if (result.reason.empty()) result.reason = fastest.reason;
  result.interrupted = result.interrupted || fastest.interrupted;
  result.solver_failed = result.solver_failed || fastest.solver_failed;
  result.statistics = sum_of(fastest.statistics, result.statistics);
  return result;
}

}  // namespace poet
