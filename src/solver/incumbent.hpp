#pragma once

#include <optional>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// The best schedule so far, and the best proven bound. A schedule gets in only by a replay
/// within the budgets; a bound only ever rises and never passes the best schedule's energy.
class Incumbent {
 public:
  Incumbent(const Problem& problem, const Baseline& base);

  /// Replays the schedule; takes it and returns true if it is valid and better. Throws
  /// InternalError if it is cheaper than the proven bound.
  bool offer(const Schedule& schedule);
  /// A lower bound on the energy of every schedule within the budgets.
  void raise_bound(Joules bound);

  const std::optional<Schedule>& schedule() const { return schedule_; }
  Joules energy() const { return energy_; }  ///< infinity without a schedule
  /// Above the baseline's energy; infinity without a schedule.
  Joules extra_energy() const { return energy_ - baseline_energy_; }
  Joules bound() const { return bound_; }
  /// Whether the bound meets the energy within the relative gap, or within what double-precision
  /// sums of the same costs in another order can differ by.
  bool proven(double gap) const;

 private:
  const Problem& problem_;
  Joules baseline_energy_;
  std::optional<Schedule> schedule_;
  Joules energy_;
  Joules bound_;
};

/// Relative error allowed for sums in another order and for CBC's tolerances after scaling; a gap
/// no larger counts as none.
inline constexpr double kProofTolerance = 1e-9;

}  // namespace poet
