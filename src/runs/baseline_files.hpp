#pragma once

#include <string>
#include <vector>

#include "baselines/run_baselines.hpp"

namespace poet {

/// Writes the schedule file of every result that has one into this folder, which is created if it
/// is missing: `resnet18-a72-2x-15858982-capuchin-like.json`. Each row names its file as seen from
/// the folder of `output`, or from the working directory if that is empty. Throws InputError if a
/// file cannot be written.
void write_baseline_schedules(std::vector<BaselineResult>& results, const std::string& folder,
                              const std::string& output);

}  // namespace poet
