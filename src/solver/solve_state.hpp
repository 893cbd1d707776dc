#pragma once

#include <cstdint>
#include <string>

#include "poet/solve.hpp"
#include "solver/clock.hpp"
#include "solver/incumbent.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// What the phases of one solve share: the problem, the clock, the best schedule and bound, and the
/// statistics of the work.
struct SolveState {
  SolveState(const Problem& task, const SolveOptions& wishes)
      : problem(task),
        options(wishes),
        clock(wishes.settings.time_limit_seconds),
        base(baseline(task.graph)),
        incumbent(task, base) {}

  const Problem& problem;
  const SolveOptions& options;
  SolveClock clock;
  Baseline base;
  Incumbent incumbent;
  SolveStatistics statistics;
  bool interrupted = false;
  int sampled_moments = 0;          ///< the most that a sampled relaxation was solved with
  int searches_without_result = 0;  ///< how many agreed that the problem is infeasible
  std::string trouble;              ///< why a phase ended early, in words

  bool fast() const { return options.settings.effort == Effort::fast; }
  bool proven() const { return incumbent.proven(options.settings.gap); }
  /// Whether the solve must end: interrupted, or out of time.
  bool stopping();
  bool done() { return proven() || stopping(); }
  /// This share of the seconds that are left.
  Seconds share_of_time(double share) const { return share * clock.remaining(); }
  /// The same for a step of the work on a model, which Effort::fast keeps short.
  Seconds time_for_step(double share) const;
  /// The requested gap in joules.
  Joules gap_joules() const;

  void report_progress(const std::string& phase, std::int64_t nodes = 0);
  /// Offers a schedule to the incumbent, and records when the first one came.
  bool offer(const Schedule& schedule);
  /// Offers a model's schedule. If it does not replay, because a relaxation's schedule can overrun
  /// RAM in the forward pass, offers what the greedy descent makes of it.
  bool offer_or_repair(const Schedule& schedule);
  /// Records the sizes of a model in the statistics if it is the largest so far.
  void note_model(const char* formulation, const Milp& milp);
};

}  // namespace poet
