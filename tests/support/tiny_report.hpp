#pragma once

#include <utility>

#include "poet/schedule_file.hpp"
#include "report/unplaced_file.hpp"
#include "support/tiny_schedules.hpp"

namespace poet::test {

/// The parts of a solve of the tiny graph that ended with `schedule`, ready to be changed before
/// they are put together.
struct TinySolve {
  Model model = {
      .name = "tiny", .source = "built-in", .sha256 = "ab", .backward = Backward::explicit_nodes};
  Platform platform = {.name = "board", .source = "board.json", .sha256 = "cd"};
  Problem problem = {.graph = tiny_graph(), .limits = ample_limits()};
  Request request = {.limits = ample_limits(),
                     .runtime_budget_ratio = 16.0 / 15.0,
                     .settings = {.gap = 1e-4, .time_limit_seconds = 300}};
  SolveResult result;

  explicit TinySolve(Schedule schedule) {
    result.energy_joules = simulate(problem.graph, schedule, problem.limits).energy_joules;
    result.lower_bound_joules = result.energy_joules;
    result.status = Status::optimal;
    result.schedule = std::move(schedule);
    result.statistics = {.formulation = "none", .heuristic_seconds = 0.5, .wall_seconds = 0.75};
  }

  ScheduleFile report() const {
    return make_schedule_file(model, &platform, problem, request, result);
  }

  /// As files were before they had offsets.
  ScheduleFile unplaced() const {
    return make_unplaced_file(model, &platform, problem, request, result);
  }
};

}  // namespace poet::test
