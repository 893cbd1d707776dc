#include "sweep/solve_point.hpp"

#include <algorithm>
#include <utility>

namespace poet {
namespace {

/// Up to here the MILP is quick with any start, and searching for a better one is not.
constexpr int kSmallGraph = 40;

/// The work of two solves on one account; sizes are those of the later one where it had a model.
SolverReport added(const SolverReport& first, SolverReport second) {
  if (second.formulation == "none") {
    second.formulation = first.formulation;
    second.rows = first.rows;
    second.columns = first.columns;
    second.nonzeros = first.nonzeros;
  }
  if (first.first_schedule_seconds > 0) {
    second.first_schedule_seconds = first.first_schedule_seconds;
  }
  second.nodes += first.nodes;
  second.heuristic_seconds += first.heuristic_seconds;
  second.build_seconds += first.build_seconds;
  second.milp_seconds += first.milp_seconds;
  second.wall_seconds += first.wall_seconds;
  return second;
}

}  // namespace

SolveResult solve_point(const Problem& problem, const SolveOptions& options) {
  if (options.effort == Effort::fast) return solve(problem, options);
  SolveOptions quick = options;
  quick.effort = Effort::fast;
  SolveResult first = solve(problem, quick);
  const bool settled = first.status == Status::optimal || first.status == Status::infeasible;
  if (settled || first.interrupted) return first;

  SolveOptions thorough = options;
  if (options.time_limit_seconds > 0) {
    thorough.time_limit_seconds = options.time_limit_seconds - first.report.wall_seconds;
    if (thorough.time_limit_seconds <= 0) return first;
  }
  if (problem.graph.size() <= kSmallGraph) thorough.techniques.local_search = false;
  if (first.schedule) thorough.start = std::move(first.schedule);
  thorough.known_bound_joules = std::max(options.known_bound_joules, first.lower_bound_joules);
  SolveResult second = solve(problem, thorough);
  second.report = added(first.report, second.report);
  return second;
}

}  // namespace poet
