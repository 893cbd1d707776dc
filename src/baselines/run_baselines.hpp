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

/// Runs every method with the budgets of every point, and replays what it makes. Results come by
/// point, methods in the order of the list. `poet` runs first if it is listed: its bound is that of
/// all, else it is the baseline's energy. A schedule that breaks a rule or needs less than the
/// bound fails its row.
std::vector<BaselineResult> run_baselines(const SweepGrid& grid,
                                          const std::vector<SweepPoint>& points,
                                          const BaselineOptions& options);

}  // namespace poet
