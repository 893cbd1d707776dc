#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "execute/data_set.hpp"
#include "execute/given_data.hpp"
#include "step/training_step.hpp"

namespace poet {

/// Files with the data of a run.
struct RunFiles {
  std::string parameters;            ///< a .npz file
  std::vector<std::string> inputs;   ///< FILE or NAME=FILE
  std::vector<std::string> targets;  ///< likewise
  std::vector<std::string> data;     ///< all samples of a training: FILE or NAME=FILE
};

/// Reads a .npz file with the parameters of a step. Throws InputError, with `option`, for anything
/// that does not fit the step.
void read_parameters(const char* option, const std::string& path, const TrainingStep& step,
                     GivenData& given);

/// The arrays of a checkpoint; nothing if the file does not exist. Throws InputError.
std::optional<std::vector<NamedArray>> read_checkpoint(const char* option, const std::string& path,
                                                       const TrainingStep& step);

/// Reads the files of --parameters, --input and --target. Throws InputError, with the option and
/// the file, for anything that does not fit the step.
GivenData read_run_data(const RunFiles& files, const TrainingStep& step);

/// Reads the files of --data: a name is one of an input or of a loss. Without names, the first file
/// is for the only input and the second for the only target. Throws InputError, with the option and
/// the file, for anything that does not fit the step or the other files.
DataSet read_data_set(const std::vector<std::string>& words, const TrainingStep& step,
                      std::int64_t batch_size);

}  // namespace poet
