#pragma once

#include <cstdint>
#include <string>

#include "poet/solve.hpp"
#include "solver/clock.hpp"
#include "solver/incumbent.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// Whether a phase showed that there is no schedule at all.
enum class ModelVerdict { open, infeasible };

/// Takes the sizes of a model into the report, where they are the largest yet.
void note_model(SolverReport& report, const char* formulation, const Milp& milp);

/// What the phases of one solve share: the task, the clock, the best schedule and bound, and the
/// account of the work.
struct SolveState {
  SolveState(const Problem& task, const SolveOptions& wishes)
      : problem(task),
        options(wishes),
        clock(wishes.time_limit_seconds),
        base(baseline(task.graph)),
        incumbent(task, base) {}

  const Problem& problem;
  const SolveOptions& options;
  SolveClock clock;
  Baseline base;
  Incumbent incumbent;
  SolverReport report;
  bool interrupted = false;
  std::string trouble;  ///< why a phase ended early; for people

  bool fast() const { return options.effort == Effort::fast; }
  bool proven() const { return incumbent.proven(options.gap); }
  /// Whether to give up: interrupted, or out of time.
  bool stopping();
  bool done() { return proven() || stopping(); }
  /// Seconds left, at most `share` of them.
  Seconds share_of_time(double share) const { return share * clock.remaining(); }
  /// The gap asked for, in joules.
  Joules gap_joules() const;

  void tell(const std::string& phase, std::int64_t nodes = 0);
  /// Offers a schedule to the incumbent, and notes when the first came.
  bool offer(const Schedule& schedule);
};

}  // namespace poet
