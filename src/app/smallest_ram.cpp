#include "app/smallest_ram.hpp"

#include <spdlog/spdlog.h>

#include <fmt/format.h>

#include "app/process_setup.hpp"
#include "app/sweep/describe.hpp"
#include "app/sweep/progress.hpp"
#include "base/text/printable.hpp"
#include "poet/min_ram.hpp"
#include "poet/suggest_schedule.hpp"
#include "sweep/child_work.hpp"
#include "sweep/rows.hpp"

namespace poet::cli {
namespace {

/// What the search may take of the time limit, so that the solve is left with the rest.
constexpr double kSearchShare = 0.5;

/// A sweep of one problem.
SweepGrid grid_of_one(const Inputs& inputs, const Problem& problem, const RuntimeBudget& runtime) {
  return {.subjects = {{.model = inputs.model,
                        .platform = inputs.platform,
                        .graph = problem.graph,
                        .base = baseline(problem.graph),
                        .limits = problem.limits}},
          .ram = {},
          .runtime = {runtime},
          .techniques = {problem.limits.techniques}};
}

void report_smallest(const MinRam& found, const Graph& graph) {
  if (found.infeasible) return;  // the solve says why
  if (!found.exact()) {
    spdlog::warn("the smallest RAM budget lies between {} and {} bytes ({}); {} bytes it is",
                 found.infeasible_below_bytes, found.feasible_bytes, found.reason,
                 found.feasible_bytes);
    return;
  }
  const Node& node = graph.nodes[found.node];
  spdlog::info("the smallest RAM budget is {} bytes; node {} ('{}', {}) decides it",
               found.feasible_bytes, found.node, printable(node.name), printable(node.op));
}

}  // namespace

std::optional<SmallestRam> find_smallest_ram(const Options& options, const Inputs& inputs,
                                             const Problem& problem, const RuntimeBudget& runtime) {
  const SweepGrid grid = grid_of_one(inputs, problem, runtime);
  const std::vector<MinRamTask> tasks = min_ram_tasks(grid);
  SweepProgress line(options.quiet, 1, 0);
  const std::string name = describe(grid, tasks.front());
  MinRamOptions search{.solve = {.settings = options.settings, .suggest = suggest_schedule}};
  search.solve.settings.time_limit_seconds *= kSearchShare;
  search.solve.settings.objective = Objective::energy;  // any schedule will do
  search.started = [&](int) { line.started(name); };
  search.finished = [&](int, const MinRam& found) { line.finished(name, describe(found)); };
  search.interrupted = [] { return interrupted(); };
  catch_interrupts();
  MinRams found;
  bool complete = true;
  if (options.settings.objective == Objective::ram) {
    // A process of its own would take its best schedule along when a signal ends it.
    search.solve.interrupted = search.interrupted;
    search.started(0);
    found = {find_min_ram(grid.subjects.front(), tasks.front().limits, search.solve, 0, {})};
    search.finished(0, *found.front());
  } else {
    complete = run_min_ram(grid, tasks, search, found);
  }
  line.clear();
  if (!complete) return std::nullopt;
  SmallestRam smallest{.bytes = smallest_ram(grid, tasks, found).front(),
                       .lower_bound_bytes = found.front()->infeasible_below_bytes,
                       .interrupted = interrupted(),
                       .wall_seconds = found.front()->wall_seconds};
  if (!found.front()->infeasible) smallest.schedule = found.front()->schedule;
  report_smallest(*found.front(), problem.graph);
  return smallest;
}

}  // namespace poet::cli
