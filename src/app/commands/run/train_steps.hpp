#pragma once

#include "app/commands/run/run_arguments.hpp"
#include "poet/exit_code.hpp"
#include "poet/schedule_file.hpp"
#include "step/training_step.hpp"

namespace poet::cli {

/// Says on stderr whether a schedule computes what the unscheduled step computes.
void report_run(const RunResult& result, const std::string& name);

/// Trains over the samples of --data: a line on stdout, or in --output, for each epoch, and a
/// checkpoint after it. A forward pass computes them once, and has one line. An interrupt ends it
/// between two steps; what an unfinished epoch has done is lost. Throws InputError, naming the
/// option.
ExitCode train(const RunArguments& arguments, const ScheduleFile& file, TrainingStep& step,
               const GivenData& given, const RunSettings& settings);

}  // namespace poet::cli
