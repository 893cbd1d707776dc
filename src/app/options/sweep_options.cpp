#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kSweepFooter =
    "Points are solved from loose limits to tight ones: a schedule that is optimal under looser\n"
    "limits and fits tighter ones is optimal there too, and a bound holds for tighter limits as\n"
    "well. The result is one JSON line per point on stdout; a table and the progress are on "
    "stderr.\n"
    "Lists are separated by commas; models and platforms may also be several words. A range\n"
    "FIRST..LAST:COUNT has COUNT budgets at equal distances, its ends included; min is the\n"
    "smallest RAM budget that works, chip the RAM of the platform.\n"
    "\n"
    "Exit status:\n"
    "  0                               every point is solved or proven infeasible\n"
    "  1                               the process of a point crashed, or an internal error\n"
    "  2                               bad usage or input; nothing was solved or written\n"
    "  4                               a point is unknown\n"
    "  5                               --require-optimal, and a point is not proven\n"
    "  130                             interrupted; finished points are kept\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve sweep --models bert --platforms m4 --ram-budget min..100%:16 "
    "--runtime-budget 3\n"
    "      Energy over RAM, from what just works to what holds everything.\n"
    "  $ poet-solve sweep GRID --output curve.jsonl --plot curve.svg\n"
    "      Any such grid, into a file and as a picture; and after a crash:\n"
    "  $ poet-solve sweep --resume curve.jsonl\n"
    "  $ poet-solve sweep GRID --techniques both,remat,paging,none --jobs 2\n"
    "      What recomputation and paging are worth, alone and together.\n"
    "  $ poet-solve sweep --models bert,vgg16 --platforms m0,m4,a72 --runtime-budget 2 --min-ram\n"
    "      The smallest RAM in which each model trains on each board, and the node that decides "
    "it.\n"
    "  $ poet-solve sweep GRID --schedules runs --dry-run | parallel\n"
    "  $ poet-solve sweep GRID --collect runs > curve.jsonl\n"
    "      The same grid as single solves, on as many machines as there are.";

void add_grid(CLI::App& app, SweepArguments& sweep) {
  OptionGroup group(app, kWhatToSolve);
  group.list("--models,--model", sweep.models, "LIST",
             "built-in models and model files, as in nets/*.json; all: every built-in one");
  group.list("--platforms,--platform", sweep.platforms, "LIST",
             "built-in platforms and platform files, likewise; not needed for models with measured "
             "costs");
  group.text("--ram-budget", sweep.ram_budget, "LIST",
             "RAM budgets as for a single solve, and ranges: 25%..100%:16, 256K..2M:12, "
             "min..100%:16, min..chip:8");
  group.text("--runtime-budget", sweep.runtime_budget, "LIST",
             "runtime budgets as for a single solve, and ranges: 1.5..3:4");
  group.text("--techniques", sweep.techniques, "LIST",
             "what schedules may use: both, remat, paging, none");
  group.flag("--min-ram", sweep.min_ram,
             "find the smallest RAM budget instead of solving given ones, and the node that "
             "decides it");
}

void add_running(CLI::App& app, Options& options) {
  SweepArguments& sweep = options.sweep;
  OptionGroup group(app, kHowToRun);
  group.number<int>("--jobs", sweep.jobs, "N", {.min = 1, .max = 256, .expected = "1 to 256"},
                    "points solved at the same time");
  group.text("--resume", sweep.resume, "FILE",
             "go on with the sweep that was to write FILE, from FILE.partial; the grid may be left "
             "out, or has to be the same. With another --time-limit-s, --effort or --gap, also if "
             "FILE is finished: what is proven stays, the rest is solved again");
  group.flag("--dry-run", sweep.dry_run,
             "print the single solves instead, as commands for a shell, one per line");
  group.text("--collect", sweep.collect, "DIR",
             "take the results of those commands from DIR instead of solving");
  group.flag("--baselines", options.baselines.of_sweep,
             "run the methods of the command baselines with every budget instead of solving; "
             "--time-limit-s is for each of them");
  group.text("--methods", options.baselines.methods, "LIST", "which of them; all: every one");
}

void add_results(CLI::App& app, Options& options) {
  OptionGroup group(app, kWhatToWrite);
  SweepArguments& sweep = options.sweep;
  group.text("--output", options.output, "FILE",
             "write the lines there, whole or not at all; FILE.partial keeps finished points "
             "meanwhile");
  group.choice("--format", sweep.format, {"jsonl", "csv"}, "of --output or stdout");
  group.text("--csv", sweep.csv, "FILE", "write a table there as well");
  group.text("--plot", sweep.plot, "FILE", "write the curves there as SVG, as plot draws them");
  group.text("--schedules", sweep.schedules, "DIR",
             "write each point's schedule file into this directory");
}

void add_sweep_options(CLI::App& app, Options& options) {
  add_grid(app, options.sweep);
  add_setting_options(app, options);
  add_running(app, options);
  add_results(app, options);
}

}  // namespace

const CommandSyntax kSweepSyntax{
    .command = Command::sweep,
    .name = "sweep",
    .summary = "solve a grid of budgets, platforms, models and techniques in one go",
    .footer = kSweepFooter,
    .add_options = add_sweep_options,
    .error_document = false};

}  // namespace poet::cli
