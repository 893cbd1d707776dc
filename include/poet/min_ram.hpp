#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "poet/sweep.hpp"

namespace poet {

/// A search for the smallest RAM budget.
struct MinRamTask {
  int subject = 0;
  RuntimeBudget runtime;  ///< as stated
  Limits limits;          ///< in absolute terms; the RAM budget has no meaning
};

/// What is known of the tasks, by task.
using MinRams = std::vector<std::optional<MinRam>>;

/// One task per subject, set of techniques and runtime budget, in the order of the grid.
std::vector<MinRamTask> min_ram_tasks(const SweepGrid& grid);

/// The tasks that decide what `min` is: per subject the largest runtime budget with `both`, or,
/// if the grid is without it, with each of its sets.
std::vector<MinRamTask> loosest_tasks(const SweepGrid& grid);

/// What `min` is, by subject: the smallest budget at which one of the tasks has a schedule; the
/// working set if none has.
std::vector<Bytes> smallest_ram(const SweepGrid& grid, const std::vector<MinRamTask>& tasks,
                                const MinRams& found);

/// How the searches are run; as in SweepOptions.
struct MinRamOptions {
  SolveOptions solve;  ///< its time limit counts per task
  int jobs = 1;
  MinRams known;  ///< of tasks that are searched again, by task: where to begin; may be empty
  std::function<void(int task)> started;
  std::function<void(int task, const MinRam&)> finished;
  std::function<bool()> interrupted;
};

/// Finds the smallest budget of each task in a process of its own, tasks that allow more first: the
/// working set if a schedule reaches it, else by bisection with solves that end in a schedule,
/// whose peak becomes the new upper end, or in a proof of infeasibility. Tasks that are known
/// already are left alone. True when every task is finished, false when it was interrupted.
bool run_min_ram(const SweepGrid& grid, const std::vector<MinRamTask>& tasks,
                 const MinRamOptions& options, MinRams& found);

}  // namespace poet
