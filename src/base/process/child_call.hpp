#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/process/child_process.hpp"
#include "base/process/pack_fields.hpp"

namespace poet {

/// What a call in a child process came to: a result, a stop, or a failure.
template <typename Result>
struct ChildAnswer {
  std::optional<Result> result;
  bool stopped = false;  ///< by the caller or the clock, before the result
  std::string failure;   ///< "killed by signal 11 (Segmentation fault)", if there is neither
};

/// A function that runs in a child process, and what its caller does with the news. Reports and the
/// result travel by their tables of fields (base/fields.hpp).
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

  /// Never throws for a child that fails. Messages that come after the result, or that cannot be
  /// read, make the answer a failure.
  ChildAnswer<Result> run() const;
};

template <typename Report, typename Result>
ChildAnswer<Result> ChildCall<Report, Result>::run() const {
  enum class Kind { report, result };
  const auto message = [](Kind kind, const auto& content) {
    Packer packer;
    packer.put(kind);
    pack(packer, content);
    return packer.message();
  };
  const auto child = [&](const std::function<void(const Message&)>& send) {
    const Result result = work([&](const Report& now) { send(message(Kind::report, now)); });
    send(message(Kind::result, result));
  };
  ChildAnswer<Result> answer;
  ResultOnce order;
  const auto receive = [&](const Message& received) {
    Unpacker unpacker(received);
    const Kind kind = unpacker.get_enum(Kind::result);
    order.take(kind == Kind::result);
    if (kind == Kind::report) {
      Report report;
      unpack(unpacker, report);
      unpacker.finish();
      return on_report(report);
    }
    unpack(unpacker, answer.result.emplace());
    unpacker.finish();
    check(*answer.result);
    return true;
  };
  const ChildExit exit = run_in_child(child, receive, on_tick, seconds);
  if (!exit.clean && !exit.killed) {
    answer.result.reset();
    answer.failure = exit.message;
  } else if (!answer.result) {
    answer.stopped = exit.killed;
    if (exit.clean) answer.failure = "gave no answer";
  }
  return answer;
}

}  // namespace poet
