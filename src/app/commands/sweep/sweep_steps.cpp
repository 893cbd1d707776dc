// The steps of the command `sweep`, their order and the exit status. What a point learns from
// others is in src/sweep, what an earlier run has left is in src/runs.
// prepare_sweep() refuses what can be refused before the first process starts, since a sweep may
// run for hours.

#include "app/commands/sweep/sweep_steps.hpp"

#include <spdlog/spdlog.h>

#include <unistd.h>

#include <algorithm>
#include <string>

#include "app/commands/sweep/single_solves.hpp"
#include "app/commands/sweep/sweep_table.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/progress_line.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/files/paths.hpp"
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
        resumable_(setup_.output),
        grid_(setup_.grid),
        earlier_(setup_.journal, grid_, [](const std::string& line) { spdlog::info("{}", line); }) {
  }

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
    const std::vector<MinRamRow> rows = make_rows(grid_, tasks, found, setup_.request);
    return report(rows, complete ? exit_code_of(rows) : ExitCode::interrupted, [] {});
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
    SweepOutcomes outcomes = collect_outcomes(arguments_.collect, grid_, points, order_kind(),
                                              setup_.request.settings.copies);
    return settle_and_report(points, outcomes, true);
  }

  /// Points are known from two sources: the journal of an earlier run, and verdicts that need no
  /// solver. run_sweep() finds the last by itself.
  ExitCode solve_points() {
    begin();
    std::vector<SweepPoint> points;
    if (!make_points(points)) return interrupted_before(0);
    note_about_chains(grid_.subjects);
    warn_about_chips(points);
    const double gap = setup_.request.settings.gap;
    starts_.resize(grid_.subjects.size());
    SweepOutcomes outcomes = earlier_.take(points, gap, starts_, bounds_);
    const auto done = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const auto& outcome) { return outcome.has_value(); });
    if (done > 0) spdlog::info("{} of {} points are known already", done, points.size());
    const bool complete = solve(points, outcomes, static_cast<int>(done));
    return settle_and_report(points, outcomes, complete);
  }

  void begin() {
    catch_interrupts();
    if (!setup_.output.empty()) return setup_.journal.begin(setup_.output, setup_.request);
    // A shell's file gets its rows at the end, and has a journal until then.
    resumable_ = new_file_of(STDOUT_FILENO);
    if (resumable_.empty()) return;
    try {
      check_journal(resumable_);
      setup_.journal.begin(resumable_, setup_.request);
    } catch (const InputError& error) {
      spdlog::warn("{}; this sweep keeps no finished points", error.what());
    }
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

  /// The points, after `min` has been found if the budgets need it. False when interrupted. The
  /// search for `min` is the first part of such a sweep, in processes like the rest. Its schedules
  /// are the first starts of the points.
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
    search.solve.settings.copies = CopyChoice::none;
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
    share_results(grid_, points, setup_.request.settings.gap, outcomes, order_kind(),
                  setup_.request.settings.copies);
    std::vector<PointResult> results =
        make_results(grid_, points, outcomes, setup_.request, setup_.output);
    std::vector<SweepRow> rows;
    rows.reserve(results.size());
    for (const PointResult& result : results) rows.push_back(result.row);
    const ExitCode code =
        complete ? exit_code_of(rows, setup_.request.require_optimal) : ExitCode::interrupted;
    return report(rows, code, [&] {
      write_schedules(grid_, points, results, setup_.request);
      const std::string& plot = setup_.request.plot;
      if (!plot.empty()) write_file(plot, sweep_svg(plot::curve_points(rows)));
    });
  }

  /// A sweep to a pipe or a terminal has no journal, so nothing of it is kept.
  ExitCode interrupted_before(std::size_t finished) const {
    if (setup_.journal.active()) {
      spdlog::warn("interrupted; {} finished, kept in '{}'; --resume {} goes on", finished,
                   setup_.journal.path(), resumable_);
    }
    return ExitCode::interrupted;
  }

  /// Prints the table, logs failures, and returns the document with the exit status. `write_files`
  /// writes what is not in the document.
  template <typename Row>
  ExitCode report(const std::vector<Row>& rows, ExitCode code,
                  const std::function<void()>& write_files) {
    if (!session_.quiet) print_table(rows);
    for (const Row& row : rows) {
      if (row.status == Row::Status::failed) spdlog::error("{}", failure(row));
    }
    spdlog::info("{}", tally(rows));
    const bool is_partial = code == ExitCode::interrupted;
    if (is_partial) interrupted_before(rows.size());
    if (is_partial && !setup_.output.empty() && setup_.journal.active()) return code;
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
    const ExitCode delivered = deliver(document, setup_.output, code);
    if (delivered != code && setup_.journal.active()) {
      spdlog::info("'{}' has all points; --resume {} writes them", setup_.journal.path(),
                   resumable_);
    }
    if (delivered != code || is_partial) return delivered;
    setup_.output.empty() ? setup_.journal.discard() : close_journal(code, document);
    return code;
  }

  /// A sweep in which a point failed keeps its journal, so that --resume tries that point once more
  /// without solving the others again. If it cannot get its other name, the result is still
  /// complete: that is worth a warning and no failure.
  void close_journal(ExitCode code, const std::string& document) {
    if (code != ExitCode::internal) {
      try {
        setup_.journal.finish(setup_.output, document);
      } catch (const InputError& error) {
        spdlog::warn("{}; '{}' is complete all the same", error.what(), setup_.output);
      }
    } else if (setup_.journal.active()) {
      spdlog::info("--resume {} tries what failed once more", setup_.output);
    }
  }

  const SweepArguments& arguments_;
  const Session& session_;
  SweepSetup setup_;
  std::string resumable_;  ///< what --resume goes on with: --output, or the file of stdout
  const SweepGrid& grid_;
  EarlierRun earlier_;
  /// By subject, from the search for `min` and from earlier runs.
  std::vector<std::vector<OrderedSchedule>> starts_;
  std::vector<OrderBound> bounds_;  ///< of earlier runs, by point
};

}  // namespace

ExitCode sweep(const SweepArguments& arguments, const Session& session) {
  if (!already_finished(arguments)) return SweepRun(arguments, session).run();
  spdlog::info("{} is there, and nothing is left to do", arguments.resume);
  return ExitCode::ok;
}

}  // namespace poet::cli
