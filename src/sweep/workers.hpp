#pragma once

#include <functional>
#include <optional>
#include <string>

#include "poet/solve.hpp"

namespace poet {

/// Tasks, by number, that are worked on in processes of their own.
struct WorkerTasks {
  /// A task that may start now; nothing where all others wait for running ones, or none is left.
  std::function<std::optional<int>()> next;
  /// In the child: does the task and returns its answer as text.
  std::function<std::string(int task, const std::function<void(const Progress&)>& progress)> work;
  std::function<void(int task, const Progress&)> progress;
  std::function<void(int task, const std::string& answer)> answered;
  /// Its process ended without an answer, or with an exception: `reason` says how.
  std::function<void(int task, const std::string& reason)> failed;
  std::function<bool()> interrupted;  ///< polled; true kills what runs
};

/// Runs tasks, up to `jobs` at a time, until none is left or it is interrupted.
void run_workers(int jobs, const WorkerTasks& tasks);

}  // namespace poet
