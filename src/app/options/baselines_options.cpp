#include "app/options/command_syntax.hpp"
#include "app/options/technique_options.hpp"

namespace poet::cli {
namespace {

/// What `baselines` gives each method that searches.
constexpr Seconds kSecondsPerMethod = 60;

constexpr const char* kBaselinesFooter =
    "Every method is run with every pair of budgets, and what it makes is replayed like any "
    "schedule.\n"
    "The result is one JSON line per method and budgets on stdout; a table is on stderr. Methods:\n"
    "keep-all, chen-sqrt, chen-greedy, treeverse, page-all, capuchin-like, dtr-like, checkmate,\n"
    "paging-only, pofo and poet; docs/baselines.md names their papers. A method without a "
    "schedule\n"
    "within the budgets, or that does not apply to the graph, is a line like the others. With\n"
    "--no-paging or --no-remat, methods that need what is forbidden do not apply.\n"
    "\n"
    "Exit status:\n"
    "  0                               every method was run\n"
    "  1                               a schedule breaks a rule or needs less than the proven "
    "bound,\n"
    "                                  or an internal error\n"
    "  2                               bad usage or input; nothing was run or written\n"
    "  130                             interrupted; finished lines are written\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve baselines --model vgg16_cifar --platform m4 --ram-budget 50%,60%,80% "
    "--runtime-budget 2\n"
    "      All methods with three RAM budgets.\n"
    "  $ poet-solve baselines --model resnet18 --platform a72 --ram-budget 40%..100%:4 "
    "--runtime-budget 2 --methods capuchin-like,poet --schedules runs\n"
    "      Two of them, with every schedule as a file for verify, plot and compare.";

void add_baselines_options(CLI::App& app, Options& options) {
  options.settings.time_limit_seconds = kSecondsPerMethod;
  SweepArguments& sweep = options.sweep;
  OptionGroup what(app, kWhatToSolve);
  what.list("--model,--models", sweep.models, "LIST",
            "built-in models and model files; all: every built-in one");
  what.list("--platform,--platforms", sweep.platforms, "LIST",
            "built-in platforms and platform files, likewise; not needed for models with measured "
            "costs");
  what.text("--ram-budget", sweep.ram_budget, "LIST",
            "RAM budgets as for a single solve, and ranges as for a sweep");
  what.text("--runtime-budget", sweep.runtime_budget, "LIST",
            "runtime budgets as for a single solve, and ranges as for a sweep");
  what.text("--methods", options.baselines.methods, "LIST", "the methods to run; all: every one");
  add_technique_options(app, options);
  add_setting_options(app, options);
  OptionGroup results(app, kWhatToWrite);
  results.text("--output", options.output, "FILE", "write the lines there, whole or not at all");
  results.text("--schedules", sweep.schedules, "DIR",
               "write the schedule file of every method that keeps to the budgets into this "
               "directory");
}

}  // namespace

const CommandSyntax kBaselinesSyntax{
    .command = Command::baselines,
    .name = "baselines",
    .summary = "run the methods of other papers on the same problems, for comparison",
    .footer = kBaselinesFooter,
    .add_options = add_baselines_options,
    .error_document = false};

}  // namespace poet::cli
