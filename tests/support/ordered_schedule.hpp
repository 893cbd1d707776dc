#pragma once

#include "poet/model.hpp"
#include "poet/order.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"
#include "poet/simulate.hpp"
#include "report/summary.hpp"

namespace poet::test {

/// The file of a schedule that nobody has solved for, with what the schedule takes for budgets.
inline ScheduleFile file_of_schedule(const Model& model, const Platform& platform,
                                     const Graph& graph, const Schedule& schedule) {
  constexpr Bytes kMuch = Bytes{1} << 50;
  constexpr Seconds kLong = 1e9;
  Problem problem{.graph = graph,
                  .limits = {.ram_budget_bytes = kMuch, .runtime_budget_seconds = kLong}};
  const Replay replay = simulate(graph, schedule, problem.limits);
  problem.limits.ram_budget_bytes = replay.peak_ram_bytes;
  const Baseline base = baseline(graph);
  const SolveSettings settings{.order = model.order.empty() ? OrderKind::given : OrderKind::stated};
  return make_schedule_file(model, &platform, problem,
                            make_request(problem.limits, kLong, base, settings),
                            {.status = Status::feasible,
                             .schedule = schedule,
                             .energy_joules = replay.energy_joules,
                             .lower_bound_joules = base.energy_joules,
                             .statistics = {.formulation = "none"}});
}

/// Likewise in another order of the model's nodes; an empty one is the given order. `schedule_of`
/// makes the schedule of the graph in that order. Whether the order is legal is not looked at.
template <typename ScheduleOf>
ScheduleFile ordered_file(const Model& model, const Platform& platform, const NodeOrder& order,
                          const ScheduleOf& schedule_of) {
  const Graph given = cost_graph(model, &platform);
  if (order.empty()) return file_of_schedule(model, platform, given, schedule_of(given));
  const Graph graph = permuted(given, order);
  return file_of_schedule(permuted(model, order), platform, graph, schedule_of(graph));
}

}  // namespace poet::test
