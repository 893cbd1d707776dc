// The command `sweep`: the order of its steps, its progress and its exit status. What a point
// learns from others is in src/sweep, what an interrupted or finished run has left is in src/runs.
// prepare_sweep() refuses what can be refused before the first process starts, since a sweep may
// run for hours.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include "app/command.hpp"
#include "app/commands/sweep/single_solves.hpp"
#include "app/commands/sweep/sweep_setup.hpp"
#include "app/commands/sweep/sweep_table.hpp"
#include "app/load_subject.hpp"
#include "app/question_options.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/progress_line.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "formats/write_sweep.hpp"
#include "pictures/curves.hpp"
#include "poet/error.hpp"
#include "poet/plot.hpp"
#include "poet/suggest_schedule.hpp"
#include "runs/collect.hpp"
#include "runs/earlier_run.hpp"
#include "runs/sweep_files.hpp"

namespace poet::cli {
namespace {

constexpr const char* kSweepHelp =
    R"(Points are solved from loose limits to tight ones: a schedule that is optimal under looser
limits and fits tighter ones is optimal there too, and a bound holds for tighter limits as
well. The result is one JSON line per point on stdout; a table and the progress are on stderr.
Lists are separated by commas; models and platforms may also be several words. A range
FIRST..LAST:COUNT has COUNT budgets at equal distances, its ends included.

Exit status:
  0                               every point is solved or proven infeasible
  1                               the process of a point crashed, or an internal error
  2                               bad usage or input; nothing was solved or written
  4                               a point is unknown
  5                               --require-optimal, and a point is not proven
  130                             interrupted; finished points are kept

Examples:
  $ poet-solve sweep --models bert --platforms m4 --ram-budget min..100%:16 --runtime-budget 3
      Energy over RAM, from what just works to what holds everything.
  $ poet-solve sweep GRID --output curve.jsonl --plot curve.svg
      Any such grid, into a file and as a picture; and after a crash:
  $ poet-solve sweep --resume curve.jsonl
  $ poet-solve sweep GRID --techniques both,remat,paging,none --jobs 2
      What recomputation and paging are worth, alone and together.
  $ poet-solve sweep --models bert,vgg16 --platforms m0,m4,a72 --runtime-budget 2 --min-ram
      The smallest RAM in which each model trains on each board, and the node that decides it.
  $ poet-solve sweep GRID --schedules runs --dry-run | parallel
  $ poet-solve sweep GRID --collect runs > curve.jsonl
      The same grid as single solves, on as many machines as there are.)";

template <typename Row>
std::string rows_document(const std::vector<Row>& rows, SweepFormat format) {
  return format == SweepFormat::csv ? to_csv(rows) : to_json_lines(rows);
}

/// One sweep from its setup to its exit status.
class SweepRun {
 public:
  SweepRun(const SweepArguments& arguments, const Session& session)
      : arguments_(arguments),
        session_(session),
        setup_(prepare_sweep(arguments)),
        grid_(setup_.grid),
        earlier_(setup_.journal, grid_, journal_path(setup_.output),
                 [](const std::string& line) { spdlog::info("{}", line); }) {}

  ExitCode run() {
    if (setup_.request.min_ram) return find_smallest();
    if (arguments_.dry_run) return print_commands();
    if (!arguments_.collect.empty()) return collect();
    return solve_points();
  }

 private:
  ExitCode find_smallest() {
    begin();
    const std::vector<MinRamTask> tasks = min_ram_tasks(grid_);
    MinRams found;
    const bool complete = search(tasks, found, true);
    return report(make_rows(grid_, tasks, found, setup_.request), complete, [] {});
  }

  ExitCode print_commands() {
    std::vector<SweepPoint> points;
    if (!make_points(points)) return ExitCode::interrupted;
    const std::string& folder = setup_.request.schedules;
    spdlog::info("{} commands; their folder has to be there: mkdir -p '{}'", points.size(), folder);
    return deliver(single_solves(session_.program, grid_, points, setup_.request), "");
  }

  ExitCode collect() {
    std::vector<SweepPoint> points;
    if (!make_points(points)) return ExitCode::interrupted;
    SweepOutcomes outcomes = collect_outcomes(arguments_.collect, grid_, points, order_kind());
    return settle_and_report(points, outcomes, true);
  }

  /// Points are known from three sources: the journal of an interrupted run, the rows of a finished
  /// one, and verdicts that need no solver. run_sweep() finds the last by itself.
  ExitCode solve_points() {
    std::vector<SweepPoint> points;
    if (!begin_with(points)) return interrupted_before(0);
    note_about_chains(grid_.subjects);
    warn_about_chips(points);
    const double gap = setup_.request.settings.gap;
    starts_.resize(grid_.subjects.size());
    SweepOutcomes outcomes = earlier_.take(points, gap, starts_, bounds_);
    if (setup_.finished) {
      setup_.finished->take(grid_, points, setup_.request.settings, outcomes, starts_, bounds_);
    }
    const auto done = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const auto& outcome) { return outcome.has_value(); });
    if (done > 0) spdlog::info("{} of {} points are known already", done, points.size());
    const bool complete = solve(points, outcomes, static_cast<int>(done));
    return settle_and_report(points, outcomes, complete);
  }

  void begin() {
    catch_interrupts();
    setup_.journal.begin(setup_.output, setup_.request);
  }

  /// Begins once the points are known to be those of a finished sweep that goes on: what does not
  /// belong together leaves no journal. False when interrupted.
  bool begin_with(std::vector<SweepPoint>& points) {
    if (!setup_.finished) {
      begin();
      return make_points(points);
    }
    catch_interrupts();
    if (!make_points(points)) return false;
    setup_.finished->check(grid_, points, order_kind());
    begin();
    return true;
  }

  OrderKind order_kind() const { return setup_.request.settings.order; }

  SolveOptions solve_options() const {
    return {.settings = setup_.request.settings, .suggest = suggest_schedule};
  }

  bool solve(const std::vector<SweepPoint>& points, SweepOutcomes& outcomes, int done) {
    TaskLine line(session_.quiet, static_cast<int>(points.size()), done);
    const auto name = [&](int p) { return describe(grid_, points[p]); };
    SweepOptions sweep{
        .solve = solve_options(), .jobs = arguments_.jobs, .starts = starts_, .bounds = bounds_};
    sweep.started = [&](int p) { line.started(name(p)); };
    sweep.progress = [&](int p, const Progress& now) { line.progress(name(p), now); };
    sweep.finished = [&](int p, const SweepOutcome& outcome) {
      setup_.journal.keep(p, earlier_.graph(points[p].subject), points[p].limits.ram_budget_bytes,
                          outcome);
      line.finished(name(p), describe(outcome));
    };
    sweep.interrupted = [] { return interrupted(); };
    return run_sweep(grid_, points, sweep, outcomes);
  }

  /// The points, after `min` has been found where the budgets need it. False when interrupted.
  /// The search for `min` is the first part of such a sweep, in processes like the rest. Its
  /// schedules are the first starts of the points.
  bool make_points(std::vector<SweepPoint>& points) {
    std::vector<Bytes> smallest(grid_.subjects.size(), 0);
    if (needs_smallest_ram(grid_.ram)) {
      const std::vector<MinRamTask> tasks = loosest_tasks(grid_);
      MinRams found;
      // Another meaning of `min` would make other points.
      if (!search(tasks, found, false)) return false;
      smallest = smallest_ram(grid_, tasks, found);
      starts_.resize(grid_.subjects.size());
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        if (found[t]->infeasible || !found[t]->order.empty()) continue;
        starts_[tasks[t].subject].push_back({found[t]->schedule, found[t]->order});
      }
    }
    points = sweep_points(grid_, smallest);
    return true;
  }

  /// `is_answer`: it is asked for by itself. Then also what the earlier run could not settle is
  /// searched again with other settings; and what `min` is called is about the given order.
  bool search(const std::vector<MinRamTask>& tasks, MinRams& found, bool is_answer) {
    found.resize(tasks.size());
    MinRams open;
    earlier_.take(tasks, found, is_answer ? open : found);
    const auto done = std::count_if(found.begin(), found.end(),
                                    [](const auto& known) { return known.has_value(); });
    TaskLine line(session_.quiet, static_cast<int>(tasks.size()), static_cast<int>(done));
    const auto name = [&](int t) { return describe(grid_, tasks[t]); };
    MinRamOptions search{.solve = solve_options(), .jobs = arguments_.jobs, .known = open};
    if (!is_answer) search.solve.settings.order = OrderKind::given;
    search.started = [&](int t) { line.started(name(t)); };
    search.finished = [&](int t, const MinRam& known) {
      setup_.journal.keep(t, earlier_.graph(tasks[t].subject), known);
      line.finished(name(t), describe(known));
    };
    search.interrupted = [] { return interrupted(); };
    return run_min_ram(grid_, tasks, search, found);
  }

  /// One line for each subject, as a sweep over RAM may go far beyond the chip on purpose.
  void warn_about_chips(const std::vector<SweepPoint>& points) const {
    for (std::size_t s = 0; s < grid_.subjects.size(); ++s) {
      const std::optional<Platform>& platform = grid_.subjects[s].platform;
      if (!platform || !platform->ram_bytes) continue;
      const auto above = std::count_if(points.begin(), points.end(), [&](const SweepPoint& point) {
        return point.subject == static_cast<int>(s) &&
               point.limits.ram_budget_bytes > *platform->ram_bytes;
      });
      if (above == 0) continue;
      spdlog::warn("{}: {} points have a larger RAM budget than the {} of platform '{}'",
                   grid_.subjects[s].name(), above, format_bytes(*platform->ram_bytes),
                   platform->name);
    }
  }

  /// A looser point is solved before a tighter one and cannot have learnt from it. Schedules of
  /// tighter limits go to looser ones at the end, so that no energy rises as limits loosen.
  ExitCode settle_and_report(const std::vector<SweepPoint>& points, SweepOutcomes& outcomes,
                             bool complete) {
    share_results(grid_, points, setup_.request.settings.gap, outcomes, order_kind());
    std::vector<PointResult> results =
        make_results(grid_, points, outcomes, setup_.request, setup_.output);
    if (setup_.finished) setup_.finished->keep_rows(results, setup_.request.settings.gap);
    std::vector<SweepRow> rows;
    rows.reserve(results.size());
    for (const PointResult& result : results) rows.push_back(result.row);
    return report(rows, complete, [&] {
      write_schedules(grid_, points, results, setup_.request);
      const std::string& plot = setup_.request.plot;
      if (!plot.empty()) write_file(plot, sweep_svg(plot::curve_points(rows)));
    });
  }

  /// A sweep to stdout has no journal, so nothing of it is kept.
  ExitCode interrupted_before(std::size_t finished) const {
    if (setup_.journal.active()) {
      spdlog::warn("interrupted; {} finished, kept in '{}'; --resume {} goes on", finished,
                   journal_path(setup_.output), setup_.output);
    }
    return ExitCode::interrupted;
  }

  /// Prints the table, logs failures, and returns the document with the exit status. `write_files`
  /// writes what is not in the document.
  template <typename Row>
  ExitCode report(const std::vector<Row>& rows, bool complete,
                  const std::function<void()>& write_files) {
    if (!session_.quiet) print_table(rows);
    for (const Row& row : rows) {
      if (row.status == Row::Status::failed) spdlog::error("{}", failure(row));
    }
    spdlog::info("{}", tally(rows));
    if (!complete && setup_.journal.active()) return interrupted_before(rows.size());
    const std::string document = rows_document(rows, setup_.request.format);
    try {
      write_files();
      if (!setup_.request.csv.empty()) write_file(setup_.request.csv, to_csv(rows));
    } catch (const InputError& error) {
      // With --output, all is in the journal. Without, stdout is the only place for the rows.
      if (!setup_.output.empty()) throw;
      spdlog::error("{}", error.what());
      return deliver(document, "", ExitCode::usage);
    }
    const ExitCode code = complete ? code_of(rows) : ExitCode::interrupted;
    deliver(document, setup_.output, code);
    close_journal(code);
    return code;
  }

  /// A sweep in which a point failed keeps its journal, so that --resume tries that point once more
  /// without solving the others again. If the request cannot be written beside the result, the
  /// result is still complete: that is worth a warning and no failure.
  void close_journal(ExitCode code) {
    if (code != ExitCode::internal) {
      try {
        setup_.journal.finish(setup_.output, setup_.request);
      } catch (const InputError& error) {
        spdlog::warn("{}; --resume will need the whole grid", error.what());
      }
    } else if (setup_.journal.active()) {
      spdlog::info("--resume {} tries what failed once more", setup_.output);
    }
  }

  /// The worst row decides. `infeasible` is an answer like `optimal`.
  template <typename Row>
  ExitCode code_of(const std::vector<Row>& rows) const {
    using Status = typename Row::Status;
    const auto any = [&](Status status) {
      return std::any_of(rows.begin(), rows.end(),
                         [&](const Row& row) { return row.status == status; });
    };
    if (any(Status::failed)) return ExitCode::internal;
    if constexpr (std::is_same_v<Row, MinRamRow>) {
      if (any(Status::interval)) return ExitCode::limit;
    } else {
      if (any(Status::unknown)) return ExitCode::limit;
      if (any(Status::feasible) && setup_.request.require_optimal) return ExitCode::requirement;
    }
    return ExitCode::ok;
  }

  const SweepArguments& arguments_;
  const Session& session_;
  SweepSetup setup_;
  const SweepGrid& grid_;
  EarlierRun earlier_;
  /// By subject, from the search for `min` and from earlier runs.
  std::vector<std::vector<OrderedSchedule>> starts_;
  std::vector<OrderBound> bounds_;  ///< of earlier runs, by point
};

ExitCode sweep(const SweepArguments& arguments, const Session& session) {
  if (!already_finished(arguments)) return SweepRun(arguments, session).run();
  spdlog::info("{} is there, and nothing is left to do", arguments.resume);
  return ExitCode::ok;
}

/// Whether an option describes what to solve, or a setting that a resumed sweep cannot change.
/// With any such option, the whole grid is taken from the command line and has to be the one of the
/// journal; there is no mixture of the two.
bool has_request(const CLI::App& app) {
  bool found = false;
  visit_setting_options([&](const auto& option) {
    found = found || (!option.may_change && app.count(option.name) > 0);
  });
  const std::vector<const CLI::Option*> all = app.get_options();
  return found || std::any_of(all.begin(), all.end(), [](const CLI::Option* option) {
           return option->count() > 0 && option->get_group() == kWhatToSolve;
         });
}

void add_grid(CLI::App& app, SweepRequest& request) {
  OptionGroup group(app, kWhatToSolve);
  group.list("--models,--model", request.models, "LIST",
             "built-in models and model files, as in nets/*.json; all: every built-in one");
  group.list("--platforms,--platform", request.platforms, "LIST",
             "built-in platforms and platform files, likewise; not needed for models with measured "
             "costs");
  group.text("--ram-budget", request.ram_budget, "LIST",
             "RAM budgets as for a single solve, and ranges: 25%..100%:16, 256K..2M:12, "
             "min..100%:16, min..chip:8; min: the smallest that works; chip: the platform's RAM");
  group.text("--runtime-budget", request.runtime_budget, "LIST",
             "runtime budgets as for a single solve, and ranges: 1.5..3:4");
  group.text("--techniques", request.techniques, "LIST",
             "what schedules may use: both, remat, paging, none");
  group.flag("--min-ram", request.min_ram,
             "find the smallest RAM budget instead of solving given ones, and the node that "
             "decides it");
}

void add_running(CLI::App& app, SweepArguments& arguments) {
  OptionGroup group(app, kHowToRun);
  group.number<int>("--jobs", arguments.jobs, "N", {.min = 1, .max = 256, .expected = "1 to 256"},
                    "points solved at the same time");
  group.text("--resume", arguments.resume, "FILE",
             "go on with the sweep that was to write FILE, from FILE.partial; the grid may be left "
             "out, or has to be the same. With another --time-limit-s, --effort or --gap, also if "
             "FILE is finished: what is proven stays, the rest is solved again");
  group.flag("--dry-run", arguments.dry_run,
             "print the single solves instead, as commands for a shell, one per line");
  group.text("--collect", arguments.collect, "DIR",
             "take the results of those commands from DIR instead of solving");
  group.gone("--baselines", "use the command 'poet-solve baselines'");
}

void add_results(CLI::App& app, SweepArguments& arguments) {
  OptionGroup group(app, kWhatToWrite);
  SweepRequest& request = arguments.request;
  group.text("--output", arguments.output, "FILE",
             "write the lines there, whole or not at all; FILE.partial keeps finished points "
             "meanwhile");
  group.choice("--format", request.format, "of --output or stdout");
  group.text("--csv", request.csv, "FILE", "write a table there as well");
  group.text("--plot", request.plot, "FILE", "write the curves there as SVG, as plot draws them");
  group.text("--schedules", request.schedules, "DIR",
             "write each point's schedule file into this directory");
}

Run add_sweep(CLI::App& app) {
  const auto arguments = std::make_shared<SweepArguments>();
  SweepRequest& request = arguments->request;
  add_grid(app, request);
  add_order_option(app, request.settings.order, request.order_file);
  add_paging_options(app, request.paging_time, request.limits);
  add_model_options(app, request.model, kWhatToSolve);
  add_setting_options(app, request.settings, request.require_optimal);
  add_running(app, *arguments);
  add_results(app, *arguments);
  return [arguments, &app](Session& session) {
    arguments->changes = apply_effort(app, arguments->request.settings);
    arguments->has_request = has_request(app);
    return sweep(*arguments, session);
  };
}

}  // namespace

extern const Command kSweep{
    .name = "sweep",
    .summary = "solve a grid of budgets, platforms, models and techniques in one go",
    .footer = kSweepHelp,
    .add = add_sweep};

}  // namespace poet::cli
