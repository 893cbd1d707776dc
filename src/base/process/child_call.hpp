#pragma once

#include <functional>
#include <optional>

#include "base/process/call_messages.hpp"
#include "base/process/child_process.hpp"

namespace poet {

/// A function that runs in a child process, and what its caller does with the news.
template <typename Report, typename Result>
struct ChildCall {
  /// Runs in the child. Any of its threads may report.
  std::function<Result(const std::function<void(const Report&)>& report)> work;
  /// Takes a report, in the caller's process; false stops the call. Throws MalformedMessage for
  /// content that cannot be: everything else from the child is lost then, the reports before apart.
  std::function<bool(const Report&)> on_report;
  /// The same for the result.
  std::function<void(const Result&)> check;
  /// Is called at least every 50 ms; false stops the call.
  std::function<bool()> on_tick;
  Seconds seconds = 0;  ///< of wall clock before the child is killed
  /// The most memory for this process and the child together (limit_child_memory); 0: no limit.
  Bytes memory_bytes = 0;
  ChildRole role = ChildRole::helper;

  /// Never throws for a child that fails. Messages that come after the result, or that cannot be
  /// read, make the answer a failure.
  ChildAnswer<Result> run() const;
};

template <typename Report, typename Result>
ChildAnswer<Result> ChildCall<Report, Result>::run() const {
  CallReceiver<Report, Result> receiver;
  const auto receive = [&](const Message& message) {
    const std::optional<Report> report = receiver.take(message, check);
    return !report || on_report(*report);
  };
  const auto limited = [this](const auto& report) {
    limit_child_memory(memory_bytes);
    return work(report);
  };
  const ChildWork child = call_in_child<Report, Result>(limited);
  return receiver.answer(run_in_child(child, receive, on_tick, seconds, role));
}

}  // namespace poet
