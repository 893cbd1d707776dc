#include "app/sweep/setup.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "app/load_problem.hpp"
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

}  // namespace

bool already_finished(const Options& options) {
  std::error_code ignored;
  return !options.sweep.resume.empty() && std::filesystem::exists(options.sweep.resume, ignored) &&
         !std::filesystem::exists(journal_path(options.sweep.resume), ignored);
}

SweepSetup prepare_sweep(const Options& options) {
  check_combinations(options);
  SweepSetup setup{.request = request_of(options), .output = options.output};
  if (!options.sweep.resume.empty()) {
    setup.output = options.sweep.resume;
    setup.journal = in_option("--resume", [&] { return SweepJournal::reopen(setup.output); });
  }
  const std::optional<JournalContents>& earlier = setup.journal.earlier();
  if (!options.sweep.resume.empty() && !options.sweep.has_request) {
    if (!earlier) {
      throw InputError("--resume", fmt::format("there is no '{}' that says what to go on with; "
                                               "expected one, or the whole grid",
                                               journal_path(setup.output)));
    }
    setup.request = continued(earlier->request, options);
  }
  setup.grid = load_grid(setup.request);
  check_destinations(setup, options);
  if (!earlier) return setup;
  const std::string difference = request_difference(setup.request, earlier->request);
  if (!difference.empty()) {
    throw InputError("--resume", fmt::format("'{}' belongs to another sweep: {}",
                                             journal_path(setup.output), difference));
  }
  return setup;
}

}  // namespace poet::cli
