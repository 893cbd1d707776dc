#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/exit_code.hpp"
#include "poet/min_ram.hpp"
#include "poet/schedule_file.hpp"
#include "poet/sweep.hpp"
#include "sweep/row_fields.hpp"

namespace poet {

// How messages name things.

/// `vgg16_cifar/m4`, or the model alone if it brings its costs.
std::string subject_name(const std::string& model, const std::optional<std::string>& platform);
/// What a name of a point has beside its model, its platform and its RAM budget.
struct NameParts {
  bool techniques = true;
  bool runtime = true;
  bool paging_time = true;
};
/// `vgg16_cifar/m4 both 3x 1024 KiB`
std::string point_name(const SweepRow& row, const NameParts& parts = {});
/// The same of a single solve; empty while its budgets are not known.
std::string problem_name(const ProblemInfo& problem);

/// What the rows of a subject are about.
RowProblem row_problem(const Subject& subject, const Limits& limits, const RuntimeBudget& runtime,
                       const SolveSettings& settings);

/// A finished point: its row, and the schedule file that a single solve of it would have written.
/// Both rest on one replay, so that neither has to be made again for the other.
struct PointResult {
  SweepRow row;  ///< everything but the name of the schedule's file
  std::optional<ScheduleFile> file;
  std::optional<ProblemInfo> problem;  ///< what a file without a schedule is about
};

/// Replays the schedule, if there is one, within the point's limits; throws InternalError if it is
/// not valid.
PointResult make_result(const SweepGrid& grid, const std::vector<SweepPoint>& points, int point,
                        const SweepOutcome& outcome, const SolveSettings& settings);

MinRamRow make_row(const SweepGrid& grid, const std::vector<MinRamTask>& tasks, int task,
                   const MinRam& found, const SolveSettings& settings);

/// The exit status that results lead to: the worst row decides. `infeasible` is an answer like
/// `optimal`.
ExitCode exit_code_of(const std::vector<SweepRow>& rows, bool require_optimal);
ExitCode exit_code_of(const std::vector<MinRamRow>& rows);

/// A schedule file as a row of a sweep.
SweepRow row_of(const ScheduleFile& file);

/// How a row calls a status that a solve or a file has.
SweepRow::Status row_status(Status status);

}  // namespace poet
