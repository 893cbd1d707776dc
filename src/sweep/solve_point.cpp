#include "sweep/solve_point.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "poet/simulate.hpp"
#include "question/choose_copies.hpp"
#include "question/choose_order.hpp"
#include "question/watched_solve.hpp"
#include "solver/search/local_search.hpp"
#include "solver/solve_state.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

// A sweep asks many similar questions, and most answers follow from a good start and a known bound.
// A short search and the root relaxation close most points; only the rest gets a solve with all
// means. Two of the four curves in docs/performance.md take a quarter of the time of separate
// solves, or less. A curve with one hard point takes as long as its separate solves.

/// Moves of the search before anything else: a tenth of what a solve spends.
constexpr std::int64_t kQuickMoves = 100'000;
/// The part of a time limit that they may take.
constexpr double kQuickShare = 0.1;

/// This close to the bound, the relaxation and polishing do the rest. Farther away, a solve of its
/// own needs the better start that many moves find.
constexpr double kNear = 0.01;

/// The work of two solves, with the model sizes of the later one if it had a model.
SolveStatistics added(const SolveStatistics& first, SolveStatistics second) {
  if (second.formulation == "none") {
    second.formulation = first.formulation;
    second.rows = first.rows;
    second.columns = first.columns;
    second.nonzeros = first.nonzeros;
  }
  if (second.bound_by == kGivenBound && !first.bound_by.empty()) second.bound_by = first.bound_by;
  if (first.first_schedule_seconds > 0) {
    second.first_schedule_seconds = first.first_schedule_seconds;
  }
  second.nodes += first.nodes;
  second.heuristic_seconds += first.heuristic_seconds;
  second.build_seconds += first.build_seconds;
  second.milp_seconds += first.milp_seconds;
  second.wall_seconds += first.wall_seconds;
  return second;
}

/// A schedule at once, or after a few moves if that leaves a gap.
std::optional<Schedule> quick_schedule(const Problem& problem, const SolveOptions& options,
                                       Joules bound) {
  const SolveClock clock(kQuickShare * options.settings.time_limit_seconds);
  const Stop stop = [&] {
    return clock.expired() || (options.interrupted && options.interrupted());
  };
  std::optional<Schedule> first = first_schedule(problem, stop);
  if (first) {
    const Joules energy = simulate(problem.graph, *first, problem.limits).energy_joules;
    if (relative_gap(energy, bound) <= options.settings.gap) return first;
  }
  local_search(problem, {.moves = kQuickMoves,
                         .seed = options.settings.seed,
                         .stop = stop,
                         .improved = [&](Schedule better) { first = std::move(better); }});
  return first;
}

/// Where to begin: the best of a quick plan, the given start and what is suggested.
struct Beginning {
  std::optional<Schedule> schedule;
  Joules energy_joules = std::numeric_limits<double>::infinity();
  bool near = false;  ///< within kNear of the bound
};

Beginning begin(const Problem& problem, const SolveOptions& options, Joules base) {
  Beginning beginning;
  const auto offer = [&](const Schedule& schedule) {
    const Replay replay = simulate(problem.graph, schedule, problem.limits);
    if (!replay.valid() || replay.energy_joules >= beginning.energy_joules) return;
    beginning.schedule = schedule;
    beginning.energy_joules = replay.energy_joules;
  };
  const Joules bound = std::max(base, options.known_bound_joules);
  if (options.start) offer(*options.start);
  if (const auto quick = quick_schedule(problem, options, bound)) offer(*quick);
  if (options.suggest) {
    if (const auto suggested = options.suggest(problem)) offer(*suggested);
  }
  beginning.near = beginning.schedule && relative_gap(beginning.energy_joules, bound) <= kNear;
  return beginning;
}

/// A choice of order or copies that begins with the neighbour's.
AnswerOptions choice_from(const std::optional<OrderedSchedule>& start,
                          const SolveOptions& options) {
  AnswerOptions choice{.progress = options.progress, .interrupted = options.interrupted};
  if (!start) return choice;
  choice.start = start->schedule;
  choice.start_order = start->order;
  choice.start_copies = start->copies;
  return choice;
}

/// Solves what was chosen, in the rest of the time: the choice took `seconds`.
SweepOutcome solve_chosen(const Subject& chosen, const Limits& limits, SolveOptions rest,
                          std::optional<Schedule> start, const BoundOfOrder& bound_of,
                          Seconds seconds) {
  rest.start = std::move(start);
  rest.known_bound_joules = std::max(rest.known_bound_joules, bound_of(chosen.order_sha256()));
  Seconds& limit = rest.settings.time_limit_seconds;
  limit = rest_of_limit(limit, seconds);
  SweepOutcome outcome;
  outcome.result = solve_watched({.graph = chosen.graph, .limits = limits}, rest, solve_point);
  outcome.result.statistics.heuristic_seconds += seconds;
  outcome.result.statistics.wall_seconds += seconds;
  outcome.wall_seconds = outcome.result.statistics.wall_seconds;
  return outcome;
}

}  // namespace

// A verdict, and --effort fast, need nothing of this. The glance has no search of its own, as the
// quick one has just run, and what it proves is a bound for the solve after it. The share of time
// that is left shrinks with each part, so that a point keeps its limit.
SolveResult solve_point(const Problem& problem, const SolveOptions& options) {
  const Baseline base = baseline(problem.graph);
  const bool open = instant_verdict(problem, base).kind == Verdict::Kind::open;
  const bool search =
      options.settings.features.local_search && options.settings.effort != Effort::fast;
  if (!open || !search) return solve(problem, options);

  const SolveClock clock(options.settings.time_limit_seconds);
  const Beginning beginning = begin(problem, options, base.energy_joules);
  SolveStatistics spent{.heuristic_seconds = clock.elapsed(), .wall_seconds = clock.elapsed()};
  if (beginning.schedule) spent.first_schedule_seconds = spent.wall_seconds;
  SolveOptions rest = options;
  rest.start = beginning.schedule;
  rest.suggest = nullptr;  // it has been asked
  if (beginning.near) {
    SolveOptions glance = rest;
    glance.settings.effort = Effort::fast;
    glance.settings.features.local_search = false;
    SolveResult first = solve(problem, glance);
    first.statistics = spent = added(spent, first.statistics);
    const bool refined = !options.refine || first.energy_joules <= 0 ||
                         relative_extra_gap(first.energy_joules, first.lower_bound_joules,
                                            base.energy_joules) <= kExtraGap;
    const bool settled =
        (first.status == Status::optimal && refined) || first.status == Status::infeasible;
    if (settled || first.interrupted || clock.expired()) return first;
    if (first.schedule) rest.start = std::move(first.schedule);
    rest.known_bound_joules = std::max(rest.known_bound_joules, first.lower_bound_joules);
    // What is left to refine is for the relaxation and polishing.
    if (first.status == Status::optimal) rest.settings.features.local_search = false;
  }
  // For small graphs the MILP is quicker than a search for a better start.
  if (problem.graph.size() <= options.small_graph) rest.settings.features.local_search = false;
  rest.settings.time_limit_seconds =
      rest_of_limit(options.settings.time_limit_seconds, clock.elapsed());
  SolveResult result = solve(problem, rest);
  result.statistics = added(spent, result.statistics);
  return result;
}

/// As answer() answers a point alone, but for what its neighbours know: the order to begin with,
/// and bounds. Whether a bound helps is known only once an order is found.
SweepOutcome solve_in_some_order(const Subject& given, const Limits& limits,
                                 const SolveOptions& options,
                                 const std::optional<OrderedSchedule>& start,
                                 const BoundOfOrder& bound_of) {
  ChosenSubject chosen = choose_order(given, limits, options.settings, choice_from(start, options));
  const bool is_found = chosen.start.has_value();
  SweepOutcome outcome = solve_chosen(chosen.subject, limits, options, std::move(chosen.start),
                                      bound_of, chosen.wall_seconds);
  outcome.given_order_energy_joules = chosen.given_energy_joules;
  if (chosen.subject.chosen) outcome.order = chosen.subject.chosen->order;
  if (!is_found && outcome.result.status == Status::infeasible) {
    outcome.given_order = Status::infeasible;
    outcome.result = unknown_in_other_orders(given, outcome.result);
  }
  return outcome;
}

SweepOutcome solve_with_some_copies(const Subject& given, const Limits& limits,
                                    const SolveOptions& options,
                                    const std::optional<OrderedSchedule>& start,
                                    const BoundOfOrder& bound_of) {
  CopiedSubject chosen =
      choose_order_and_copies(given, limits, options.settings, choice_from(start, options));
  SweepOutcome outcome = solve_chosen(chosen.subject, limits, options, std::move(chosen.start),
                                      bound_of, chosen.wall_seconds);
  outcome.copies = chosen.subject.model.copies;
  outcome.uncopied_energy_joules = chosen.without_joules;
  if (chosen.subject.chosen && !given.chosen) outcome.order = chosen.subject.chosen->order;
  if (outcome.result.status == Status::infeasible) {
    outcome.result = unknown_with_other_copies(outcome.result);
  }
  return outcome;
}

}  // namespace poet
