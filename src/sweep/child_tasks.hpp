#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/process/pack_fields.hpp"
#include "poet/error.hpp"
#include "poet/solve.hpp"

namespace poet {

/// Tasks, by number, that are worked on in processes of their own.
struct ChildTasks {
  /// A task that may start now; nothing if all others wait for running ones, or none is left.
  std::function<std::optional<int>()> next;
  /// In the child: does the task and returns its answer, in any bytes.
  std::function<std::string(int task, const std::function<void(const Progress&)>& progress)> work;
  std::function<void(int task, const Progress&)> progress;
  std::function<void(int task, const std::string& answer)> answered;
  /// Its process ended without an answer, or with an exception: `reason` says how.
  std::function<void(int task, const std::string& reason)> failed;
  std::function<bool()> interrupted;  ///< polled; true kills what runs
};

/// Runs tasks, up to `jobs` at a time, until none is left or it is interrupted.
void run_child_tasks(int jobs, const ChildTasks& tasks);

/// An answer in bytes, and the way back, which throws InputError for anything malformed.
template <typename Answer>
std::string pack_answer(const Answer& answer) {
  const Message message = packed(answer);
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

template <typename Answer>
Answer unpack_answer(const std::string& bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  try {
    return unpacked<Answer>(Message(begin, begin + bytes.size()));
  } catch (const MalformedMessage& error) {
    throw InputError("answer", std::string("malformed: ") + error.what());
  }
}

}  // namespace poet
