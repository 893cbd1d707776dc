#pragma once

#include <utility>

#include "poet/report.hpp"
#include "support/tiny_schedules.hpp"

namespace poet::test {

/// The parts of a solve of the tiny graph that ended with `schedule`, ready to be changed before
/// they are put together.
struct TinySolve {
  Model model = {.name = "tiny", .source = "built-in", .sha256 = "ab", .backward = "explicit"};
  Platform platform = {.name = "board", .source = "board.json", .sha256 = "cd"};
  Problem problem = {.graph = tiny_graph(), .limits = ample_limits()};
  Request request = {.ram_budget_bytes = ample_limits().ram_budget_bytes,
                     .runtime_budget_seconds = ample_limits().runtime_budget_seconds,
                     .runtime_budget_ratio = 16.0 / 15.0,
                     .gap = 1e-4,
                     .time_limit_seconds = 300};
  SolveResult result;

  explicit TinySolve(Schedule schedule) {
    result.energy_joules = simulate(problem.graph, schedule, problem.limits).energy_joules;
    result.lower_bound_joules = result.energy_joules;
    result.status = Status::optimal;
    result.schedule = std::move(schedule);
    result.report = {.formulation = "none", .heuristic_seconds = 0.5, .wall_seconds = 0.75};
  }

  Report report() const { return make_report(model, &platform, problem, request, result); }
};

}  // namespace poet::test
