#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "base/process/call_messages.hpp"
#include "poet/units.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// Runs what reports bounds in a process of its own, which ends `seconds` later at the latest, and
/// returns its result; with this process it has so much memory. A bound that was reported counts
/// even if nothing else came back. `progress` gets the best bound so far, and ends the process by
/// returning false.
template <typename Result, typename Work, typename Check>
Result bound_in_child(Work work, Check check, Seconds seconds, Bytes memory_bytes,
                      const std::function<bool(double)>& progress) {
  double bound = -kInfinity;
  ChildCall<double, Result> call;
  call.work = std::move(work);
  call.on_report = [&](double now) {
    bound = std::max(bound, now);
    return progress(bound);
  };
  call.check = std::move(check);
  call.on_tick = [&] { return progress(bound); };
  call.seconds = seconds;
  call.memory_bytes = memory_bytes;
  const ChildAnswer<Result> answer = call.run();
  Result result = answer.result.value_or(Result{});
  result.bound = std::max(result.bound, bound);
  if (answer.stopped && bound > -kInfinity) result.status = Result::Status::bounded;
  return result;
}

}  // namespace poet
