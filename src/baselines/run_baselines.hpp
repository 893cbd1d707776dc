#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "baselines/method.hpp"
#include "poet/schedule_file.hpp"
#include "poet/sweep.hpp"
#include "poet/units.hpp"
#include "sweep/rows.hpp"

namespace poet {

/// One method with one pair of budgets as a line of a comparison. See docs/baselines.md.
struct BaselineRow {
  enum class Status {
    feasible,        ///< its schedule keeps to both budgets
    infeasible,      ///< its schedule does not, or the method has none within them
    not_applicable,  ///< the method is not for this graph
    unknown,         ///< a limit was reached before any schedule was found
    failed,          ///< its schedule is not valid, or needs less than what is proven
  };

  int point = 0;  ///< of the grid of budgets
  std::string method;
  Status status = Status::unknown;
  /// Whether the status is proven for all schedules with the method's techniques: a feasible one to
  /// be optimal, an infeasible one to be without any. Absent for methods that prove nothing.
  std::optional<bool> proven;
  RowProblem problem;
  double requested_gap = 0;
  Joules baseline_energy_joules = 0;
  Bytes baseline_peak_ram_bytes = 0;
  /// Of the schedule, also of one that exceeds the budgets. The bound is for those within them.
  std::optional<Summary> summary;
  std::string parameter;  ///< what the method chose
  std::string source;     ///< its paper
  std::string changes;    ///< what is not as the paper has it
  std::optional<std::string> schedule_file;
  std::string reason;
  Seconds wall_seconds = 0;
};

/// A method's answer: its row and, if it keeps to the budgets, its schedule file without offsets.
struct BaselineResult {
  BaselineRow row;  ///< everything but the name of the schedule's file
  std::optional<ScheduleFile> file;
};

/// How methods are run.
struct BaselineOptions {
  std::vector<Method> methods;  ///< each once
  SolveSettings settings;       ///< the time limit counts per method
  std::function<void(int point, Method)> started;
  std::function<void(int point, Method, const Progress&)> progress;  ///< of a solve
  std::function<void(int point, const BaselineResult&)> finished;
  std::function<bool()> interrupted;  ///< polled; true ends it with what is finished
};

/// What `min` comes to, by subject, in the given order of nodes; nothing if it was interrupted.
/// Throws InternalError if a search fails.
std::optional<std::vector<Bytes>> find_smallest(const SweepGrid& grid,
                                                const SolveSettings& settings,
                                                const std::function<bool()>& interrupted);

/// Runs every method at every point, with that point's budgets, and replays the schedules. Returns
/// the results point by point, and within a point in the order of `methods`.
///
/// If `poet` is listed it runs last, from the best schedule of the others, so that it is above none
/// of them. Its lower bound becomes the bound of all methods at that point; otherwise that bound is
/// the baseline's energy. `poet_ordered` runs after it; a bound is about one order of the nodes,
/// and a method in another one has the baseline's energy and what it proves itself. So all methods
/// at a point are reported as finished together. A row has failed if its schedule breaks a rule
/// that is about no budget, or needs less energy than the bound. A point's techniques are what
/// methods may use: a method that needs more does not apply, and `poet` does with them.
std::vector<BaselineResult> run_baselines(const SweepGrid& grid,
                                          const std::vector<SweepPoint>& points,
                                          const BaselineOptions& options);

}  // namespace poet
