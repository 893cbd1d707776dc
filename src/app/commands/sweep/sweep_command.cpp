// The command `sweep`: its options and its help. What runs is in sweep_steps.cpp, and how a command
// line becomes a sweep in sweep_setup.cpp: --resume alone has more cases than all other options
// together.

#include <algorithm>
#include <memory>
#include <vector>

#include "app/command.hpp"
#include "app/commands/sweep/sweep_steps.hpp"
#include "app/question_options.hpp"

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
  2                               bad usage or input, or results could not be written
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

/// Whether an option describes what to solve, or a setting that a resumed sweep cannot change.
/// With any such option, the whole grid is taken from the command line and has to be the one of the
/// journal, never a mixture.
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
             "continue the sweep that was to write FILE, from FILE.partial; the grid may be left "
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
  add_paging_options(app, request.paging_time, request.storage);
  add_model_options(app, request.model, kWhatToSolve);
  add_copies_option(app, request.settings.copies, request.copies_file);
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
