// The part of `run` that trains over epochs. Lines go to stdout when they are there: somebody who
// watches a training for hours wants to see whether it learns. With --output they are one file,
// written whole at the end, or when an interrupt ends the training.

#include "app/commands/run/train_steps.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/terminal/deliver.hpp"
#include "app/terminal/signals.hpp"
#include "arrays/write_arrays.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "execute/train.hpp"
#include "formats/write_list.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

/// Kernels compute a whole batch, of the size that the schedule was solved for.
void check_batch(const TrainArguments& train, const ScheduleFile& file) {
  if (!train.batch || *train.batch == file.model.batch_size) return;
  throw InputError("--batch",
                   fmt::format("found {}; expected {}, the batch size of the schedule: leave the "
                               "option out, or solve again with --batch-size {}",
                               *train.batch, file.model.batch_size, *train.batch));
}

/// Numbers of the seed are fine for one step, and nothing to train with. What is the same in each
/// step may be given.
void check_data(const std::vector<StepData>& wanted,
                const std::map<std::size_t, std::vector<std::uint32_t>>& samples,
                const std::map<std::size_t, std::vector<std::uint32_t>>& given,
                const char* option) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool has_samples = samples.contains(i);
    const std::string name = printable(wanted[i].name);
    if (has_samples && given.contains(i)) {
      throw InputError(option, fmt::format("found a file for '{}', which has one of --data; "
                                           "expected one of them",
                                           name));
    }
    if (has_samples || given.contains(i) || wanted[i].zeros) continue;
    throw InputError("--data", fmt::format("found no samples for '{0}'; expected a file for it, "
                                           "{0}=FILE, or {1} if it is the same in each step",
                                           name, option));
  }
}

/// A run that was stopped after its last checkpoint has no epoch left, but parameters to write. It
/// has no gradients.
void go_on(TrainingRun& run, const TrainArguments& train, const TrainingStep& step,
           bool wants_gradients) {
  if (train.checkpoint.empty()) return;
  const auto found = read_checkpoint("--checkpoint", train.checkpoint, step);
  if (!found) return;
  with_place("--checkpoint", [&] { run.go_on_from(*found, shown_source(train.checkpoint)); });
  const std::int64_t done = run.progress().epochs;
  const std::string place = shown_source(train.checkpoint);
  if (done > *train.epochs || (done == *train.epochs && wants_gradients)) {
    throw InputError(
        "--epochs",
        fmt::format("found {}; expected {} the {} that the checkpoint {} "
                    "has, or another --checkpoint",
                    *train.epochs, wants_gradients ? "more than" : "at least", done, place));
  }
  if (done == *train.epochs) {
    spdlog::info("{}: has all {} epochs", place, done);
  } else {
    spdlog::info("{}: goes on after epoch {}", place, done);
  }
}

/// The rows of the epochs that this run computes.
ArrayToWrite order_array(const TrainingRun& run, std::int64_t epochs) {
  std::vector<std::int64_t> all;
  const std::int64_t first = run.progress().epochs + 1;
  for (std::int64_t epoch = first; epoch <= epochs; ++epoch) {
    const std::vector<std::int64_t> order = run.order_of(epoch);
    all.insert(all.end(), order.begin(), order.end());
  }
  const std::int64_t rows = std::max<std::int64_t>(epochs - first + 1, 0);
  return {.name = "order",
          .shape = {rows, rows > 0 ? static_cast<std::int64_t>(all.size()) / rows : 0},
          .values = std::move(all)};
}

/// Where the lines of epochs go.
class EpochLines {
 public:
  explicit EpochLines(const std::string& output) : output_(output) {}

  /// False if nobody can read it any more.
  bool add(const EpochResult& epoch) {
    if (output_.empty()) return deliver(epoch_json(epoch), output_) == ExitCode::ok;
    lines_ += epoch_json(epoch);
    return true;
  }

  ExitCode finish(ExitCode code) const {
    return output_.empty() ? code : deliver(lines_, output_, code);
  }

 private:
  const std::string& output_;
  std::string lines_;
};

void report_epoch(const EpochResult& epoch, const std::string& what) {
  const std::string accuracy =
      epoch.hits.rows > 0 ? fmt::format(", {} of {} right", epoch.hits.correct, epoch.hits.rows)
                          : std::string();
  spdlog::info("{}: loss {:.6g}{}; {}", what, epoch.loss, accuracy, format_seconds(epoch.seconds));
}

ExitCode run_epochs(TrainingRun& run, const RunArguments& arguments, int epochs) {
  EpochLines lines(arguments.output);
  catch_interrupts();
  while (run.progress().epochs < epochs) {
    const std::optional<EpochResult> epoch = run.run_epoch([] { return interrupted(); });
    if (!epoch) {
      spdlog::warn("interrupted in epoch {} of {}{}", run.progress().epochs + 1, epochs,
                   arguments.train.checkpoint.empty()
                       ? ""
                       : "; the checkpoint has what came before, and the same command goes on");
      return lines.finish(ExitCode::interrupted);
    }
    if (!arguments.train.checkpoint.empty()) {
      with_place("--checkpoint",
                 [&] { write_file(arguments.train.checkpoint, npz_bytes(run.checkpoint())); });
    }
    report_epoch(*epoch, arguments.train.epochs
                             ? fmt::format("epoch {} of {}", epoch->epoch, epochs)
                             : "all batches");
    if (!lines.add(*epoch)) return ExitCode::usage;
  }
  if (!arguments.arrays.empty()) write_arrays(arguments.arrays, run.arrays());
  return lines.finish(ExitCode::ok);
}

}  // namespace

ExitCode train(const RunArguments& arguments, const ScheduleFile& file, TrainingStep& step,
               const GivenData& given, const RunSettings& settings) {
  const TrainArguments& options = arguments.train;
  const std::string name = shown_source(arguments.schedule);
  check_batch(options, file);
  const std::int64_t batch = file.model.batch_size;
  const DataSet data = read_data_set(arguments.files.data, step, batch);
  TrainingRun run = with_place("--data", [&] {
    return TrainingRun(step, file.graph, file.program, file.model.alignment, settings, data, batch,
                       options.epochs && !options.no_shuffle);
  });
  check_data(step.inputs, data.inputs, given.inputs, "--input");
  check_data(step.targets, data.targets, given.targets, "--target");
  run.give(given);
  if (options.rate) run.set_rate(*options.rate);
  go_on(run, options, step, !arguments.arrays.gradients.empty());
  const RunResult compared = run.compare_next_step();
  report_run(compared, name);
  if (!compared.equal()) {
    spdlog::error("{}: nothing was {}", name, options.epochs ? "trained" : "computed");
    return ExitCode::requirement;
  }
  if (!options.order.empty()) {
    with_place("--order-output",
               [&] { write_file(options.order, npy_bytes(order_array(run, *options.epochs))); });
  }
  if (run.steps_of_epoch() * batch != data.samples) {
    spdlog::info("{} samples fill {} batches of {}; {}{} are left out", data.samples,
                 run.steps_of_epoch(), batch, options.epochs ? "in each epoch " : "",
                 data.samples - run.steps_of_epoch() * batch);
  }
  return run_epochs(run, arguments, options.epochs.value_or(1));
}

}  // namespace poet::cli
