#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/process/call_messages.hpp"
#include "base/process/child_process.hpp"
#include "poet/error.hpp"
#include "poet/solve.hpp"
#include "question/fields.hpp"

namespace poet {

/// Tasks, by number, that are worked on in processes of their own.
template <typename Answer>
struct ChildTasks {
  /// A task that may start now; nothing if all others wait for running ones, or none is left.
  std::function<std::optional<int>()> next;
  /// In the child: does the task and returns its answer.
  std::function<Answer(int task, const std::function<void(const Progress&)>& progress)> work;
  std::function<void(int task, const Progress&)> progress;
  std::function<void(int task, Answer answer)> answered;
  /// Its process ended without an answer, or with an exception: `reason` says how.
  std::function<void(int task, const std::string& reason)> failed;
  std::function<bool()> interrupted;  ///< polled; true kills what runs
};

/// How the work on a task ended. A child has to send what an exception said, as it ends with it.
template <typename Answer>
struct TaskEnd {
  std::optional<Answer> answer;
  std::string failure;
};
template <typename Answer>
inline constexpr auto kFields<TaskEnd<Answer>> =
    kMembers<&TaskEnd<Answer>::answer, &TaskEnd<Answer>::failure>;

/// Runs tasks, up to `jobs` at a time, until none is left or it is interrupted.
/// The loop starts what may start, then waits for any message or end: all state stays with the
/// caller, who is called from this one process and needs no locks.
template <typename Answer>
void run_child_tasks(int jobs, const ChildTasks<Answer>& tasks) {
  using End = TaskEnd<Answer>;
  const auto stopping = [&] { return tasks.interrupted && tasks.interrupted(); };
  ChildPool pool(jobs);
  std::map<int, CallReceiver<Progress, End>> receivers;
  const auto start = [&](int task) {
    pool.start(task, call_in_child<Progress, End>([&tasks, task](const auto& report) -> End {
                 try {
                   return {.answer = tasks.work(task, report), .failure = {}};
                 } catch (const std::exception& error) {
                   return {.answer = {}, .failure = error.what()};
                 }
               }));
  };
  const auto on_message = [&](int task, const Message& message) {
    const auto progress = receivers[task].take(message, [](const End&) {});
    if (progress && tasks.progress) tasks.progress(task, *progress);
  };
  const auto on_end = [&](int task, const ChildExit& exit) {
    ChildAnswer<End> end = receivers[task].answer(exit);
    receivers.erase(task);
    // A signal to the whole process group ends workers too: they have not crashed.
    if (stopping()) return;
    if (!end.result) {
      tasks.failed(task, exit.clean ? "its process ended without an answer"
                                    : "its process was " + exit.message);
    } else if (!end.result->answer) {
      tasks.failed(task, end.result->failure);
    } else {
      tasks.answered(task, std::move(*end.result->answer));
    }
  };
  while (!stopping()) {
    while (!pool.full()) {
      const std::optional<int> task = tasks.next();
      if (!task) break;
      try {
        start(*task);
      } catch (const InternalError& error) {
        // The system has no process left now; it may have one for the next point.
        tasks.failed(*task, error.what());
      }
    }
    if (pool.empty()) return;
    pool.wait(on_message, on_end);
  }
}

}  // namespace poet
