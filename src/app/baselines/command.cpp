#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/baselines/files.hpp"
#include "app/baselines/table.hpp"
#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/process_setup.hpp"
#include "app/sweep/describe.hpp"
#include "app/sweep/progress.hpp"
#include "app/sweep/request.hpp"
#include "baselines/fields.hpp"
#include "baselines/run_baselines.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "poet/min_ram.hpp"
#include "poet/suggest_schedule.hpp"

namespace poet::cli {
namespace {

/// `sweep --baselines` has options of sweeps that mean nothing here.
void refuse_sweep_options(const SweepArguments& sweep) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw InputError(option, "found with --baselines; expected only one");
  };
  const SweepArguments plain;
  refuse(sweep.min_ram, "--min-ram");
  refuse(sweep.dry_run, "--dry-run");
  refuse(!sweep.collect.empty(), "--collect");
  refuse(!sweep.resume.empty(), "--resume");
  refuse(!sweep.csv.empty(), "--csv");
  refuse(!sweep.plot.empty(), "--plot");
  refuse(sweep.format != plain.format, "--format");
  refuse(sweep.jobs != plain.jobs, "--jobs");
  refuse(sweep.techniques != plain.techniques, "--techniques");
}

/// What `min` comes to, by subject; nothing if interrupted, or if a search fails.
std::optional<std::vector<Bytes>> find_smallest(const SweepGrid& grid,
                                                const SolveSettings& settings) {
  if (!needs_smallest_ram(grid.ram)) return std::vector<Bytes>(grid.subjects.size(), 0);
  const std::vector<MinRamTask> tasks = loosest_tasks(grid);
  MinRams found(tasks.size());
  MinRamOptions search{.solve = {.settings = settings, .suggest = suggest_schedule}};
  search.interrupted = [] { return interrupted(); };
  if (!run_min_ram(grid, tasks, search, found)) return std::nullopt;
  for (const auto& known : found) {
    if (!known->failure.empty())
      throw InternalError("the search for min failed: " + known->failure);
  }
  return smallest_ram(grid, tasks, found);
}

std::string describe_result(const BaselineResult& result) {
  const std::string energy =
      result.file ? fmt::format(" {}", format_joules(result.row.summary->energy_joules))
                  : std::string();
  return fmt::format("{}{}, {:.2f} s", name_of(result.row.status), energy, result.row.wall_seconds);
}

std::vector<BaselineResult> run_all(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                                    const std::vector<Method>& methods, const Options& options) {
  SweepProgress line(options.quiet, static_cast<int>(points.size() * methods.size()), 0);
  const auto name = [&](int p, std::string_view method) {
    return fmt::format("{} {}", describe(grid, points[p]), method);
  };
  BaselineOptions wishes{.methods = methods, .settings = options.settings};
  wishes.started = [&](int p, Method method) { line.started(name(p, info_of(method).name)); };
  wishes.progress = [&](int p, Method method, const Progress& now) {
    line.progress(name(p, info_of(method).name), now);
  };
  wishes.finished = [&](int p, const BaselineResult& result) {
    line.finished(name(p, result.row.method), describe_result(result));
  };
  wishes.interrupted = [] { return interrupted(); };
  return run_baselines(grid, points, wishes);
}

void log_failures(const std::vector<BaselineRow>& rows) {
  for (const BaselineRow& row : rows) {
    if (row.status != BaselineRow::Status::failed) continue;
    spdlog::error("{} with {} bytes and {:.10g}x: {} failed: {}",
                  subject_name(row.problem.model, row.problem.platform),
                  row.problem.limits.ram_budget_bytes, row.problem.runtime_budget_ratio, row.method,
                  row.reason);
  }
}

}  // namespace

Outcome run_baselines_command(const Options& options) {
  refuse_sweep_options(options.sweep);
  const std::vector<Method> methods =
      in_option("--methods", [&] { return parse_methods(options.baselines.methods); });
  SweepRequest request = request_of(options);
  request.techniques = technique_set_name({.paging = options.paging, .remat = options.remat});
  const SweepGrid grid = load_grid(request);
  check_destination("--output", options.output);
  check_folder("--schedules", request.schedules);
  catch_interrupts();
  const auto smallest = find_smallest(grid, options.settings);
  if (!smallest) return {.code = ExitCode::interrupted};
  const std::vector<SweepPoint> points = sweep_points(grid, *smallest);
  std::set<std::string> models;
  for (const SweepSubject& subject : grid.subjects) {
    if (models.insert(subject.model.sha256).second) note_about_chain(subject.model);
  }

  std::vector<BaselineResult> results = run_all(grid, points, methods, options);
  ExitCode code = interrupted() ? ExitCode::interrupted : ExitCode::ok;
  try {
    write_baseline_schedules(results, request.schedules, options.output);
  } catch (const InputError& error) {
    // The lines are what took the time.
    spdlog::error("{}", error.what());
    code = ExitCode::usage;
  }
  std::vector<BaselineRow> rows;
  rows.reserve(results.size());
  for (BaselineResult& result : results) rows.push_back(std::move(result.row));
  if (!options.quiet) print_table(rows);
  log_failures(rows);
  spdlog::info("{}", tally(rows));
  const bool failed = std::any_of(rows.begin(), rows.end(), [](const BaselineRow& row) {
    return row.status == BaselineRow::Status::failed;
  });
  if (failed) code = ExitCode::internal;
  return {.code = code, .document = to_json_lines(rows), .output = options.output, .costly = true};
}

}  // namespace poet::cli
