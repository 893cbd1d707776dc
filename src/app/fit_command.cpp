#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/load_step.hpp"
#include "app/measured_files.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_ticks.hpp"
#include "report/fields.hpp"

namespace poet::cli {
namespace {

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

}  // namespace

Outcome run_fit(const Options& options) {
  const FitArguments& arguments = options.fit;
  const std::array all{options.input_file, arguments.schedule, options.model};
  if (std::count(all.begin(), all.end(), "-") > 1) {
    throw InputError("SCHEDULE", "found - twice; stdin can be only one of the files");
  }
  require_option(options.model, "--model", "the model that the schedule was solved for");
  check_folder("--output", options.output);
  const ScheduleFile file = parse_schedule_file(read_file(arguments.schedule), arguments.schedule);
  const std::string name = shown_source(arguments.schedule);
  expect_training_step(file, name);
  if (!is_sound(file, name, "nothing was fitted")) return {.code = ExitCode::requirement};
  const Model model = load_scheduled_model(options, file);
  const InstructionTimes times = seconds_of_ticks(
      parse_ticks(read_file(options.input_file), options.input_file, file.program.size()),
      arguments.ticks_per_second);
  StepFit fit;
  try {
    fit = fit_schedule(file, model, times, {}, "ticks of a board");
  } catch (const InputError& error) {
    throw InputError(shown_source(options.input_file), error.what());
  }
  if (!options.quiet) print_fit(fit);
  spdlog::info("{}: a step takes {}; the schedule predicts {}", name,
               format_seconds(program_seconds(times)),
               format_seconds(file.summary.runtime_seconds));
  if (!options.output.empty()) write_fit(fit, "--output", options.output);
  return {};
}

}  // namespace poet::cli
