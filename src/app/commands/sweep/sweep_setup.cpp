// From the command line of `sweep` to a sweep that is ready to run. The difficult part is --resume,
// which has two cases. FILE.partial is there: the sweep was stopped, and goes on with it. Only FILE
// is there: the sweep was finished, and goes on with other settings from FILE.request.

#include "app/commands/sweep/sweep_setup.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/command_paths.hpp"
#include "app/question_options.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "runs/load_grid.hpp"

namespace poet::cli {
namespace {

void refuse_together(bool a, const char* option, bool b, const char* other) {
  if (a && b) throw InputError(option, fmt::format("found with {}; expected only one", other));
}

void check_combinations(const SweepArguments& arguments) {
  const bool resume = !arguments.resume.empty();
  const bool collect = !arguments.collect.empty();
  refuse_together(arguments.dry_run, "--dry-run", collect, "--collect");
  refuse_together(arguments.request.min_ram, "--min-ram", arguments.dry_run, "--dry-run");
  refuse_together(arguments.request.min_ram, "--min-ram", collect, "--collect");
  refuse_together(arguments.request.min_ram, "--min-ram",
                  arguments.request.settings.copies != CopyChoice::none, "a search for --copies");
  refuse_together(arguments.request.min_ram, "--min-ram", !arguments.request.schedules.empty(),
                  "--schedules");
  refuse_together(arguments.request.min_ram, "--min-ram", !arguments.request.plot.empty(),
                  "--plot");
  const bool is_other = !arguments.output.empty() && arguments.output != arguments.resume;
  refuse_together(resume, "--resume", is_other, "another --output");
  refuse_together(resume, "--resume", arguments.dry_run, "--dry-run");
  refuse_together(resume, "--resume", collect, "--collect");
  if (arguments.dry_run && arguments.request.schedules.empty()) {
    throw InputError("--dry-run",
                     "found without --schedules DIR, where the commands are to leave "
                     "their files");
  }
}

/// A sweep that goes on has paths from its journal as well.
void check_destinations(const SweepSetup& setup, const SweepArguments& arguments) {
  const SweepRequest& request = setup.request;
  std::vector<UsedPath> paths{
      {.option = "--csv", .path = request.csv, .use = PathUse::writes},
      {.option = "--plot", .path = request.plot, .use = PathUse::writes},
      {.option = "--schedules", .path = request.schedules, .use = PathUse::writes_folder}};
  add_sweep_output(arguments.resume.empty() ? "--output" : "--resume", setup.output, paths);
  for (const std::string& name : parse_names(request.models)) {
    if (name.find('/') != std::string::npos) paths.push_back({.option = "--models", .path = name});
  }
  check_paths(paths);
  const bool solves = !arguments.dry_run && arguments.collect.empty();
  if (solves && arguments.resume.empty()) check_journal(setup.output);
}

/// The request of an interrupted sweep, with the files and manners of this command line.
SweepRequest continued(const SweepRequest& earlier, const SweepArguments& arguments) {
  SweepRequest request = earlier;
  if (!arguments.request.csv.empty()) request.csv = arguments.request.csv;
  if (!arguments.request.plot.empty()) request.plot = arguments.request.plot;
  if (!arguments.request.schedules.empty()) request.schedules = arguments.request.schedules;
  if (arguments.request.format != SweepRequest{}.format) request.format = arguments.request.format;
  request.require_optimal = request.require_optimal || arguments.request.require_optimal;
  return request;
}

/// Copies the settings that a resumed sweep may change; those that are named, or all.
/// Only settings that cannot make a proof wrong may change: how hard to try, and the gap. The table
/// of options states which they are.
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

/// Goes on with the request in FILE.partial or FILE.request. A setting that the command line does
/// not have is taken from the earlier run.
void go_on(SweepSetup& setup, const SweepArguments& arguments) {
  setup.output = arguments.resume;
  with_place("--resume", [&] {
    setup.journal = SweepJournal::reopen(setup.output);
    if (is_finished(setup.output)) setup.journal.expect_result(setup.output);
  });
  const std::optional<JournalContents>& earlier = setup.journal.earlier();
  if (!arguments.has_request) {
    if (!earlier) {
      throw InputError("--resume", fmt::format("there is no '{}' that says what to go on with; "
                                               "expected one, or the whole grid",
                                               journal_path(setup.output)));
    }
    setup.request = continued(earlier->request, arguments);
  }
  if (earlier) copy_changeable(earlier->request.settings, setup.request.settings);
  copy_changeable(arguments.request.settings, setup.request.settings, &arguments.changes);
}

/// What a journal says of an earlier sweep has to suit the grid, if one is stated again.
void expect_same_sweep(SweepRequest request, const SweepJournal& journal) {
  if (!journal.earlier()) return;
  const SweepRequest& earlier = journal.earlier()->request;
  copy_changeable(earlier.settings, request.settings);
  const std::string difference = request_difference(request, earlier);
  if (difference.empty()) return;
  throw InputError("--resume",
                   fmt::format("'{}' belongs to another sweep: {}", journal.path(), difference));
}

}  // namespace

bool already_finished(const SweepArguments& arguments) {
  if (arguments.resume.empty() || !arguments.changes.empty() || !is_finished(arguments.resume)) {
    return false;
  }
  if (!arguments.has_request) return true;
  SweepRequest request = arguments.request;
  spell_out(request);
  load_grid(request);  // states the digests of the models and platforms
  expect_same_sweep(request,
                    with_place("--resume", [&] { return SweepJournal::reopen(arguments.resume); }));
  return true;
}

SweepSetup prepare_sweep(const SweepArguments& arguments) {
  check_combinations(arguments);
  SweepSetup setup{.request = arguments.request, .output = arguments.output};
  spell_out(setup.request);
  if (!arguments.resume.empty()) go_on(setup, arguments);
  setup.grid = load_grid(setup.request);
  check_destinations(setup, arguments);
  expect_same_sweep(setup.request, setup.journal);
  return setup;
}

}  // namespace poet::cli
