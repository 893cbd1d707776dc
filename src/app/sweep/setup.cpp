#include "app/sweep/setup.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/load_problem.hpp"
#include "app/options/setting_options.hpp"
#include "app/sweep/request.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

void refuse_together(bool a, const char* option, bool b, const char* other) {
  if (a && b) throw InputError(option, fmt::format("found with {}; expected only one", other));
}

void check_combinations(const Options& options) {
  const SweepArguments& sweep = options.sweep;
  const bool resume = !sweep.resume.empty();
  const bool collect = !sweep.collect.empty();
  refuse_together(sweep.dry_run, "--dry-run", collect, "--collect");
  refuse_together(sweep.min_ram, "--min-ram", sweep.dry_run, "--dry-run");
  refuse_together(sweep.min_ram, "--min-ram", collect, "--collect");
  refuse_together(sweep.min_ram, "--min-ram", !sweep.schedules.empty(), "--schedules");
  refuse_together(sweep.min_ram, "--min-ram", !sweep.plot.empty(), "--plot");
  refuse_together(resume, "--resume", !options.output.empty(), "--output");
  refuse_together(resume, "--resume", sweep.dry_run, "--dry-run");
  refuse_together(resume, "--resume", collect, "--collect");
  if (sweep.dry_run && sweep.schedules.empty()) {
    throw InputError("--dry-run",
                     "found without --schedules DIR, where the commands are to leave "
                     "their files");
  }
}

void refuse_same_file(const char* option, const std::string& path, const std::string& other_path,
                      const char* other) {
  if (path.empty() || path != other_path) return;
  throw InputError(option, fmt::format("found the file of {}; expected another one", other));
}

void check_destinations(const SweepSetup& setup, const Options& options) {
  const SweepRequest& request = setup.request;
  check_destination(options.sweep.resume.empty() ? "--output" : "--resume", setup.output);
  check_destination("--csv", request.csv);
  check_destination("--plot", request.plot);
  check_folder("--schedules", request.schedules);
  refuse_same_file("--csv", request.csv, setup.output, "--output");
  refuse_same_file("--plot", request.plot, setup.output, "--output");
  refuse_same_file("--plot", request.plot, request.csv, "--csv");
  const bool solves = !options.sweep.dry_run && options.sweep.collect.empty();
  if (solves && options.sweep.resume.empty()) check_journal(setup.output);
}

/// The request of an interrupted sweep, with what this command line says of files and manners.
SweepRequest continued(const SweepRequest& earlier, const Options& options) {
  SweepRequest request = earlier;
  if (!options.sweep.csv.empty()) request.csv = options.sweep.csv;
  if (!options.sweep.plot.empty()) request.plot = options.sweep.plot;
  if (!options.sweep.schedules.empty()) request.schedules = options.sweep.schedules;
  if (options.sweep.format != SweepRequest{}.format) request.format = options.sweep.format;
  request.require_optimal = request.require_optimal || options.require_optimal;
  return request;
}

/// Copies the settings that a resumed sweep may change; those that are named, or all.
void copy_changeable(const SolveSettings& from, SolveSettings& to,
                     const std::vector<std::string>* names = nullptr) {
  visit_setting_options([&](const auto& option) {
    const bool named =
        names == nullptr || std::find(names->begin(), names->end(), option.name) != names->end();
    if (option.may_change && named) to.*option.member = from.*option.member;
  });
}

/// Whether FILE of --resume is there and FILE.partial is not.
bool is_finished(const std::string& output) {
  std::error_code ignored;
  return std::filesystem::exists(output, ignored) &&
         !std::filesystem::exists(journal_path(output), ignored);
}

/// Goes on with what FILE.partial and FILE say. A setting that the command line does not have is
/// that of the earlier run.
void go_on(SweepSetup& setup, const Options& options) {
  const SweepArguments& sweep = options.sweep;
  setup.output = sweep.resume;
  const bool finished = is_finished(setup.output);
  setup.journal = in_option("--resume", [&] { return SweepJournal::reopen(setup.output); });
  const std::optional<JournalContents>& earlier = setup.journal.earlier();
  if (earlier ? earlier->request.continues.value_or(false) : finished) {
    in_option("--resume", [&] { return setup.finished.emplace(setup.output), 0; });
  }
  std::optional<SweepRequest> before;
  if (earlier) {
    before = earlier->request;
  } else if (setup.finished) {
    before = setup.finished->request();
  }
  if (!sweep.has_request) {
    if (!before) {
      throw InputError("--resume", fmt::format("there is no '{}' that says what to go on with; "
                                               "expected one, or the whole grid",
                                               journal_path(setup.output)));
    }
    setup.request = continued(*before, options);
  }
  if (before) copy_changeable(before->settings, setup.request.settings);
  copy_changeable(options.settings, setup.request.settings, &sweep.changes);
  if (!setup.finished) return;
  refuse_together(setup.request.min_ram, "--min-ram", true,
                  "--resume of a finished sweep of points");
  setup.request.continues = true;
}

/// A journal goes on with the grid that it is of.
void check_earlier(const SweepSetup& setup) {
  const std::optional<JournalContents>& earlier = setup.journal.earlier();
  if (!earlier) return;
  SweepRequest same_effort = setup.request;
  copy_changeable(earlier->request.settings, same_effort.settings);
  const std::string difference = request_difference(same_effort, earlier->request);
  if (difference.empty()) return;
  throw InputError("--resume", fmt::format("'{}' belongs to another sweep: {}",
                                           journal_path(setup.output), difference));
}

}  // namespace

bool already_finished(const Options& options) {
  return !options.sweep.resume.empty() && options.sweep.changes.empty() &&
         is_finished(options.sweep.resume);
}

SweepSetup prepare_sweep(const Options& options) {
  check_combinations(options);
  SweepSetup setup{.request = request_of(options), .output = options.output};
  if (!options.sweep.resume.empty()) go_on(setup, options);
  setup.grid = load_grid(setup.request);
  check_destinations(setup, options);
  check_earlier(setup);
  return setup;
}

}  // namespace poet::cli
