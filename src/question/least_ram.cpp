// The smallest RAM budget with a schedule, by bisection. What fits a budget fits a larger one, so
// budgets can be bisected. Each probe asks only whether there is a schedule, and ends with the
// first one. Its peak, not the budget that was tried, is the new upper end. Peaks are multiples of
// the greatest common divisor of all sizes, which ends the bisection as soon as nothing lies
// between. Both ends hold in any case: a schedule has been replayed, and a floor comes from a
// proof.
//
// First the floor itself is tried, which is the answer most often.

#include "question/least_ram.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "question/watched_solve.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

/// Share of the remaining time for one budget, so that a hard one leaves time for the others.
constexpr double kProbeShare = 0.25;

/// Bisection over budgets in steps of ram_step(). Most solves answer quickly: a schedule lowers the
/// upper end to its own peak, which is often far below the budget that was tried, and a proof
/// raises the lower end. What neither answers in time is left as an interval, never guessed.
class Search {
 public:
  Search(const Subject& subject, const Limits& limits, const SolveOptions& options)
      : problem_{.graph = subject.graph, .limits = limits},
        options_(options),
        clock_(options.settings.time_limit_seconds),
        step_(ram_step(subject.graph)) {
    found_.schedule = subject.base.schedule;
    found_.feasible_bytes = subject.base.peak_ram_bytes;
  }

  void raise_floor(Bytes bytes) {
    found_.infeasible_below_bytes = std::max(found_.infeasible_below_bytes, bytes);
    check();
  }

  // Replayed within the best peak so far: a schedule that fits has a peak of its own, which may be
  // far below.
  void offer(const Schedule& schedule) {
    problem_.limits.ram_budget_bytes = found_.feasible_bytes;
    const Replay replay = simulate(problem_.graph, schedule, problem_.limits);
    if (!replay.valid() || replay.peak_ram_bytes >= found_.feasible_bytes) return;
    found_.feasible_bytes = replay.peak_ram_bytes;
    found_.schedule = schedule;
    check();
  }

  void run() {
    lower_the_top();
    raise_the_floor();
    if (!found_.exact()) found_.reason = why_open();
  }

  MinRam result(const WorkingSet& needed) {
    found_.is_working_set = found_.feasible_bytes == needed.bytes;
    found_.node = found_.is_working_set
                      ? needed.node
                      : node_at_peak(problem_.graph, found_.schedule, problem_.limits.paging_time);
    found_.wall_seconds = clock_.elapsed();
    return std::move(found_);
  }

 private:
  bool interrupted() const { return options_.interrupted && options_.interrupted(); }
  bool stopping() const { return clock_.expired() || interrupted(); }

  std::string why_open() const {
    if (interrupted()) return "a signal ended the search";
    if (stopping()) return "the time limit ended the search";
    return "budgets in between could not be decided within the time limit";
  }

  /// The schedule has been replayed, so a contradiction means that the proof is wrong.
  void check() const {
    if (found_.feasible_bytes >= found_.infeasible_below_bytes) return;
    throw InternalError(
        fmt::format("no RAM budget below {} bytes is said to have a schedule, but one of {} bytes "
                    "has been replayed",
                    found_.infeasible_below_bytes, found_.feasible_bytes));
  }

  /// Bisects for the smallest budget with a schedule. An undecided budget counts as one without a
  /// schedule here; raise_the_floor() then looks for proofs below it.
  void lower_the_top() {
    Bytes low = found_.infeasible_below_bytes;
    Bytes budget = low;  // most often the floor is the answer
    while (low < found_.feasible_bytes && !stopping()) {
      switch (probe(budget)) {
        case Status::infeasible:
          low = next_peak(budget);
          raise_floor(low);
          break;
        case Status::unknown:
          if (!undecided_) undecided_ = budget;
          undecided_ = std::min(*undecided_, budget);
          low = next_peak(budget);
          break;
        default:
          break;
      }
      budget = middle(low, found_.feasible_bytes);
    }
  }

  /// Bisects between the floor and the smallest undecided budget for more proofs.
  void raise_the_floor() {
    if (!undecided_) return;
    Bytes high = std::min(*undecided_, found_.feasible_bytes);
    while (found_.infeasible_below_bytes < high && !stopping()) {
      const Bytes budget = middle(found_.infeasible_below_bytes, high);
      if (probe(budget) == Status::infeasible) {
        raise_floor(next_peak(budget));
      } else {
        high = std::min(budget, found_.feasible_bytes);
      }
    }
  }

  Bytes next_peak(Bytes budget) const { return budget / step_ * step_ + step_; }

  Bytes middle(Bytes low, Bytes high) const {
    return std::max(low, (low + (high - low) / 2) / step_ * step_);
  }

  /// Whether a budget has a schedule. Any schedule will do, so the gap is 1.
  Status probe(Bytes budget) {
    SolveOptions options = options_;
    options.settings.gap = 1;
    options.refine = false;
    if (options.settings.time_limit_seconds > 0) {
      options.settings.time_limit_seconds = kProbeShare * clock_.remaining();
    }
    problem_.limits.ram_budget_bytes = budget;
    const SolveResult result = solve_watched(problem_, options, solve);
    if (!result.schedule) return result.status;
    offer(*result.schedule);
    return result.status;
  }

  Problem problem_;
  const SolveOptions& options_;
  SolveClock clock_;
  Bytes step_;
  std::optional<Bytes> undecided_;  ///< the smallest budget that could not be decided
  MinRam found_;
};

}  // namespace

Bytes ram_step(const Graph& graph) {
  Bytes step = 0;
  for (const Node& node : graph.nodes) {
    step = std::gcd(std::gcd(step, node.bytes), node.workspace_bytes);
  }
  return std::max<Bytes>(step, 1);
}

int node_at_peak(const Graph& graph, const Schedule& schedule, PagingTime paging_time) {
  const std::vector<RamSample> samples = ram_timeline(graph, schedule, paging_time);
  return std::max_element(
             samples.begin(), samples.end(),
             [](const RamSample& a, const RamSample& b) { return a.ram_bytes < b.ram_bytes; })
      ->node;
}

MinRam least_ram(const Subject& subject, const Limits& limits, const SolveOptions& options,
                 Bytes floor_bytes, const std::vector<const Schedule*>& starts) {
  Problem whole{.graph = subject.graph, .limits = limits};
  whole.limits.ram_budget_bytes = subject.base.peak_ram_bytes;
  const Verdict verdict = instant_verdict(whole, subject.base);
  if (verdict.kind == Verdict::Kind::infeasible) {
    return {.infeasible = true, .reason = verdict.reason};
  }
  const WorkingSet needed = working_set(subject.graph);
  Search search(subject, limits, options);
  search.raise_floor(std::max(needed.bytes, floor_bytes));
  if (!limits.techniques.paging && !limits.techniques.remat)
    search.raise_floor(subject.base.peak_ram_bytes);
  for (const Schedule* start : starts) search.offer(*start);
  search.run();
  return search.result(needed);
}

MinRam least_ram_in_given_order(const Subject& subject, const Limits& limits,
                                const SolveOptions& options, Bytes floor_bytes) {
  if (!subject.chosen) return least_ram(subject, limits, options, floor_bytes);
  MinRam found = least_ram(in_given_order(subject), limits, options, floor_bytes);
  found.order = inverse(subject.chosen->order);
  found.node = found.order[found.node];
  return found;
}

}  // namespace poet
