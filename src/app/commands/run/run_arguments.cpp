// What can be refused before a schedule is read: an hour of training must not end with a folder
// that does not exist, or with weights where the schedule was.

#include "app/commands/run/run_arguments.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include <fmt/format.h>

#include "app/option_group.hpp"
#include "arrays/write_arrays.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

/// An option that is ignored in silence would be taken for granted.
void check_training(const RunArguments& arguments) {
  const TrainArguments& train = arguments.train;
  const std::pair<const char*, bool> given[] = {
      {"--epochs", train.epochs.has_value()},   {"--batch", train.batch.has_value()},
      {"--rate", train.rate.has_value()},       {"--no-shuffle", train.no_shuffle},
      {"--order-output", !train.order.empty()}, {"--checkpoint", !train.checkpoint.empty()}};
  for (const auto& [option, is_given] : given) {
    if (arguments.has_data() || !is_given) continue;
    throw InputError(option,
                     "found without --data; expected --data X.npy Y.npy, the samples to "
                     "train with");
  }
  if (!arguments.has_data()) return;
  if (arguments.settings.steps != 1) {
    throw InputError("--steps",
                     "found with --data; expected --epochs alone, as the samples and "
                     "the batch say how many steps an epoch has");
  }
  if (!arguments.profile.empty()) {
    throw InputError("--profile", "found with --data; expected one of them");
  }
}

void write_array_file(const char* option, const std::string& path,
                      const std::vector<ArrayToWrite>& arrays) {
  if (path.empty()) return;
  with_place(option, [&] { write_file(path, npz_bytes(arrays)); });
  spdlog::info("{}: {}", printable(path, 400), counted(arrays.size(), "array"));
}

}  // namespace

void check_run_arguments(const RunArguments& arguments) {
  require_option(arguments.model, "--model", "the model that the schedule was solved for");
  if (!arguments.profile.empty() && arguments.model == "-") {
    throw InputError("--profile", "found --model -, which can be read only once; expected a file");
  }
  check_training(arguments);
}

void check_forward(const RunArguments& arguments) {
  const std::pair<const char*, bool> training[] = {
      {"--gradients-output", !arguments.arrays.gradients.empty()},
      {"--epochs", arguments.train.epochs.has_value()},
      {"--rate", arguments.train.rate.has_value()},
      {"--order-output", !arguments.train.order.empty()},
      {"--checkpoint", !arguments.train.checkpoint.empty()}};
  for (const auto& [option, is_given] : training) {
    if (!is_given) continue;
    throw InputError(option,
                     "found with the schedule of a forward pass, which trains nothing; expected a "
                     "schedule that was solved with --backward exact, or no such option");
  }
  if (arguments.has_data() && !arguments.arrays.outputs.empty()) {
    throw InputError("--outputs-output",
                     "found with --data, whose batches have outputs each; expected --input and a "
                     "schedule whose --batch-size takes all samples, or no such option");
  }
}

void check_epochs(const RunArguments& arguments) {
  if (!arguments.has_data() || arguments.train.epochs) return;
  throw InputError("--epochs", "missing; expected a number of epochs beside --data");
}

void write_arrays(const ArrayFiles& files, const RunArrays& arrays) {
  write_array_file("--parameters-output", files.parameters, arrays.parameters);
  write_array_file("--gradients-output", files.gradients, arrays.gradients);
  write_array_file("--outputs-output", files.outputs, arrays.outputs);
}

}  // namespace poet::cli
