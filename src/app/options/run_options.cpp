// The command that runs a schedule.
#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kRunFooter =
    "Computes the training step of SCHEDULE in float32, in a block of exactly the RAM that it "
    "needs,\n"
    "pages through a file, and computes the same step unscheduled. Every gradient has to be the "
    "same,\n"
    "bit by bit. stdout gets losses, digests of gradients, RAM, bytes paged and times as JSON.\n"
    "\n"
    "Exit status:\n"
    "  0                               all gradients, losses and parameters are equal\n"
    "  2                               bad usage or input, or a page file that fails; nothing was\n"
    "                                  written\n"
    "  5                               something differs, or the schedule is invalid\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve --model ds_cnn --platform m4 --ram-budget 60% --runtime-budget 2 > s.json\n"
    "  $ poet-solve run s.json --model ds_cnn --check > run.json";

void add_run_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  RunSettings& run = options.run;
  group.argument("SCHEDULE", options.input_file,
                 "a schedule file with an exact backward pass, or - for stdin");
  group.text("--model", options.model, "NAME|FILE", "the model that it was solved for, or -");
  group.number<int>("--steps", run.steps, "N", {.min = 1, .expected = "at least 1"},
                    "training steps, all with the same data");
  RunArguments& with = options.run_with;
  group.text("--parameters", with.parameters, "FILE.npz",
             "take all parameters from arrays of these names, such as conv1.weight");
  group.repeated("--input", with.inputs, "[NAME=]FILE",
                 "take the input from a .npy file, or from raw float32 or int32 numbers; again for "
                 "each of several inputs");
  group.repeated("--target", with.targets, "[LOSS=]FILE",
                 "likewise what the loss is compared with, if it names no input");
  group.number<std::uint64_t>("--seed", run.seed, "N", {},
                              "seed of parameters and data that no file gives");
  group.text("--storage", run.storage, "FILE",
             "page to this file or device, which is overwritten; default: a temporary file");
  group.flag("--fsync", run.sync, "each page-out waits until the device has it");
  group.flag("--check", run.check, "fill memory that is not in use with signalling NaNs");
  group.text(
      "--profile", with.profile, "DIR",
      "run it again and again, and write measured costs there: model.json and platform.json");
  group.text("--output", options.output, "FILE", "write the JSON there, whole or not at all");
}

}  // namespace

const CommandSyntax kRunSyntax{
    .command = Command::run,
    .name = "run",
    .summary = "run a schedule on real tensors, and compare its gradients",
    .footer = kRunFooter,
    .add_options = add_run_options,
    .error_document = false};

}  // namespace poet::cli
