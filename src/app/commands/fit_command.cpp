// The command `fit`: the times of a board in the place of the guesses of a platform file. It does
// with ticks what `run --profile` does with the times of this machine, by the same functions
// (measured_files.hpp). Medians stand for all lines of an instruction, as an interrupt on a board
// lengthens single ones. The clock of the board is an option and not a column: a table of ticks is
// what a board can print. The line on stderr compares the whole step with its prediction, where a
// wrong clock shows as a factor.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/measured_files.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_ticks.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "runs/load_step.hpp"

namespace poet::cli {
namespace {

constexpr const char* kFitHelp =
    R"(TICKS is CSV with the columns instruction, its number in the program of SCHEDULE, and ticks.
Several lines of an instruction, such as of several steps, count by their median. Computations
and transfers need a line; lines of free and move are not used. stderr gets a table of how
well a platform fits, op by op.

Exit status:
  0                               fitted; the files were written
  2                               bad usage or input; nothing was written
  5                               the schedule is invalid; nothing was written

Examples:
  $ poet-solve fit ticks.csv s.json --model net.json --ticks-per-second 25e6 --output board
  $ poet-solve --model net.json --backward exact --platform board/platform.json \
      --ram-budget chip --runtime-budget 1.5 > again.json)";

/// `python -m poet.torch --measure` warns of the same.
constexpr double kBusySpread = 0.1;

// A million ticks in a second: a timer that counts microseconds needs no option.
struct FitArguments {
  std::string ticks;
  std::string schedule;
  std::string model;
  std::string board;
  ImportRequest network;
  double ticks_per_second = 1e6;
  std::string output;
  bool intervals = false;
};

/// Ticks are counted by a clock that only the user knows. From here on there are seconds.
InstructionTimes seconds_of_ticks(InstructionTimes ticks, double ticks_per_second) {
  for (std::vector<double>& each : ticks) {
    for (double& value : each) value /= ticks_per_second;
  }
  return ticks;
}

/// What the program takes, transfers and all: a clock that is off by a factor shows here.
Seconds program_seconds(const InstructionTimes& times) {
  return std::accumulate(times.begin(), times.end(), Seconds{0},
                         [](Seconds sum, const std::vector<Seconds>& each) {
                           return each.empty() ? sum : sum + median(each);
                         });
}

/// How far the steps of a table are apart, as a share of their median: line k of each instruction
/// is of step k. A table with other numbers of lines says nothing about steps.
double spread_of_steps(const InstructionTimes& times) {
  std::vector<Seconds> steps;
  for (const std::vector<Seconds>& each : times) {
    if (each.empty()) continue;
    if (steps.empty()) steps.resize(each.size());
    if (steps.size() != each.size()) return 0;
    for (std::size_t k = 0; k < each.size(); ++k) steps[k] += each[k];
  }
  if (steps.empty()) return 0;
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  return *least == *most ? 0 : (*most - *least) / median(steps);
}

/// Nothing is solved and no clock is read here: everything follows from the table of ticks and the
/// schedule that the board ran.
ExitCode fit(const FitArguments& arguments, bool quiet) {
  require_option(arguments.model, "--model", "the model that the schedule was solved for");
  const ScheduleFile file = parse_schedule_file(read_file(arguments.schedule), arguments.schedule);
  const std::string name = shown_source(arguments.schedule);
  expect_training_step(file, name);
  if (!is_sound(file, name, "nothing was fitted")) return ExitCode::requirement;
  const NamedText text = model_text(arguments.network, arguments.model);
  const Model model = with_place("--model", [&] { return load_scheduled_model(text, file); });
  std::optional<Platform> board;
  if (!arguments.board.empty()) {
    board = with_place("--platform", [&] { return load_platform(arguments.board); });
  }
  const InstructionTimes times = seconds_of_ticks(
      parse_ticks(read_file(arguments.ticks), arguments.ticks, file.program.size()),
      arguments.ticks_per_second);
  const StepFit fit = with_place(shown_source(arguments.ticks), [&] {
    return fit_schedule(file, model, times, {}, board, "ticks of a board", arguments.intervals);
  });
  if (!quiet) print_fit(fit);
  if (const double apart = spread_of_steps(times); apart > kBusySpread) {
    spdlog::warn(
        "the times of the same step are {:.0f} % apart: something else ran on the board; measure "
        "while nothing does",
        100 * apart);
  }
  spdlog::info("{}: a step takes {}; the schedule predicts {}", name,
               format_seconds(program_seconds(times)),
               format_seconds(file.summary.runtime_seconds));
  if (!arguments.output.empty()) write_fit(fit, "--output", arguments.output);
  return ExitCode::ok;
}

// Without --output it only prints: how well a platform fits is worth a look before it is kept.
Run add_fit(CLI::App& app) {
  const auto arguments = std::make_shared<FitArguments>();
  OptionGroup group(app);
  group.argument("TICKS", arguments->ticks, "what a board measured, or - for stdin");
  group.argument("SCHEDULE", arguments->schedule, "the schedule file whose program it ran");
  group.text("--model", arguments->model, "NAME|FILE", kSolvedModel);
  group.number<double>("--ticks-per-second", arguments->ticks_per_second, "HZ",
                       {.min = 1e-9, .max = 1e18, .expected = "above 0"}, "the clock of the board");
  group.text(
      "--platform", arguments->board, "NAME|FILE",
      "the board whose sizes, wear and reserve platform.json gets; without it, the platform of "
      "SCHEDULE, if its file is unchanged. SCHEDULE has the powers");
  group.flag("--intervals", arguments->intervals,
             "write intervals of the rates to platform.json: the quartiles of the lines of each "
             "instruction, or the smallest and the largest of fewer than four");
  group.text("--output", arguments->output, "DIR",
             "write model.json (measured nodes) and platform.json there, both or none");
  add_network_options(app, arguments->network, kOfOnnx);
  return [arguments](Session& session) { return fit(*arguments, session.quiet); };
}

}  // namespace

extern const Command kFit{.name = "fit",
                          .summary = "fit a model and a platform to what a board measured",
                          .footer = kFitHelp,
                          .add = add_fit};

}  // namespace poet::cli
