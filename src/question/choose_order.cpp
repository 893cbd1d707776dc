// The search over orders, and the solve in the order that it finds, share one time limit by halves:
// the search judges an order by a short search for schedules, and proves nothing. What can be said
// of all orders is little. A computation needs its inputs, its output and its workspace at once in
// any order, and one pass takes the same time in each; only these two make a problem infeasible
// here. That the given order has no schedule says nothing about others.

#include "question/choose_order.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "poet/simulate.hpp"
#include "question/any_choice.hpp"
#include "question/watched_order.hpp"
#include "solver/least_runtime.hpp"
#include "solver/order/order_working_set.hpp"

namespace poet {
ChosenSubject choose_order(const Subject& given, const Limits& limits,
                           const SolveSettings& settings, const AnswerOptions& options) {
  const Stopwatch watch;
  Problem problem{.graph = given.graph, .limits = limits};
  const bool is_timed = settings.objective == Objective::runtime;
  if (is_timed) problem = with_times_as_energies(std::move(problem));
  OrderSearchOptions search{.seed = settings.seed,
                            .start_order = options.start_order,
                            .start = options.start,
                            .effort = effort_of_choice(settings)};
  if (options.interrupted) search.stop = options.interrupted;
  if (settings.time_limit_seconds > 0) search.seconds = kChoiceShare * settings.time_limit_seconds;
  const Joules base = baseline(problem.graph).energy_joules;
  search.improved = [&](const NodeOrder&, const Schedule&, Joules energy) {
    if (!options.progress) return;
    options.progress({.phase = "orders",
                      .elapsed_seconds = watch.elapsed(),
                      .incumbent_joules = energy,
                      .bound_joules = base,
                      .baseline_joules = base,
                      .objective = is_timed ? Objective::runtime : Objective::energy});
  };
  WatchedOrder watched = search_order_watched(problem, precedence(given), search, search_order);
  FoundOrder& found = watched.found;
  ChosenSubject chosen{.subject = found.order.empty() ? given : reordered(given, found.order),
                       .start = std::move(found.schedule),
                       .failure = std::move(watched.failure)};
  if (!is_timed) chosen.given_energy_joules = found.given_energy_joules;
  chosen.wall_seconds = watch.elapsed();
  return chosen;
}

// The time of one pass is the same in every order.
std::optional<SolveResult> infeasible_in_any_order(const Subject& given, const Limits& limits) {
  return infeasible_with_any_choice(given, given.graph, limits, "in any order of the nodes");
}

SolveResult unknown_in_other_orders(const Subject& given, const SolveResult& infeasible) {
  return {.status = Status::unknown,
          .reason = fmt::format("no schedule was found in the orders that were tried; in the given "
                                "order there is none: {}",
                                infeasible.reason),
          .smallest_ram_bytes = OrderWorkingSet(given.graph).of_any_order(),
          .interrupted = infeasible.interrupted,
          .statistics = infeasible.statistics};
}

}  // namespace poet
