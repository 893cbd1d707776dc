#pragma once

#include <optional>
#include <string>

#include "app/question_options.hpp"
#include "execute/run_result.hpp"
#include "runs/run_data.hpp"

namespace poet::cli {

/// Where the numbers of a run go, as .npz files.
struct ArrayFiles {
  std::string parameters;
  std::string gradients;
  std::string outputs;

  bool empty() const { return parameters.empty() && gradients.empty() && outputs.empty(); }
};

/// What the options about training over epochs say.
struct TrainArguments {
  std::optional<int> epochs;
  std::optional<std::int64_t> batch;
  std::optional<float> rate;
  bool no_shuffle = false;
  std::string order;  ///< a .npy file
  std::string checkpoint;
};

struct RunArguments {
  std::string schedule;
  std::string model;
  ImportRequest network;
  RunSettings settings;
  RunFiles files;
  ArrayFiles arrays;
  TrainArguments train;
  std::string profile;  ///< the folder for measured costs
  std::string output;

  bool has_data() const { return !files.data.empty(); }
};

/// Throws InputError, naming the option, for options that contradict each other, for an output that
/// cannot be written, and for one that is the file of another option.
void check_run_arguments(const RunArguments& arguments);

/// Throws InputError, naming the option, for one that a forward pass has no use for: it trains
/// nothing, and computes each sample once.
void check_forward(const RunArguments& arguments);

/// Throws InputError if a training over data has no number of epochs.
void check_epochs(const RunArguments& arguments);

/// Writes the files that were asked for. Throws InputError, naming the option.
void write_arrays(const ArrayFiles& files, const RunArrays& arrays);

}  // namespace poet::cli
