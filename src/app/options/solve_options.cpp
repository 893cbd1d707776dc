#include "app/options/command_syntax.hpp"
#include "app/options/technique_options.hpp"

namespace poet::cli {
namespace {

constexpr const char* kSolveFooter =
    "Exit status:\n"
    "  0                               a schedule was written\n"
    "  1                               internal error or crash\n"
    "  2                               bad usage or input\n"
    "  3                               proven: no schedule exists\n"
    "  4                               a limit was reached before any schedule was found\n"
    "  5                               --require-optimal was not met\n"
    "  130                             interrupted before there was a proof\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve --model resnet18_cifar --platform m4 --ram-budget 737719 --runtime-budget 1.5\n"
    "      Train ResNet-18 on a Cortex-M4 in 720 KiB, in at most 1.5x the time of one pass.\n"
    "  $ poet-solve --model bert --platform a72 --ram-budget 60% --runtime-budget 2 --effort "
    "proof\n"
    "      Train BERT on a Raspberry Pi in 60 % of the RAM that keeping everything takes, proven\n"
    "      exactly, however long that takes.\n"
    "  $ poet-solve verify schedule.json\n"
    "      Replay a schedule file against the rules, with code that shares nothing with the\n"
    "      solver.\n"
    "  $ poet-solve plot schedule.json --output schedule.svg\n"
    "      Draw RAM over time, and when every tensor is kept, recomputed and paged.";

/// A switch that is on unless `off` is given; both cannot be.
void add_switch(CLI::App& app, const char* on, const char* off, bool& value,
                const std::string& what) {
  CLI::Option* allow = app.add_flag_callback(
      on, [&value] { value = true; }, "allow " + what + " (the default)");
  allow->group(kWhatToSolve);
  app.add_flag_callback(
         off, [&value] { value = false; }, "forbid " + what)
      ->group(kWhatToSolve)
      ->excludes(allow);
}

}  // namespace

void add_technique_options(CLI::App& app, Options& options) {
  add_switch(app, "--paging", "--no-paging", options.paging, "paging to storage");
  add_switch(app, "--remat", "--no-remat", options.remat, "recomputation");
}

void add_problem_options(CLI::App& app, Options& options) {
  OptionGroup problem(app, kWhatToSolve);
  problem.text("--model", options.model, "NAME|FILE",
               "built-in model (--list-models), model file, or - for stdin");
  problem.text("--platform", options.platform, "NAME|FILE",
               "built-in platform (--list-platforms), platform file, or - for stdin; not needed "
               "for a model with measured costs");
  problem.text(
      "--ram-budget", options.ram_budget, "SIZE",
      "bytes, or with a suffix (K M G as in ls -h, KiB MiB GiB, kB MB GB); 60% or 0.6 of the "
      "peak RAM without recomputation and paging; min: the smallest that works; chip: the "
      "platform's RAM");
  problem.text("--runtime-budget", options.runtime_budget, "T",
               "a multiple of the time to compute every node once (1.5 or 1.5x), or absolute "
               "(12.5s, 800ms); --paging-time says whether transfers count");
  add_technique_options(app, options);
}

namespace {

void add_solve_options(CLI::App& app, Options& options) {
  add_problem_options(app, options);
  add_objective(app, options.settings);
  OptionGroup(app, kWhatToSolve)
      .flag("--count-parameters", options.count_parameters,
            "the RAM budget holds parameters, optimizer state and the platform's reserve as well; "
            "without, tensors only");
  add_network_options(app, options, "Of an ONNX network");
  add_setting_options(app, options);
  OptionGroup(app, kHowHard)
      .text("--warm-start", options.warm_start, "FILE",
            "a schedule file of the same graph, such as one for a smaller budget, to start from");
  OptionGroup output(app, kWhatToWrite);
  output.text("--output", options.output, "FILE", "write the JSON there, whole or not at all");
  output.flag("--replace", options.replace,
              "let a run that ends without a schedule replace one that FILE holds");
  output.flag("--compact", options.compact, "JSON on one line");
  output.text("--plot-directory", options.plot_directory, "DIR",
              "write the layer graph (DOT, and SVG if Graphviz is installed) and a picture of the "
              "schedule into this directory");
  output.text("--export-model", options.export_model, "FILE",
              "write the MILP as .mps or .lp for another solver, then solve");
  output.flag("--no-solve", options.no_solve,
              "end after --export-model, with exit status 0 and nothing on stdout");
  output.flag("--print-graph-info", options.print_graph_info, "table of the nodes on stderr");
  output.flag("--print-power-costs", options.print_power_costs,
              "table of each node's energy and time on stderr");
  OptionGroup lists(app, "Lists, on stdout");
  lists.flag("--list-models", options.list_models, "built-in models, with their sizes");
  lists.flag("--list-platforms", options.list_platforms, "built-in platforms, with their figures");
  lists.flag("--list-ops", options.list_ops,
             "ops of model files, with their attributes and defaults");
  lists.flag("--json", options.json, "lists as JSON");
}

}  // namespace

const CommandSyntax kSolveSyntax{.command = Command::solve,
                                 .name = "solve",
                                 .summary = "solve one problem; may be left out",
                                 .footer = kSolveFooter,
                                 .add_options = add_solve_options,
                                 .error_document = true};

void add_common_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.flag("-q,--quiet", options.quiet, "only errors on stderr");
  group.flag("-v,--verbose", options.verbose, "more on stderr");
  group.text("--log-file", options.log_file, "FILE", "write the log there as well");
}

}  // namespace poet::cli
