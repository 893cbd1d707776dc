#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/load_step.hpp"
#include "app/measured_files.hpp"
#include "app/run_data.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "execute/run_schedule.hpp"
#include "formats/write_run.hpp"
#include "measure/profile.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (std::filesystem::equivalent(path, other, error)) return true;
  return std::filesystem::weakly_canonical(path, error) ==
         std::filesystem::weakly_canonical(other, error);
}

/// Pages are written over whatever the file holds.
void check_storage(const Options& options) {
  if (options.run.storage.empty()) return;
  const std::pair<const char*, std::string> others[] = {
      {"SCHEDULE", options.input_file}, {"--model", options.model}, {"--output", options.output}};
  for (const auto& [name, path] : others) {
    if (path.empty() || !is_same_file(options.run.storage, path)) continue;
    throw InputError("--storage",
                     fmt::format("found {}, the same file as {}; expected one of its own, as pages "
                                 "are written over it",
                                 shown_source(options.run.storage), name));
  }
}

void check_run_input(const Options& options) {
  check_one_stdin(options, "SCHEDULE");
  require_option(options.model, "--model", "the model that the schedule was solved for");
  check_destination("--output", options.output);
  check_storage(options);
  check_folder("--profile", options.run_with.profile);
  if (!options.run_with.profile.empty() && options.model == "-") {
    throw InputError("--profile", "found --model -, which can be read only once; expected a file");
  }
}

void report_run(const RunResult& result, const std::string& name) {
  for (const GradientResult& gradient : result.gradients) {
    if (gradient.is_equal) continue;
    spdlog::error("{}: the gradient of '{}' differs from that of the unscheduled step", name,
                  printable(gradient.name));
  }
  if (!result.has_equal_losses) spdlog::error("{}: the loss differs", name);
  if (!result.has_equal_parameters) spdlog::error("{}: the trained parameters differ", name);
  if (!result.equal()) return;
  const std::size_t count = result.gradients.size();
  spdlog::info("{}: {} gradient{} equal to the unscheduled step's, bit by bit; {} of RAM, {} paged",
               name, count, count == 1 ? "" : "s", format_bytes(result.arena_bytes),
               format_bytes(result.page_out_bytes + result.page_in_bytes));
}

/// Measures what the run has shown to be right.
void write_profile(const Options& options, const RunSettings& settings, const ScheduleFile& file,
                   const TrainingStep& step, const GivenData& given) {
  const InstructionTimes times =
      profile_program(step, file.graph, file.program, file.model.alignment, settings, given);
  const StepFit fit = fit_schedule(file, load_scheduled_model(options, file), times,
                                   time_page_file(file.graph, settings), "run --profile");
  if (!options.quiet) print_fit(fit);
  write_fit(fit, "--profile", options.run_with.profile);
}

}  // namespace

Outcome run_run(const Options& options) {
  check_run_input(options);
  const std::string name = shown_source(options.input_file);
  const ScheduleFile file = parse_schedule_file(read_file(options.input_file), options.input_file);
  expect_training_step(file, name);
  const TrainingStep step = load_step(options, file);
  if (!is_sound(file, name, "nothing was run")) return {.code = ExitCode::requirement};
  const GivenData given = read_run_data(options.run_with, step);
  RunSettings settings = options.run;
  settings.paging_time = file.request.limits.paging_time;
  const RunResult result =
      run_schedule(step, file.graph, file.program, file.model.alignment, settings, given);
  report_run(result, name);
  if (result.equal() && !options.run_with.profile.empty()) {
    write_profile(options, settings, file, step, given);
  }
  return {.code = result.equal() ? ExitCode::ok : ExitCode::requirement,
          .document = run_json(file, options.run, result),
          .output = options.output};
}

}  // namespace poet::cli
