// The command `baselines`: the methods of other papers on the problems of a grid. It has the
// options, the lists and the budgets of `sweep`, but unlike in a sweep, nothing is shared between
// points, so a method is seen at each point as it is by itself. Only our own solver starts from the
// best schedule of the others, and only at the same point.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/commands/baselines/method_bars.hpp"
#include "app/commands/sweep/sweep_table.hpp"
#include "app/load_subject.hpp"
#include "app/question_options.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/progress_line.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "baselines/fields.hpp"
#include "baselines/method.hpp"
#include "baselines/run_baselines.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "poet/plot.hpp"
#include "runs/sweep_files.hpp"

namespace poet::cli {
namespace {

/// What `baselines` gives each method that searches.
constexpr Seconds kSecondsPerMethod = 60;

constexpr const char* kBaselinesHelp =
    R"(Every method is run with every pair of budgets, and what it makes is replayed like any schedule.
The result is one JSON line per method and budgets on stdout; a table is on stderr.
docs/baselines.md names the papers. A method without a schedule within the budgets, or that
does not apply to the graph, is a line like the others. With --no-paging or --no-remat,
methods that need what is forbidden do not apply.

Exit status:
  0                               every method was run
  1                               a schedule breaks a rule or needs less than the proven bound,
                                  or an internal error
  2                               bad usage or input; nothing was run or written
  130                             interrupted; finished lines are written

Examples:
  $ poet-solve baselines --model vgg16_cifar --platform m4 --ram-budget 50%,60%,80% --runtime-budget 2
      All methods with three RAM budgets.
  $ poet-solve baselines --model resnet18 --platform a72 --ram-budget 40%..100%:4 --runtime-budget 2 --methods capuchin-like,poet --schedules runs
      Two of them, with every schedule as a file for verify, plot and compare.)";

struct BaselinesArguments {
  SweepRequest request;  ///< all but the techniques
  TechniqueSet techniques;
  std::vector<Method> methods = parse_methods("all");
  std::string output;
  std::string csv;
  std::string plot;
};

std::string describe_result(const BaselineResult& result) {
  const std::string energy =
      result.file ? fmt::format(" {}", format_joules(result.row.summary->energy_joules))
                  : std::string();
  return fmt::format("{}{}, {:.2f} s", name_of(result.row.status), energy, result.row.wall_seconds);
}

// A method that takes milliseconds and one that takes a minute share a line: progress is counted in
// methods, not in points.
std::vector<BaselineResult> run_all(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                                    const BaselinesArguments& arguments, bool quiet) {
  TaskLine line(quiet, static_cast<int>(points.size() * arguments.methods.size()), 0);
  const auto name = [&](int p, std::string_view method) {
    return fmt::format("{} {}", describe(grid, points[p]), method);
  };
  BaselineOptions wishes{.methods = arguments.methods, .settings = arguments.request.settings};
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

/// The figures of a schedule, also of one that exceeds the budgets, to which no gap belongs.
std::string schedule_figures(const BaselineRow& row) {
  if (!row.summary) return {};
  const Summary& s = *row.summary;
  const bool fits = row.status == BaselineRow::Status::feasible;
  return fmt::format("{:>12} {:>+9.3f} {:>9} {:>12} {:>8.4f} {:>7} {:>7} {:>8}",
                     format_joules(s.energy_joules, Zeros::kept), 100 * s.energy_overhead,
                     fits ? gap_figure(s.gap) : "-", format_bytes(s.peak_ram_bytes, Zeros::kept),
                     s.runtime_ratio, s.recompute_count, s.page_in_count,
                     fmt::format("{:.2f} s", row.wall_seconds));
}

std::string status_text(const BaselineRow& row) {
  const bool optimal = row.status == BaselineRow::Status::feasible && row.proven.value_or(false);
  return optimal ? "optimal" : std::string(name_of(row.status));
}

/// The comparison, a line for each method and budgets, under a heading.
void print_comparison(const std::vector<BaselineRow>& rows) {
  fmt::print(
      stderr,
      "{:<22} {:>8} {:>12} {:<13} {:<14} {:>12} {:>9} {:>9} {:>12} {:>8} {:>7} {:>7} {:>8}\n",
      "model/platform", "runtime", "RAM", "method", "status", "energy", "over. %", "gap %", "peak",
      "took x", "recomp.", "page-in", "time");
  for (const BaselineRow& row : rows) {
    fmt::print(stderr, "{:<22} {:>7.4g}x {:>12} {:<13} {:<14} {}\n",
               subject_name(row.problem.model, row.problem.platform),
               row.problem.runtime_budget_ratio,
               format_bytes(row.problem.limits.ram_budget_bytes, Zeros::kept), row.method,
               status_text(row), schedule_figures(row));
  }
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

/// A method without a schedule is a result and no failure. What fails is a schedule that breaks a
/// rule or needs less than the proven bound: one of the two would be wrong.
ExitCode run_methods(const BaselinesArguments& arguments, bool quiet) {
  SweepRequest request = arguments.request;
  spell_out(request);
  request.techniques = technique_set_name(arguments.techniques);
  const SweepGrid grid = load_grid(request);
  catch_interrupts();
  const auto smallest = find_smallest(grid, request.settings, interrupted);
  if (!smallest) return ExitCode::interrupted;
  const std::vector<SweepPoint> points = sweep_points(grid, *smallest);
  note_about_chains(grid.subjects);
  std::vector<BaselineResult> results = run_all(grid, points, arguments, quiet);
  ExitCode code = interrupted() ? ExitCode::interrupted : ExitCode::ok;
  try {
    write_baseline_schedules(results, request.schedules, arguments.output);
  } catch (const InputError& error) {
    // The lines are what took the time.
    spdlog::error("{}", error.what());
    code = ExitCode::usage;
  }
  std::vector<BaselineRow> rows;
  rows.reserve(results.size());
  for (BaselineResult& result : results) rows.push_back(std::move(result.row));
  if (!quiet) print_comparison(rows);
  log_failures(rows);
  spdlog::info("{}: {}", counted(rows.size(), "row"), rows.empty() ? "none" : counts(rows));
  const auto write_beside = [&](const std::string& path, const auto& text_of_rows) {
    if (path.empty()) return;
    try {
      write_file(path, text_of_rows());
    } catch (const InputError& error) {
      spdlog::error("{}", error.what());
      code = ExitCode::usage;
    }
  };
  write_beside(arguments.csv, [&] { return to_csv(rows); });
  write_beside(arguments.plot, [&] { return methods_svg(bars_of(rows)); });
  const bool failed = std::any_of(rows.begin(), rows.end(), [](const BaselineRow& row) {
    return row.status == BaselineRow::Status::failed;
  });
  return deliver_result(to_json_lines(rows), arguments.output, failed ? ExitCode::internal : code);
}

std::string methods_usage() {
  std::string usage = "the methods to run: all";
  for (const MethodInfo& method : all_methods()) {
    const bool is_last = method.method == all_methods().back().method;
    usage += fmt::format("{}{}", is_last ? " or " : ", ", method.name);
  }
  return usage;
}

Run add_baselines(CLI::App& app) {
  const auto arguments = std::make_shared<BaselinesArguments>();
  SweepRequest& request = arguments->request;
  request.settings.time_limit_seconds = kSecondsPerMethod;
  OptionGroup what(app, kWhatToSolve);
  what.list("--model,--models", request.models, "LIST",
            "built-in models and model files; all: every built-in one");
  what.list("--platform,--platforms", request.platforms, "LIST",
            "built-in platforms and platform files, likewise; not needed for models with measured "
            "costs");
  what.text("--ram-budget", request.ram_budget, "LIST",
            "RAM budgets as for a single solve, and ranges as for a sweep; min: the smallest that "
            "works; chip: the platform's RAM");
  what.text("--runtime-budget", request.runtime_budget, "LIST",
            "runtime budgets as for a single solve, and ranges as for a sweep");
  what.parsed("--methods", arguments->methods, "LIST", parse_methods, methods_usage())
      ->default_str("all");
  add_technique_options(app, arguments->techniques);
  add_paging_options(app, request.paging_time, request.storage);
  add_model_options(app, request.model, kWhatToSolve);
  add_setting_options(app, request.settings, request.require_optimal);
  OptionGroup results(app, kWhatToWrite);
  results.text("--output", arguments->output, "FILE", "write the lines there, whole or not at all");
  results.text("--csv", arguments->csv, "FILE", "write a table there as well");
  results.text("--plot", arguments->plot, "FILE",
               "draw the overheads there as well, a bar for each method (SVG)");
  results.text("--schedules", request.schedules, "DIR",
               "write the schedule file of every method that keeps to the budgets into this "
               "directory");
  return [arguments, &app](Session& session) {
    apply_effort(app, arguments->request.settings);
    return run_methods(*arguments, session.quiet);
  };
}

}  // namespace

extern const Command kBaselines{
    .name = "baselines",
    .summary = "run the methods of other papers on the same problems, for comparison",
    .footer = kBaselinesHelp,
    .add = add_baselines};

}  // namespace poet::cli
