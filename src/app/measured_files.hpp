#pragma once

#include <optional>
#include <string>

#include "measure/fit_step.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// Fits a model and a platform to the times of a schedule's instructions. What was not measured is
/// the board's; without a board, the schedule's platform has it, if it can be found as it was.
/// `how` goes into the provenance. With `intervals`, the platform states between which ends its
/// rates lie, by the spread of the times.
StepFit fit_schedule(const ScheduleFile& file, const Model& model, const InstructionTimes& times,
                     const PageTimes& page_times, const std::optional<Platform>& board,
                     const std::string& how, bool intervals = false);

/// Prints on stderr how well the platform fits, op by op.
void print_fit(const StepFit& fit);

/// Writes model.json and platform.json, both or none, and makes the folder. Throws InputError with
/// the option.
void write_fit(const StepFit& fit, const char* option, const std::string& folder);

}  // namespace poet::cli
