// The command `run` computes the step of a schedule on real tensors and compares it, bit for bit,
// with the same step without a schedule. So it finds what a replay cannot: an edge that the graph
// lacks, or a kernel that writes over what it still reads. A difference is a bug of the schedule,
// the offsets or this program, and ends with the status of an invalid schedule. Both steps run in
// this process, one after the other, so their times on stdout are of one machine under one load.
// The document is written even if something differs, as its digests say which layer to look at;
// measured costs are not, since times of a program that computes something else are of no use.

#include <spdlog/spdlog.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/commands/run/run_arguments.hpp"
#include "app/commands/run/train_steps.hpp"
#include "app/load_subject.hpp"
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
#include "report/bank_figures.hpp"
#include "runs/load_step.hpp"
#include "runs/run_data.hpp"

namespace poet::cli {
namespace {

constexpr const char* kRunHelp =
    R"(Computes the training step of SCHEDULE in float32, in a block of exactly the RAM that it needs,
pages through a file, and computes the same step unscheduled. Every gradient has to be the same,
bit for bit. stdout gets losses, digests of gradients, RAM, bytes paged and times as JSON.

With a schedule of --backward none it computes a forward pass in evaluation mode: norms use their
running statistics, nothing is dropped, and the outputs have to be the same.

With --data it trains: one step is compared, then every batch of every epoch is computed by the
schedule alone. stdout gets a line of JSON for each epoch, with its loss and accuracy. A forward
pass computes each batch once, and trains nothing.

Exit status:
  0                               all gradients, outputs, losses and parameters are equal
  2                               bad usage or input, or a page file that fails; nothing was
                                  written
  5                               something differs, or the schedule is invalid; no arrays were
                                  written
  130                             interrupted with --data; the last checkpoint is kept

Examples:
  $ poet-solve --model ds_cnn --platform m4 --ram-budget 60% --runtime-budget 2 > s.json
  $ poet-solve run s.json --model ds_cnn --check > run.json
  $ poet-solve run s.json --model net.json --parameters net.npz --input x.npy --target y.npy \
      --gradients-output gradients.npz > run.json
      The gradients of a network of yours, as numpy.load() reads them.
  $ poet-solve run s.json --model net.json --parameters net.npz --data x.npy y.npy --epochs 10 \
      --rate 0.05 --checkpoint last.npz --parameters-output trained.npz > epochs.jsonl
  $ poet-solve run forward.json --model net.json --parameters trained.npz \
      --data test-x.npy test-y.npy > accuracy.json
      Loss and accuracy of what was trained, by a schedule of --backward none.)";

// Of a gradient that is not finite there is no more to say.
double finite_difference(const GradientResult& gradient) {
  const double difference = gradient.error->relative_difference;
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

/// The gradient that copies change most.
void report_copies(const RunResult& result, const std::string& name) {
  const GradientResult* most = nullptr;
  for (const GradientResult& each : result.gradients) {
    if (!each.error) continue;
    if (most == nullptr || finite_difference(each) > finite_difference(*most)) most = &each;
  }
  if (most == nullptr) return;
  if (most->error->relative_difference == 0) {
    spdlog::info("{}: copies change no gradient", name);
    return;
  }
  spdlog::info(
      "{}: copies change the gradient of '{}' most: relative difference {:.3g}, cosine {:.6g}",
      name, printable(most->name), most->error->relative_difference, most->error->cosine);
}

}  // namespace

void report_run(const RunResult& result, const std::string& name) {
  for (const GradientResult& gradient : result.gradients) {
    if (gradient.is_equal) continue;
    spdlog::error("{}: the gradient of '{}' differs from the unscheduled step's", name,
                  printable(gradient.name));
  }
  for (const OutputResult& output : result.outputs) {
    if (output.is_equal) continue;
    spdlog::error("{}: the output of '{}' differs from the one of the unscheduled pass", name,
                  printable(output.name));
  }
  if (!result.has_equal_losses) spdlog::error("{}: the loss differs", name);
  if (!result.has_equal_parameters) spdlog::error("{}: the trained parameters differ", name);
  if (!result.equal()) return;
  spdlog::info("{}: {} equal to the unscheduled {}'s, bit for bit; {} of RAM, {} paged", name,
               result.is_forward ? counted(result.outputs.size(), "output")
                                 : counted(result.gradients.size(), "gradient"),
               result.is_forward ? "pass" : "step", format_bytes(result.arena_bytes),
               format_bytes(result.page_out_bytes + result.page_in_bytes));
  report_copies(result, name);
}

namespace {

ExitCode run(const RunArguments& arguments, bool quiet) {
  check_run_arguments(arguments);
  const std::string name = shown_source(arguments.schedule);
  const ScheduleFile file = parse_schedule_file(read_file(arguments.schedule), arguments.schedule);
  expect_step(file, name);
  is_forward_pass(file) ? check_forward(arguments) : check_epochs(arguments);
  const NamedText text = model_text(arguments.network, arguments.model);
  TrainingStep step = with_place("--model", [&] { return load_step(text, file); });
  if (!is_sound(file, name, "nothing was run")) return ExitCode::requirement;
  const GivenData given = read_run_data(arguments.files, step);
  RunSettings settings = arguments.settings;
  settings.paging_time = file.request.limits.paging_time;
  settings.banks = used_banks(file);
  settings.keep_arrays = !arguments.arrays.empty();
  if (arguments.has_data()) return train(arguments, file, step, given, settings);
  const Bytes alignment = file.model.alignment;
  const RunResult result = run_schedule(step, file.graph, file.program, alignment, settings, given,
                                        load_step_without_copies(text, file));
  report_run(result, name);
  if (result.equal() && !arguments.profile.empty()) {
    // What has been shown to be right is measured.
    const StepFit fit =
        fit_schedule(file, with_place("--model", [&] { return load_scheduled_model(text, file); }),
                     profile_program(step, file.graph, file.program, alignment, settings, given),
                     time_page_file(file.graph, settings), std::nullopt, "run --profile");
    if (!quiet) print_fit(fit);
    write_fit(fit, "--profile", arguments.profile);
  }
  if (result.equal()) write_arrays(arguments.arrays, result.arrays);
  return deliver(run_json(file, settings, result), arguments.output,
                 result.equal() ? ExitCode::ok : ExitCode::requirement);
}

void add_data_options(CLI::App& app, RunArguments& arguments) {
  OptionGroup group(app, kData);
  RunFiles& files = arguments.files;
  group.text("--parameters", files.parameters, "FILE.npz",
             "take all parameters from arrays of these names, such as conv1.weight");
  group.repeated("--input", files.inputs, "[NAME=]FILE",
                 "take the input from a .npy file, or from raw float32 or int32 numbers; again for "
                 "each of several inputs");
  group.repeated("--target", files.targets, "[LOSS=]FILE",
                 "likewise the target of the loss, unless the loss names an input for it");
  group.text("--parameters-output", arguments.arrays.parameters, "FILE.npz",
             "write all parameters after the last step, under the same names as in --parameters");
  group.text("--gradients-output", arguments.arrays.gradients, "FILE.npz",
             "write the gradients of the last step, under the names of their parameters");
  group.text(
      "--outputs-output", arguments.arrays.outputs, "FILE.npz",
      "write the inputs of the losses of the last step, or the outputs of a forward pass that no "
      "layer reads, under the names of layers");
}

void add_training_options(CLI::App& app, RunArguments& arguments) {
  OptionGroup group(app, kTraining);
  TrainArguments& train = arguments.train;
  group.several("--data", arguments.files.data, "[NAME=]FILE",
                "train with all samples of these files, X.npy of the input and Y.npy of the "
                "target; the first extent counts samples. A forward pass is computed for each");
  group.number<int>("--epochs", train.epochs, "N", {.min = 1, .expected = "at least 1"},
                    "how often each sample is used, the epochs of --checkpoint included");
  group.number<std::int64_t>("--batch", train.batch, "N", {.min = 1, .expected = "at least 1"},
                             "samples in a step: the batch size of the schedule, which is also "
                             "the default");
  group.number<float>("--rate", train.rate, "R",
                      {.min = 0, .max = 1e6F, .expected = "from 0 to 1e6"},
                      "learning rate; without it 0.01, of Adam 0.001");
  group.flag("--no-shuffle", train.no_shuffle,
             "take the samples as they are; else each epoch has an order of its own, by --seed");
  group.text("--order-output", train.order, "FILE.npy",
             "write the samples of each epoch in their order, a row for each");
  group.text("--checkpoint", train.checkpoint, "FILE.npz",
             "write parameters, optimizer and progress there after each epoch, and go on from "
             "there if the file exists");
}

Run add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  OptionGroup group(app);
  RunSettings& run_settings = arguments->settings;
  group.argument("SCHEDULE", arguments->schedule,
                 "a schedule file with an exact backward pass, or with none, or - for stdin");
  group.text("--model", arguments->model, "NAME|FILE", kSolvedModel);
  group.number<int>("--steps", run_settings.steps, "N", {.min = 1, .expected = "at least 1"},
                    "training steps, all with the same data");
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
  add_data_options(app, *arguments);
  add_training_options(app, *arguments);
  add_network_options(app, arguments->network, kOfOnnx);
  return [arguments](Session& session) { return run(*arguments, session.quiet); };
}

}  // namespace

extern const Command kRun{.name = "run",
                          .summary = "run a schedule on real tensors, and compare its gradients",
                          .footer = kRunHelp,
                          .add = add_run};

}  // namespace poet::cli
