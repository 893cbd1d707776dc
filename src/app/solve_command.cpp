#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "app/beside_tensors.hpp"
#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/plot_directory.hpp"
#include "app/print_summary.hpp"
#include "app/process_setup.hpp"
#include "app/progress.hpp"
#include "app/smallest_ram.hpp"
#include "app/tables.hpp"
#include "base/files/files.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "poet/suggest_schedule.hpp"
#include "problem/fields.hpp"
#include "report/summary.hpp"
#include "sweep/watched_solve.hpp"

namespace poet::cli {
namespace {

bool is_objective(const Options& options, Objective objective) {
  return options.settings.objective == objective;
}

/// No stage computes or transfers a tensor twice, so no schedule takes longer than a baseline and
/// all transfers in each stage. That is no multiple of a baseline that takes no time.
RuntimeBudget any_runtime(const Graph& graph, const Baseline& base) {
  Seconds of_stage = base.runtime_seconds;
  for (const Node& node : graph.nodes) of_stage += node.page_in_seconds + node.page_out_seconds;
  return RuntimeBudget(std::in_place_type<Seconds>, static_cast<double>(graph.size()) * of_stage);
}

/// Everything that can be refused before the solve is refused before the solve.
void check_destinations(const Options& options) {
  if (options.no_solve && options.export_model.empty()) {
    throw InputError("--no-solve", "found without --export-model FILE; nothing would be written");
  }
  check_destination("--output", options.output);
  check_destination("--export-model", options.export_model);
}

/// The schedule to start from, if one was named. A file about another graph is refused; a schedule
/// that does not fit these budgets is no mistake, only of no use.
std::optional<Schedule> warm_start(const std::string& path, const Problem& problem) {
  if (path.empty()) return std::nullopt;
  return in_option("--warm-start", [&]() -> std::optional<Schedule> {
    const ScheduleFile file = parse_schedule_file(read_file(path), path);
    // Whatever the times of its transfers: it is a start, and it is replayed.
    if (graph_sha256(file.graph) != graph_sha256(problem.graph)) {
      throw InputError(path,
                       "found a schedule of another graph; expected one of the same model, "
                       "platform and batch size");
    }
    const Replay replay = simulate(problem.graph, file.schedule, problem.limits);
    if (replay.valid()) return file.schedule;
    spdlog::warn("the schedule in {} does not start the search: {}", path,
                 replay.violations.front().message);
    return std::nullopt;
  });
}

SolveOptions solve_options(const Options& options, const Problem& problem,
                           const SmallestRam& smallest, ProgressLine& line) {
  SolveOptions solve{.settings = options.settings};
  solve.start = warm_start(options.warm_start, problem);
  if (!solve.start) solve.start = smallest.schedule;
  solve.suggest = suggest_schedule;
  Seconds& limit = solve.settings.time_limit_seconds;
  limit = rest_of_limit(limit, smallest.wall_seconds);
  solve.progress = [&line](const Progress& progress) { line.show(progress); };
  solve.interrupted = [] { return interrupted(); };
  return solve;
}

/// An interrupt that only ends the refining takes nothing from a proof.
ExitCode code_of(const SolveResult& result, const Options& options) {
  const bool proven = result.status == Status::optimal || result.status == Status::infeasible;
  if (result.interrupted && !proven) return ExitCode::interrupted;
  switch (result.status) {
    case Status::optimal:
      return ExitCode::ok;
    case Status::feasible:
      return options.require_optimal ? ExitCode::requirement : ExitCode::ok;
    case Status::infeasible:
      return ExitCode::infeasible;
    case Status::unknown:
      break;
  }
  return result.solver_failed ? ExitCode::internal : ExitCode::limit;
}

/// How the time was spent, with --verbose.
void print_work(const SolveStatistics& solver) {
  spdlog::debug("model {}: {} rows, {} columns, {} nonzeros; {} nodes", solver.formulation,
                solver.rows, solver.columns, solver.nonzeros, solver.nodes);
  spdlog::debug("first schedule after {}; local search {}, building {}, relaxations and CBC {}",
                format_seconds(solver.first_schedule_seconds),
                format_seconds(solver.heuristic_seconds), format_seconds(solver.build_seconds),
                format_seconds(solver.milp_seconds));
}

}  // namespace

Outcome run_solve(const Options& options, ProblemInfo& info) {
  const Budgets budgets = read_budgets(options);
  const RamBudget& ram = budgets.ram;
  RuntimeBudget runtime = budgets.runtime;
  check_destinations(options);
  const Inputs inputs = load_inputs(options, "--model", info);
  Problem problem{.graph =
                      make_costs(inputs.model, inputs.platform, options.settings.mem_power_scale,
                                 options.paging, "--platform")};
  const Baseline base = baseline(problem.graph);
  if (options.runtime_budget.empty()) runtime = any_runtime(problem.graph, base);
  problem.limits = limits_but_ram(options, inputs, runtime, base);
  info.graph_sha256 = graph_sha256(problem.graph, problem.limits.paging_time);
  SmallestRam smallest;
  if (is_smallest(ram)) {
    // The search takes time, so a folder that cannot be written is refused before it.
    static_cast<void>(PlotDirectory(options.plot_directory, inputs.model.name));
    const auto found = find_smallest_ram(options, inputs, problem, runtime);
    if (!found) {
      return without_schedule(ExitCode::interrupted, "unknown",
                              "interrupted before the smallest RAM budget was known", options,
                              info);
    }
    smallest = *found;
  }
  const Bytes stated_bytes = ram_bytes(ram, base, smallest.bytes, inputs);
  problem.limits.ram_budget_bytes = ram_for_tensors(options, ram, stated_bytes, inputs);
  info.request = make_request(problem.limits, runtime, base, options.settings);
  if (const auto reason = no_room_for_tensors(options, ram, stated_bytes, inputs)) {
    return without_schedule(ExitCode::infeasible, "infeasible", *reason, options, info);
  }
  note_about_chain(inputs.model);
  warn_about_chip(inputs, problem.limits.ram_budget_bytes);
  if (options.print_graph_info) {
    fmt::print(stderr, "{}", node_table(node_figures(inputs.model, problem.graph), false));
  }
  if (options.print_power_costs)
    fmt::print(stderr, "{}",
               power_table(problem.graph, problem.limits.paging_time != PagingTime::free));
  const PlotDirectory plots(options.plot_directory, inputs.model.name);
  plots.write_graph(problem.graph);
  if (!options.export_model.empty()) {
    in_option("--export-model", [&] {
      export_milp(problem, options.export_model, origin_of(inputs, options));
      return 0;
    });
    spdlog::info("MILP written to {}", options.export_model);
  }

  if (options.no_solve) return {};

  ProgressLine line(options.quiet);
  const SolveOptions wishes = solve_options(options, problem, smallest, line);
  catch_interrupts();
  SolveResult result = solve_watched(problem, wishes, solve);
  line.clear();
  if (!result.schedule) {
    add_proof(info, result, problem.graph);
    return without_schedule(code_of(result, options), status_name(result.status), explain(result),
                            options, info);
  }
  if (is_objective(options, Objective::ram)) {
    result.interrupted = result.interrupted || smallest.interrupted;
    result.bounds.ram_lower_bound_bytes = smallest.lower_bound_bytes;
  }
  if (result.runtime_budget_seconds) {
    problem.limits.runtime_budget_seconds = *result.runtime_budget_seconds;
    info.request =
        make_request(problem.limits, *result.runtime_budget_seconds, base, options.settings);
  }
  ScheduleFile report =
      make_schedule_file(inputs.model, inputs.platform_or_null(), problem, *info.request, result);
  result.status = report.status;  // which says whether the objective is proven as well
  const ExitCode code = report.code = code_of(result, options);
  print_summary(report, fmt::format("; {:.2f} s of solving", report.solver.wall_seconds));
  print_beside_tensors(inputs);
  print_work(report.solver);
  if (!result.reason.empty()) spdlog::info("{}", result.reason);
  plots.write_schedule(report);
  return {.code = code,
          .document = to_json(report, options.compact),
          .output = options.output,
          .costly = true};
}

}  // namespace poet::cli
