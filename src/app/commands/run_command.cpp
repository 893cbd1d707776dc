// The command `run` computes the step of a schedule on real tensors and compares it, bit by bit,
// with the same step without a schedule. So it finds what a replay cannot: an edge that the graph
// lacks, or a kernel that writes over what it still reads. A difference is a bug of the schedule,
// the offsets or this program, and ends with the status of an invalid schedule. Both steps run in
// this process, one after the other, so their times on stdout are of one machine under one load.
// The document is written even if something differs, as its digests say which layer to look at;
// measured costs are not, since times of a program that computes something else are of no use.

#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/measured_files.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "execute/run_schedule.hpp"
#include "formats/write_list.hpp"
#include "measure/profile.hpp"
#include "poet/error.hpp"
#include "runs/load_step.hpp"
#include "runs/run_data.hpp"

namespace poet::cli {
namespace {

constexpr const char* kRunHelp =
    R"(Computes the training step of SCHEDULE in float32, in a block of exactly the RAM that it needs,
pages through a file, and computes the same step unscheduled. Every gradient has to be the same,
bit by bit. stdout gets losses, digests of gradients, RAM, bytes paged and times as JSON.

Exit status:
  0                               all gradients, losses and parameters are equal
  2                               bad usage or input, or a page file that fails; nothing was
                                  written
  5                               something differs, or the schedule is invalid

Examples:
  $ poet-solve --model ds_cnn --platform m4 --ram-budget 60% --runtime-budget 2 > s.json
  $ poet-solve run s.json --model ds_cnn --check > run.json)";

struct RunArguments {
  std::string schedule;
  std::string model;
  RunSettings settings;
  RunFiles files;
  std::string profile;  ///< the folder for measured costs
  std::string output;
};

/// Pages are written over everything that the file holds.
void check_storage(const RunArguments& arguments) {
  const std::string& storage = arguments.settings.storage;
  if (storage.empty()) return;
  const std::pair<const char*, std::string> others[] = {{"SCHEDULE", arguments.schedule},
                                                        {"--model", arguments.model},
                                                        {"--output", arguments.output}};
  for (const auto& [name, path] : others) {
    if (path.empty() || !is_same_file(storage, path)) continue;
    throw InputError("--storage",
                     fmt::format("found {}, the same file as {}; expected one of its own, as pages "
                                 "are written over it",
                                 shown_source(storage), name));
  }
}

void check_run_input(const RunArguments& arguments) {
  check_one_stdin("SCHEDULE", {arguments.schedule, arguments.model});
  require_option(arguments.model, "--model", "the model that the schedule was solved for");
  check_destination("--output", arguments.output);
  check_storage(arguments);
  check_folder("--profile", arguments.profile);
  if (!arguments.profile.empty() && arguments.model == "-") {
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
  spdlog::info("{}: {} equal to the unscheduled step's, bit by bit; {} of RAM, {} paged", name,
               counted(result.gradients.size(), "gradient"), format_bytes(result.arena_bytes),
               format_bytes(result.page_out_bytes + result.page_in_bytes));
}

ExitCode run(const RunArguments& arguments, bool quiet) {
  check_run_input(arguments);
  const std::string name = shown_source(arguments.schedule);
  const ScheduleFile file = parse_schedule_file(read_file(arguments.schedule), arguments.schedule);
  expect_training_step(file, name);
  const TrainingStep step = with_place("--model", [&] { return load_step(arguments.model, file); });
  if (!is_sound(file, name, "nothing was run")) return ExitCode::requirement;
  const GivenData given = read_run_data(arguments.files, step);
  RunSettings settings = arguments.settings;
  settings.paging_time = file.request.limits.paging_time;
  const Bytes alignment = file.model.alignment;
  const RunResult result = run_schedule(step, file.graph, file.program, alignment, settings, given);
  report_run(result, name);
  if (result.equal() && !arguments.profile.empty()) {
    // What has been shown to be right is measured.
    const StepFit fit = fit_schedule(
        file, with_place("--model", [&] { return load_scheduled_model(arguments.model, file); }),
        profile_program(step, file.graph, file.program, alignment, settings, given),
        time_page_file(file.graph, settings), "run --profile");
    if (!quiet) print_fit(fit);
    write_fit(fit, "--profile", arguments.profile);
  }
  return deliver(run_json(file, arguments.settings, result), arguments.output,
                 result.equal() ? ExitCode::ok : ExitCode::requirement);
}

Run add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  OptionGroup group(app);
  RunSettings& run_settings = arguments->settings;
  group.argument("SCHEDULE", arguments->schedule,
                 "a schedule file with an exact backward pass, or - for stdin");
  group.text("--model", arguments->model, "NAME|FILE", "the model that it was solved for, or -");
  group.number<int>("--steps", run_settings.steps, "N", {.min = 1, .expected = "at least 1"},
                    "training steps, all with the same data");
  RunFiles& files = arguments->files;
  group.text("--parameters", files.parameters, "FILE.npz",
             "take all parameters from arrays of these names, such as conv1.weight");
  group.repeated("--input", files.inputs, "[NAME=]FILE",
                 "take the input from a .npy file, or from raw float32 or int32 numbers; again for "
                 "each of several inputs");
  group.repeated("--target", files.targets, "[LOSS=]FILE",
                 "likewise what the loss is compared with, if it names no input");
  group.number<std::uint64_t>("--seed", run_settings.seed, "N", {},
                              "seed of parameters and data that no file gives");
  group.text("--storage", run_settings.storage, "FILE",
             "page to this file or device, which is overwritten; default: a temporary file");
  group.flag("--fsync", run_settings.sync, "each page-out waits until the device has it");
  group.flag("--check", run_settings.check, "fill memory that is not in use with signalling NaNs");
  group.text(
      "--profile", arguments->profile, "DIR",
      "run it again and again, and write measured costs there: model.json and platform.json");
  group.text("--output", arguments->output, "FILE", "write the JSON there, whole or not at all");
  return [arguments](Session& session) { return run(*arguments, session.quiet); };
}

}  // namespace

extern const Command kRun{.name = "run",
                          .summary = "run a schedule on real tensors, and compare its gradients",
                          .footer = kRunHelp,
                          .add = add_run};

}  // namespace poet::cli
