#pragma once

#include <string>
#include <vector>

#include "execute/given_data.hpp"
#include "step/training_step.hpp"

namespace poet {

/// Files with the data of a run.
struct RunFiles {
  std::string parameters;            ///< a .npz file
  std::vector<std::string> inputs;   ///< FILE or NAME=FILE
  std::vector<std::string> targets;  ///< likewise
};

/// Reads the files of --parameters, --input and --target. Throws InputError, with the option and
/// the file, for anything that does not fit the step.
GivenData read_run_data(const RunFiles& files, const TrainingStep& step);

}  // namespace poet
