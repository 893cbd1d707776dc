#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/plot_directory.hpp"
#include "app/process_setup.hpp"
#include "app/progress.hpp"
#include "app/smallest_ram.hpp"
#include "app/tables.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "report/summary.hpp"

namespace poet::cli {
namespace {

void check_required(const Options& options) {
  require_option(options.model, "--model", "expected a model's name or file (--list-models)");
  require_option(options.ram_budget, "--ram-budget",
                 "expected a size such as 737719, 60%, min or chip");
  require_option(options.runtime_budget, "--runtime-budget",
                 "expected a multiple such as 1.5 or a time such as 12.5s");
}

/// Everything that can be refused before the solve is refused before the solve.
void check_destinations(const Options& options) {
  if (options.no_solve && options.export_model.empty()) {
    throw InputError("--no-solve", "found without --export-model FILE; nothing would be written");
  }
  check_destination("--output", options.output);
  check_destination("--export-model", options.export_model);
}

void warn_about_chip(const Inputs& inputs, Bytes budget) {
  if (!inputs.platform || !inputs.platform->ram_bytes) return;
  if (budget <= *inputs.platform->ram_bytes) return;
  spdlog::warn("the RAM budget of {} is more than the {} that platform '{}' has",
               format_bytes(budget), format_bytes(*inputs.platform->ram_bytes),
               inputs.platform->name);
}

/// The schedule to start from, if one was named. A file about another graph is refused; a schedule
/// that does not fit these budgets is no mistake, only of no use.
std::optional<Schedule> warm_start(const std::string& path, const Problem& problem) {
  if (path.empty()) return std::nullopt;
  return in_option("--warm-start", [&]() -> std::optional<Schedule> {
    const ScheduleFile file = parse_schedule_file(read_file(path), path);
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
  Seconds& limit = solve.settings.time_limit_seconds;
  limit = rest_of_limit(limit, smallest.wall_seconds);
  solve.progress = [&line](const Progress& progress) { line.show(progress); };
  solve.interrupted = [] { return interrupted(); };
  return solve;
}

ExitCode code_of(const SolveResult& result, const Options& options) {
  if (result.interrupted) return ExitCode::interrupted;
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

std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_summary(const ScheduleFile& report) {
  const Summary& s = report.summary;
  spdlog::info("{}: {} per training step, {} over the baseline's {}; {}",
               status_name(report.status), format_joules(s.energy_joules),
               change_text(s.energy_overhead), format_joules(s.baseline_energy_joules),
               gap_text(s.gap));
  spdlog::info("RAM {} of {} (baseline {}); runtime {:.4f}x of {:.4g}x",
               format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes),
               format_bytes(s.baseline_peak_ram_bytes), s.runtime_ratio,
               report.request.runtime_budget_ratio);
  spdlog::info("{}, {} ({}), {} ({}); {:.2f} s of solving",
               counted(s.recompute_count, "recomputation"), counted(s.page_out_count, "page-out"),
               format_bytes(s.page_out_bytes), counted(s.page_in_count, "page-in"),
               format_bytes(s.page_in_bytes), report.solver.wall_seconds);
  const SolveStatistics& solver = report.solver;
  spdlog::debug("model {}: {} rows, {} columns, {} nonzeros; {} nodes", solver.formulation,
                solver.rows, solver.columns, solver.nonzeros, solver.nodes);
  spdlog::debug("first schedule after {}; local search {}, building {}, relaxations and CBC {}",
                format_seconds(solver.first_schedule_seconds),
                format_seconds(solver.heuristic_seconds), format_seconds(solver.build_seconds),
                format_seconds(solver.milp_seconds));
}

}  // namespace

Outcome run_solve(const Options& options, ProblemInfo& info) {
  check_required(options);
  const auto ram = in_option("--ram-budget", [&] { return parse_ram_budget(options.ram_budget); });
  const auto runtime =
      in_option("--runtime-budget", [&] { return parse_runtime_budget(options.runtime_budget); });
  check_destinations(options);
  const Inputs inputs = load_inputs(options, "--model", info);
  Problem problem{.graph =
                      make_costs(inputs.model, inputs.platform, options.settings.mem_power_scale,
                                 options.paging, "--platform")};
  info.graph_sha256 = graph_sha256(problem.graph);
  const Baseline base = baseline(problem.graph);
  problem.limits = {.runtime_budget_seconds =
                        in_option("--runtime-budget", [&] { return resolve(runtime, base); }),
                    .paging = options.paging,
                    .remat = options.remat};
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
  problem.limits.ram_budget_bytes = in_option("--ram-budget", [&] {
    return resolve(ram, base,
                   {.smallest = smallest.bytes,
                    .chip = inputs.platform ? inputs.platform->ram_bytes : std::nullopt});
  });
  info.request = make_request(problem.limits, runtime, base, options.settings);
  warn_about_chip(inputs, problem.limits.ram_budget_bytes);
  if (options.print_graph_info) {
    fmt::print(stderr, "{}", node_table(node_figures(inputs.model, problem.graph), false));
  }
  if (options.print_power_costs) fmt::print(stderr, "{}", power_table(problem.graph));
  const PlotDirectory plots(options.plot_directory, inputs.model.name);
  plots.write_graph(problem.graph);
  if (!options.export_model.empty()) {
    in_option("--export-model", [&] {
      export_milp(problem, options.export_model);
      return 0;
    });
    spdlog::info("MILP written to {}", options.export_model);
  }

  if (options.no_solve) return {};

  ProgressLine line(options.quiet);
  const SolveOptions wishes = solve_options(options, problem, smallest, line);
  catch_interrupts();
  const SolveResult result = solve(problem, wishes);
  line.clear();
  const ExitCode code = code_of(result, options);
  if (!result.schedule) {
    add_proof(info, result, problem.graph);
    return without_schedule(code, status_name(result.status), explain(result), options, info);
  }
  ScheduleFile report =
      make_schedule_file(inputs.model, inputs.platform_or_null(), problem, *info.request, result);
  report.code = code;
  print_summary(report);
  if (!result.reason.empty()) spdlog::info("{}", result.reason);
  plots.write_schedule(report);
  return {.code = code,
          .document = to_json(report, options.compact),
          .output = options.output,
          .costly = true};
}

}  // namespace poet::cli
