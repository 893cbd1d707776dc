// The search over orders, in a process of its own for the same reasons as a solve
// (watched_solve.cpp). Each report is of a better schedule, with its order. What the parent has at
// the end begins a solve, which replays it.

#include "question/watched_order.hpp"

#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/process/call_messages.hpp"
#include "base/process/shared_flag.hpp"
#include "poet/error.hpp"
#include "question/fields.hpp"
#include "question/watched_solve.hpp"
#include "solver/work.hpp"

namespace poet {

template <>
inline constexpr auto kFields<FoundOrder> =
    kMembers<&FoundOrder::order, &FoundOrder::schedule, &FoundOrder::energy_joules,
             &FoundOrder::given_energy_joules>;

namespace {

/// An order of another graph, or none, is no content of a message.
void check_order(const FoundOrder& found, const Graph& graph) {
  if (found.order.empty()) return;
  try {
    inverse(found.order);
  } catch (const InputError& error) {
    throw MalformedMessage(error.what());
  }
  if (found.order.size() != graph.nodes.size()) throw MalformedMessage("an order of other nodes");
}

}  // namespace

WatchedOrder search_order_watched(const Problem& problem, const Precedence& precedence,
                                  const OrderSearchOptions& options, const OrderFunction& work) {
  SharedFlag stop;
  FoundOrder best;
  const Countdown clock(options.seconds);
  std::optional<Countdown> grace;
  ChildCall<FoundOrder, FoundOrder> call;
  call.work = [&](const std::function<void(const FoundOrder&)>& report) {
    OrderSearchOptions inside = options;
    inside.stop = [&stop] { return stop.raised(); };
    inside.improved = [&](const NodeOrder& order, const Schedule& schedule, Joules energy) {
      report({.order = order, .schedule = schedule, .energy_joules = energy});
    };
    return work(problem, precedence, inside);
  };
  call.check = [&](const FoundOrder& found) { check_order(found, problem.graph); };
  call.on_report = [&](const FoundOrder& found) {
    call.check(found);
    best = found;
    if (options.improved) options.improved(best.order, *best.schedule, best.energy_joules);
    return true;
  };
  call.on_tick = [&] {
    if (options.stop()) stop.raise();
    if (!grace && (stop.raised() || clock.expired())) grace.emplace(kWatchGrace);
    return !grace || !grace->expired();
  };
  call.seconds = std::numeric_limits<Seconds>::infinity();  // on_tick decides
  call.role = ChildRole::stand_in;
  ChildAnswer<FoundOrder> answer = call.run();
  if (answer.unstarted) return {.found = work(problem, precedence, options), .failure = {}};
  if (answer.result) return {.found = std::move(*answer.result), .failure = {}};
  const std::string how = answer.failure.empty() ? "did not end in time" : answer.failure;
  return {.found = std::move(best),
          .failure = fmt::format("the process of the search for an order failed ({})", how)};
}

}  // namespace poet
