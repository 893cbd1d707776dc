// The command that turns the ticks of a board into a model and a platform.
#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kFitFooter =
    "TICKS is CSV with the columns instruction, its number in the program of SCHEDULE, and ticks.\n"
    "Several lines of an instruction, such as of several steps, count by their median. "
    "Computations\n"
    "and transfers need a line; lines of free and move are not used. stderr gets a table of how\n"
    "well a platform fits, op by op.\n"
    "\n"
    "Exit status:\n"
    "  0                               fitted; the files were written\n"
    "  2                               bad usage or input; nothing was written\n"
    "  5                               the schedule is invalid; nothing was written\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve fit ticks.csv s.json --model net.json --ticks-per-second 25e6 --output board\n"
    "  $ poet-solve --model net.json --backward exact --platform board/platform.json \\\n"
    "      --ram-budget chip --runtime-budget 1.5 > again.json";

void add_fit_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.argument("TICKS", options.input_file, "what a board measured, or - for stdin");
  group.argument("SCHEDULE", options.fit.schedule, "the schedule file whose program it ran");
  group.text("--model", options.model, "NAME|FILE", "the model that it was solved for, or -");
  group.number<double>("--ticks-per-second", options.fit.ticks_per_second, "HZ",
                       {.min = 1e-9, .max = 1e18, .expected = "above 0"}, "the clock of the board");
  group.text("--output", options.output, "DIR",
             "write model.json (measured nodes) and platform.json there, both or none");
}

}  // namespace

const CommandSyntax kFitSyntax{.command = Command::fit,
                               .name = "fit",
                               .summary = "fit a model and a platform to what a board measured",
                               .footer = kFitFooter,
                               .add_options = add_fit_options,
                               .error_document = false};

}  // namespace poet::cli
