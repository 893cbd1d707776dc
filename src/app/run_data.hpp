#pragma once

#include "app/options.hpp"
#include "execute/given_data.hpp"
#include "step/training_step.hpp"

namespace poet::cli {

/// Reads the files of --parameters, --input and --target. Throws InputError, with the option and
/// the file, for anything that does not fit the step.
GivenData read_run_data(const RunArguments& arguments, const TrainingStep& step);

}  // namespace poet::cli
