#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/process/child.hpp"
#include "base/process/child_process.hpp"
#include "base/process/packer.hpp"

namespace poet {

// A call in a child process sends reports and then its result, by their tables of fields
// (base/fields.hpp).

/// What a call in a child process came to: a result, a stop, or a failure.
template <typename Result>
struct ChildAnswer {
  std::optional<Result> result;
  bool stopped = false;    ///< by the caller or the clock, before the result
  bool unstarted = false;  ///< a failure: the call never began
  std::string failure;     ///< "killed by signal 11 (Segmentation fault)", if there is neither
};

enum class CallMessage { report, result };

/// The child's side: `work` is given a function for reports, and returns the result.
template <typename Report, typename Result, typename Work>
ChildWork call_in_child(Work work) {
  return [work = std::move(work)](const std::function<void(const Message&)>& send) {
    const auto send_as = [&](CallMessage kind, const auto& content) {
      Packer packer;
      packer.put(kind);
      pack(packer, content);
      send(packer.message());
    };
    const Result result = work([&](const Report& now) { send_as(CallMessage::report, now); });
    send_as(CallMessage::result, result);
  };
}

/// The caller's side of one call.
template <typename Report, typename Result>
class CallReceiver {
 public:
  /// Takes a message in. Returns the report if it is one, and keeps the result otherwise, after
  /// `check`. Throws MalformedMessage.
  std::optional<Report> take(const Message& message,
                             const std::function<void(const Result&)>& check) {
    Unpacker unpacker(message);
    const CallMessage kind = unpacker.get_enum(CallMessage::result);
    order_.take(kind == CallMessage::result);
    if (kind == CallMessage::report) {
      std::optional<Report> report(std::in_place);
      unpack(unpacker, *report);
      unpacker.finish();
      return report;
    }
    unpack(unpacker, result_.emplace());
    unpacker.finish();
    check(*result_);
    return std::nullopt;
  }

  /// What the call came to, once its process has ended.
  ChildAnswer<Result> answer(const ChildExit& exit) {
    ChildAnswer<Result> answer;
    if (!exit.clean && !exit.killed) {
      answer.unstarted = exit.unstarted;
      answer.failure = exit.message;
      return answer;
    }
    answer.result = std::move(result_);
    if (answer.result) return answer;
    answer.stopped = exit.killed;
    if (exit.clean) answer.failure = "gave no answer";
    return answer;
  }

 private:
  ResultOnce order_;
  std::optional<Result> result_;
};

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
