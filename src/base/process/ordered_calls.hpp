#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/process/call_messages.hpp"
#include "base/process/child_process.hpp"
#include "poet/error.hpp"
#include "poet/units.hpp"

namespace poet {

/// Calls in child processes, several at the same time, that come to the same as one after the
/// other. Tasks wait in a line of fixed length. The answer of the first is taken, then the next
/// task is drawn, and so on: the order of these steps does not depend on the number of processes
/// or on which of them is faster. The price is that a task is drawn before the answers to the tasks
/// ahead of it are known.
template <typename Task, typename Report, typename Result>
struct OrderedCalls {
  using Answer = ChildAnswer<Result>;

  int processes = 1;       ///< at the same time
  std::size_t length = 1;  ///< of the line; further processes would have nothing to do
  /// The most memory for this process and those at work together (limit_child_memory); 0: no limit.
  Bytes memory_bytes = 0;
  /// With a single process, works in this one: the work needs no protection, and may see what
  /// answers change if it does not matter.
  bool in_place = false;
  /// The next task; nothing if another answer has to be taken first.
  std::function<std::optional<Task>()> draw;
  /// Whether a task can be left out by what is known from the answers taken. Must stay true.
  std::function<bool(const Task&)> needless;
  /// Runs in a child, a copy of this process as it is at some time after the task was drawn. So the
  /// result may depend on the task, and on nothing that answers change.
  std::function<Result(const Task&, const std::function<void(const Report&)>& report)> work;
  /// As in ChildCall.
  std::function<void(const Result&)> check;
  /// Takes a report. Tasks other than the first report at any time before their answer, and may
  /// change nothing but their own task.
  std::function<void(Task&, const Report&, bool is_first)> on_report;
  /// Takes the answer to a task, or nothing if the task was needless; false ends the run.
  std::function<bool(Task&, std::optional<Answer>)> take;
  /// Is called at least every 50 ms; false ends the run.
  std::function<bool()> on_tick;

  /// Returns the tasks, in their order, whose answers were not taken when the run ended. Never
  /// throws for a child that fails or cannot be started: its answer is a failure.
  std::vector<Task> run() const;
};

template <typename Task, typename Report, typename Result>
std::vector<Task> OrderedCalls<Task, Report, Result>::run() const {
  struct Place {
    int number = 0;
    Task task;
    bool started = false;
    CallReceiver<Report, Result> receiver{};
    std::optional<ChildExit> exit{};
  };
  std::deque<Place> line;
  int drawn = 0;
  const int most = static_cast<int>(std::min(static_cast<std::size_t>(processes), length));
  const bool here = in_place && most == 1;
  ChildPool pool(most);
  const auto place_of = [&](int number) -> Place& { return line[number - line.front().number]; };
  const auto fill = [&] {
    while (line.size() < length) {
      std::optional<Task> task = draw();
      if (!task) return;
      line.push_back({.number = drawn++, .task = std::move(*task)});
    }
  };
  const auto start = [&](Place& place) {
    place.started = true;
    try {
      pool.start(place.number, call_in_child<Report, Result>([&](const auto& report) {
                   limit_child_memory(memory_bytes, most);
                   return work(place.task, report);
                 }));
    } catch (const InternalError& error) {
      place.exit = {.message = fmt::format("could not be started: {}", error.what())};
    }
  };
  const auto work_here = [&](Task& task) {
    return Answer{.result = work(task, [&](const Report& now) { on_report(task, now, true); })};
  };
  const auto on_message = [&](int number, const Message& message) {
    Place& place = place_of(number);
    const std::optional<Report> report = place.receiver.take(message, check);
    if (report) on_report(place.task, *report, number == line.front().number);
  };
  const auto on_end = [&](int number, const ChildExit& exit) { place_of(number).exit = exit; };
  fill();
  while (!line.empty() && on_tick()) {
    const bool left_out = needless(line.front().task);
    if (left_out || here || line.front().exit) {
      Place first = std::move(line.front());
      line.pop_front();
      pool.stop(first.number);
      std::optional<Answer> answer;
      if (!left_out) answer = here ? work_here(first.task) : first.receiver.answer(*first.exit);
      if (!take(first.task, std::move(answer))) break;
      fill();
      continue;
    }
    for (Place& place : line) {
      if (pool.full()) break;
      if (!place.started && !needless(place.task)) start(place);
    }
    if (!pool.empty()) pool.wait(on_message, on_end);
  }
  std::vector<Task> left;
  left.reserve(line.size());
  for (Place& place : line) left.push_back(std::move(place.task));
  return left;
}

}  // namespace poet
