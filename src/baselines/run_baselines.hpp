#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "baselines/method.hpp"
#include "baselines/rows.hpp"
#include "poet/schedule_file.hpp"
#include "poet/sweep.hpp"

namespace poet {

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

/// Runs every method at every point, with that point's budgets, and replays the schedules. Returns
/// the results point by point, and within a point in the order of `methods`.
///
/// If `poet` is listed it runs last, from the best schedule of the others, so that it is above none
/// of them. Its lower bound becomes the bound of all methods at that point; otherwise that bound is
/// the baseline's energy. So all methods at a point are reported as finished together. A row has
/// failed if its schedule breaks a rule that is about no budget, or needs less energy than the bound.
/// A point's techniques are what methods may use: a method that needs more does not apply, and `poet`
/// does with them.
std::vector<BaselineResult> run_baselines(const SweepGrid& grid,
                                          const std::vector<SweepPoint>& points,
                                          const BaselineOptions& options);

}  // namespace poet
