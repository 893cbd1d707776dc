#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kImportSolutionFooter =
    "SOLUTION is a file of CBC (solution FILE), glpsol (-w FILE), HiGHS (its option\n"
    "solution_file) or Gurobi (ResultFile=FILE.sol). Give the same options as for the\n"
    "export: the exported file has to be about the same graph, budgets and techniques. The "
    "schedule is\n"
    "replayed, and its lower bound is the baseline's energy: what the other solver claims is not\n"
    "taken over.\n"
    "\n"
    "Exit status:\n"
    "  0                               a schedule was written\n"
    "  2                               bad usage or input, or a solution that is no schedule\n"
    "\n"
    "Examples:\n"
    "  $ p=(--model linear --platform m4 --ram-budget 3500 --runtime-budget 2)\n"
    "  $ poet-solve \"${p[@]}\" --export-model x.mps --no-solve\n"
    "  $ cbc x.mps solve solution x.sol\n"
    "  $ poet-solve import-solution x.sol --exported x.mps \"${p[@]}\" > x.json\n"
    "  $ poet-solve \"${p[@]}\" --warm-start x.json\n"
    "      Prove it, or find a better one.";

void add_import_solution_options(CLI::App& app, Options& options) {
  OptionGroup(app).argument("SOLUTION", options.input_file,
                            "another solver's solution of an exported model, or - for stdin");
  OptionGroup(app, "What was solved")
      .text("--exported", options.exported, "FILE",
            "the file that --export-model wrote and the other solver read");
  add_problem_options(app, options);
  add_settings_without_search(app, options);
  OptionGroup output(app, kWhatToWrite);
  output.text("--output", options.output, "FILE", "write the JSON there, whole or not at all");
  output.flag("--compact", options.compact, "JSON on one line");
}

}  // namespace

const CommandSyntax kImportSolutionSyntax{
    .command = Command::import_solution,
    .name = "import-solution",
    .summary = "turn another solver's solution of an exported model into a schedule",
    .footer = kImportSolutionFooter,
    .add_options = add_import_solution_options,
    .error_document = true};

}  // namespace poet::cli
