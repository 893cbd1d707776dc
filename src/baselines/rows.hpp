#pragma once

#include <optional>
#include <string>

#include "poet/schedule_file.hpp"
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

}  // namespace poet
