// A point of a sweep as answer() answers it alone, but for what its neighbours know: the order to
// begin with, and bounds. Whether a bound helps is known only once an order is found.

#include "sweep/solve_in_some_order.hpp"

#include <algorithm>
#include <utility>

#include "question/choose_order.hpp"
#include "question/watched_solve.hpp"
#include "sweep/solve_point.hpp"

namespace poet {

SweepOutcome solve_in_some_order(const Subject& given, const Limits& limits,
                                 const SolveOptions& options,
                                 const std::optional<OrderedSchedule>& start,
                                 const BoundOfOrder& bound_of) {
  AnswerOptions search{.progress = options.progress, .interrupted = options.interrupted};
  if (start) {
    search.start = start->schedule;
    search.start_order = start->order;
  }
  ChosenSubject chosen = choose_order(given, limits, options.settings, search);
  SolveOptions rest = options;
  rest.start = std::move(chosen.start);
  const bool is_found = rest.start.has_value();
  rest.known_bound_joules =
      std::max(rest.known_bound_joules, bound_of(chosen.subject.order_sha256()));
  Seconds& limit = rest.settings.time_limit_seconds;
  limit = rest_of_limit(limit, chosen.wall_seconds);
  SweepOutcome outcome{.given_order_energy_joules = chosen.given_energy_joules};
  outcome.result =
      solve_watched({.graph = chosen.subject.graph, .limits = limits}, rest, solve_point);
  if (chosen.subject.chosen) outcome.order = chosen.subject.chosen->order;
  if (!is_found && outcome.result.status == Status::infeasible) {
    outcome.given_order = Status::infeasible;
    outcome.result = unknown_in_other_orders(given, outcome.result);
  }
  outcome.result.statistics.heuristic_seconds += chosen.wall_seconds;
  outcome.result.statistics.wall_seconds += chosen.wall_seconds;
  outcome.wall_seconds = outcome.result.statistics.wall_seconds;
  return outcome;
}

}  // namespace poet
