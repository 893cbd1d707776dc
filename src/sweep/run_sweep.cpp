// The run of a sweep. All state is in this process. A worker is forked with all that is known by
// then, and asks only the points that allow as much, which are all finished. So the result does not
// depend on how many workers there are. Forking is what hands all of it over at no cost: nothing is
// sent to a worker, and only its answer comes back through a pipe. A pool of threads would share
// the knowledge as well, but Clp and CBC crash, exit and overrun, and a process with threads cannot
// fork safely.

#include <algorithm>
#include <utility>

#include "poet/error.hpp"
#include "poet/sweep.hpp"
#include "question/choose_copies.hpp"
#include "question/watched_solve.hpp"
#include "sweep/child_tasks.hpp"
#include "sweep/dominance.hpp"
#include "sweep/fields.hpp"
#include "sweep/reuse_results.hpp"
#include "sweep/solve_point.hpp"

namespace poet {
namespace {

/// The parent of a sweep. It decides what needs a solve, and believes nothing that its workers send
/// before a replay has confirmed it. Workers are processes, so that a crash costs one point.
class Sweep {
 public:
  Sweep(const SweepGrid& grid, const std::vector<SweepPoint>& points, const SweepOptions& options,
        SweepOutcomes& outcomes)
      : grid_(grid),
        points_(points),
        options_(options),
        outcomes_(outcomes),
        order_(points),
        known_(grid, points, options.starts, options.solve.settings.order,
               options.solve.settings.copies) {
    outcomes_.resize(points.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (!outcomes_[p]) continue;
      known_.add(static_cast<int>(p), *outcomes_[p]);
      order_.finish(static_cast<int>(p));
    }
  }

  bool run() {
    run_child_tasks<SweepOutcome>(
        options_.jobs,
        {.next = [this] { return next(); },
         .work = [this](int point, const auto& progress) { return work(point, progress); },
         .progress = options_.progress,
         .answered = [this](int point, SweepOutcome answer) { take(point, std::move(answer)); },
         .failed = [this](int point, const std::string& reason) { fail(point, reason); },
         .interrupted = options_.interrupted});
    return std::all_of(outcomes_.begin(), outcomes_.end(),
                       [](const auto& outcome) { return outcome.has_value(); });
  }

 private:
  /// Finishes points that need no process until one does.
  /// Verdicts and reuse are settled here, and never wait for a free worker.
  std::optional<int> next() {
    while (!(options_.interrupted && options_.interrupted())) {
      const std::optional<int> point = order_.next();
      if (!point) return std::nullopt;
      std::optional<SweepOutcome> known = known_outcome(*point);
      if (!known) {
        if (options_.started) options_.started(*point);
        return point;
      }
      record(*point, std::move(*known));
    }
    return std::nullopt;
  }

  /// A contradiction fails its point; the others are solved all the same.
  std::optional<SweepOutcome> known_outcome(int point) {
    try {
      std::optional<SweepOutcome> known = known_.outcome_of(point, options_.solve.settings.gap);
      if (known) known_.add(point, *known);
      return known;
    } catch (const InternalError& error) {
      return SweepOutcome{.failure = internal(error)};
    }
  }

  static std::string internal(const InternalError& error) {
    return std::string("internal error: ") + error.what();
  }

  SweepOutcome work(int point, const std::function<void(const Progress&)>& progress) const {
    SolveOptions solve = options_.solve;
    solve.progress = progress;
    solve.interrupted = nullptr;  // the parent ends this process
    const Subject& subject = grid_.subjects[points_[point].subject];
    const Limits& limits = points_[point].limits;
    if (solve.settings.copies != CopyChoice::none) {
      return solve_with_some_copies(
          subject, limits, solve, known_.start_for(point),
          [&](const std::string& graph) { return bound_for(point, graph); });
    }
    if (solve.settings.order == OrderKind::search) {
      return solve_in_some_order(subject, limits, solve, known_.start_for(point),
                                 [&](const std::string& order) { return bound_for(point, order); });
    }
    solve = known_.options_for(point, std::move(solve));
    solve.known_bound_joules = bound_for(point, subject.order_sha256());
    SweepOutcome outcome{
        .result = solve_watched({.graph = subject.graph, .limits = limits}, solve, solve_point)};
    outcome.wall_seconds = outcome.result.statistics.wall_seconds;
    return outcome;
  }

  /// What other points and an earlier run have proven, in one order.
  Joules bound_for(int point, const std::string& order_sha256) const {
    const Joules known = known_.bound_for(point, order_sha256);
    if (options_.bounds.empty() || options_.bounds[point].order_sha256 != order_sha256) {
      return known;
    }
    return std::max(known, options_.bounds[point].joules);
  }

  /// An answer counts only after its schedule has been replayed, and a proof of infeasibility only
  /// if no schedule is known.
  void take(int point, SweepOutcome outcome) {
    try {
      known_.add(point, outcome);
    } catch (const InputError& error) {
      outcome = {.failure = error.what()};
    } catch (const InternalError& error) {
      outcome = {.failure = internal(error)};
    }
    record(point, std::move(outcome));
  }

  void fail(int point, const std::string& reason) {
    record(point, SweepOutcome{.failure = reason});
  }

  void record(int point, SweepOutcome outcome) {
    order_.finish(point);
    // A journal says of each point for which copies it was looked.
    const CopyChoice copies = options_.solve.settings.copies;
    if (copies != CopyChoice::none) outcome.copies.mode = copy_mode(copies);
    outcomes_[point] = std::move(outcome);
    if (options_.finished) options_.finished(point, *outcomes_[point]);
  }

  const SweepGrid& grid_;
  const std::vector<SweepPoint>& points_;
  const SweepOptions& options_;
  SweepOutcomes& outcomes_;
  PointOrder order_;
  KnownResults known_;
};

}  // namespace

bool run_sweep(const SweepGrid& grid, const std::vector<SweepPoint>& points,
               const SweepOptions& options, SweepOutcomes& outcomes) {
  return Sweep(grid, points, options, outcomes).run();
}

}  // namespace poet
