#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/process_setup.hpp"
#include "app/sweep/collect.hpp"
#include "app/sweep/describe.hpp"
#include "app/sweep/earlier.hpp"
#include "app/sweep/files.hpp"
#include "app/sweep/progress.hpp"
#include "app/sweep/request.hpp"
#include "app/sweep/setup.hpp"
#include "app/sweep/single_solves.hpp"
#include "app/sweep/table.hpp"
#include "base/files/files.hpp"
#include "poet/error.hpp"
#include "poet/suggest_schedule.hpp"

namespace poet::cli {
namespace {

/// One sweep from its setup to its exit status.
class SweepRun {
 public:
  explicit SweepRun(const Options& options)
      : options_(options),
        setup_(prepare_sweep(options)),
        grid_(setup_.grid),
        earlier_(setup_.journal, grid_, journal_path(setup_.output)) {}

  Outcome run() {
    if (options_.sweep.min_ram || setup_.request.min_ram) return find_smallest();
    if (options_.sweep.dry_run) return print_commands();
    if (!options_.sweep.collect.empty()) return collect();
    return solve_points();
  }

 private:
  Outcome find_smallest() {
    begin();
    const std::vector<MinRamTask> tasks = min_ram_tasks(grid_);
    MinRams found;
    const bool complete = search(tasks, found, true);
    return report(make_rows(grid_, tasks, found, setup_.request), complete, [] {});
  }

  Outcome print_commands() {
    std::vector<SweepPoint> points;
    if (!make_points(points)) return {.code = ExitCode::interrupted};
    const std::string& folder = setup_.request.schedules;
    spdlog::info("{} commands; their folder has to be there: mkdir -p '{}'", points.size(), folder);
    return {.document = single_solves(options_.program, grid_, points, setup_.request)};
  }

  Outcome collect() {
    std::vector<SweepPoint> points;
    if (!make_points(points)) return {.code = ExitCode::interrupted};
    SweepOutcomes outcomes = collect_outcomes(options_.sweep.collect, grid_, points);
    return settle_and_report(points, outcomes, true);
  }

  Outcome solve_points() {
    std::vector<SweepPoint> points;
    if (!begin_with(points)) return interrupted_before(0);
    note_about_chains();
    warn_about_chips(points);
    const double gap = setup_.request.settings.gap;
    starts_.resize(grid_.subjects.size());
    SweepOutcomes outcomes = earlier_.take(points, gap, starts_, bounds_);
    if (setup_.finished) setup_.finished->take(points, gap, outcomes, starts_, bounds_);
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
    setup_.finished->check(grid_, points);
    begin();
    return true;
  }

  SolveOptions solve_options() const {
    return {.settings = setup_.request.settings, .suggest = suggest_schedule};
  }

  bool solve(const std::vector<SweepPoint>& points, SweepOutcomes& outcomes, int done) {
    SweepProgress line(options_.quiet, static_cast<int>(points.size()), done);
    const auto name = [&](int p) { return describe(grid_, points[p]); };
    SweepOptions sweep{.solve = solve_options(),
                       .jobs = options_.sweep.jobs,
                       .starts = starts_,
                       .bounds = bounds_};
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
        if (!found[t]->infeasible) starts_[tasks[t].subject].push_back(found[t]->schedule);
      }
    }
    points = sweep_points(grid_, smallest);
    return true;
  }

  /// `again`: with other settings, also what the earlier run could not settle.
  bool search(const std::vector<MinRamTask>& tasks, MinRams& found, bool again) {
    found.resize(tasks.size());
    MinRams open;
    earlier_.take(tasks, found, again ? open : found);
    const auto done = std::count_if(found.begin(), found.end(),
                                    [](const auto& known) { return known.has_value(); });
    SweepProgress line(options_.quiet, static_cast<int>(tasks.size()), static_cast<int>(done));
    const auto name = [&](int t) { return describe(grid_, tasks[t]); };
    MinRamOptions search{.solve = solve_options(), .jobs = options_.sweep.jobs, .known = open};
    search.started = [&](int t) { line.started(name(t)); };
    search.finished = [&](int t, const MinRam& known) {
      setup_.journal.keep(t, earlier_.graph(tasks[t].subject), known);
      line.finished(name(t), describe(known));
    };
    search.interrupted = [] { return interrupted(); };
    return run_min_ram(grid_, tasks, search, found);
  }

  /// Once for each model, whatever the number of its platforms.
  void note_about_chains() const {
    std::set<std::string> models;
    for (const SweepSubject& subject : grid_.subjects) {
      if (models.insert(subject.model.sha256).second) note_about_chain(subject.model);
    }
  }

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

  Outcome settle_and_report(const std::vector<SweepPoint>& points, SweepOutcomes& outcomes,
                            bool complete) {
    share_results(grid_, points, setup_.request.settings.gap, outcomes);
    std::vector<PointResult> results =
        make_results(grid_, points, outcomes, setup_.request, setup_.output);
    if (setup_.finished) setup_.finished->keep_rows(results, setup_.request.settings.gap);
    std::vector<SweepRow> rows;
    rows.reserve(results.size());
    for (const PointResult& result : results) rows.push_back(result.row);
    return report(rows, complete, [&] {
      write_schedules(grid_, points, results, setup_.request);
      write_picture(rows, setup_.request);
    });
  }

  Outcome interrupted_before(std::size_t finished) const {
    if (setup_.journal.active()) {
      spdlog::warn("interrupted; {} finished, kept in '{}'; --resume {} goes on", finished,
                   journal_path(setup_.output), setup_.output);
    }
    return {.code = ExitCode::interrupted};
  }

  /// Prints the table, logs failures, and returns the document with the exit status. `write_files`
  /// writes what is not in the document.
  template <typename Row>
  Outcome report(const std::vector<Row>& rows, bool complete,
                 const std::function<void()>& write_files) {
    if (!options_.quiet) print_table(rows);
    for (const Row& row : rows) {
      if (row.status == Row::Status::failed) spdlog::error("{}", failure(row));
    }
    spdlog::info("{}", tally(rows));
    if (!complete && setup_.journal.active()) return interrupted_before(rows.size());
    const std::string document = rows_document(rows, setup_.request);
    try {
      write_files();
      write_csv(rows, setup_.request);
    } catch (const InputError& error) {
      // With --output, all is in the journal. Without, stdout is the only place for the rows.
      if (!setup_.output.empty()) throw;
      spdlog::error("{}", error.what());
      return {.code = ExitCode::usage, .document = document};
    }
    const ExitCode code = complete ? code_of(rows) : ExitCode::interrupted;
    return {.code = code, .document = document, .output = setup_.output, .delivered = [this, code] {
              close_journal(code);
            }};
  }

  void close_journal(ExitCode code) {
    if (code != ExitCode::internal) {
      setup_.journal.remove();
    } else if (setup_.journal.active()) {
      spdlog::info("--resume {} tries what failed once more", setup_.output);
    }
  }

  template <typename Row>
  ExitCode code_of(const std::vector<Row>& rows) const {
    const auto any = [&](std::string_view status) {
      return std::any_of(rows.begin(), rows.end(),
                         [&](const Row& row) { return name_of(row.status) == status; });
    };
    if (any("failed")) return ExitCode::internal;
    if (any("unknown") || any("interval")) return ExitCode::limit;
    if (any("feasible") && setup_.request.require_optimal) return ExitCode::requirement;
    return ExitCode::ok;
  }

  const Options& options_;
  SweepSetup setup_;
  const SweepGrid& grid_;
  EarlierRun earlier_;
  /// By subject, from the search for `min` and from earlier runs.
  std::vector<std::vector<Schedule>> starts_;
  std::vector<Joules> bounds_;  ///< of earlier runs, by point
};

}  // namespace

Outcome run_sweep_command(const Options& options) {
  if (already_finished(options)) {
    spdlog::info("{} is there, and nothing is left to do", options.sweep.resume);
    return {};
  }
  // Delivery is after the end of this function, and the journal is to outlive it.
  const auto sweep = std::make_shared<SweepRun>(options);
  Outcome outcome = sweep->run();
  if (outcome.delivered) outcome.delivered = [sweep, then = outcome.delivered] { then(); };
  return outcome;
}

}  // namespace poet::cli
