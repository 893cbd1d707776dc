#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// The best schedule so far, and the best proven bound. A schedule enters only by a replay within
/// the budgets. The bound only rises, and never above the best schedule's energy. A replayed
/// schedule below the bound refutes the proof, which is a bug of ours or of a solver: that is an
/// error, never a correction.
class Incumbent {
 public:
  Incumbent(const Problem& problem, const Baseline& base);

  /// Replays the schedule; takes it and returns true if it is valid and better. Throws
  /// InternalError if it is cheaper than the proven bound. Gives it up if `stop` ends its replay.
  bool offer(
      Schedule schedule, const std::function<bool()>& stop = [] { return false; });
  /// Throws InternalError if there is a schedule although `who` claims to have proven that none
  /// exists.
  void refuse_infeasible(std::string_view who) const;
  /// A lower bound on the energy of every schedule within the budgets, and the phase that proved
  /// it.
  void raise_bound(Joules bound, std::string_view phase);

  const std::optional<Schedule>& schedule() const { return schedule_; }
  Joules energy() const { return energy_; }  ///< infinity without a schedule
  /// Above the baseline's energy; infinity without a schedule.
  Joules extra_energy() const { return energy_ - baseline_energy_; }
  Joules bound() const { return bound_; }
  const std::string& bound_by() const { return bound_by_; }
  /// Whether the bound meets the energy within the relative gap, or within the difference that
  /// double-precision sums of the same costs in another order can have.
  bool proven(double gap) const;
  /// The same for a share of the extra energy.
  bool refined(double extra_gap) const;

 private:
  const Problem& problem_;
  Joules baseline_energy_;
  std::optional<Schedule> schedule_;
  Joules energy_;
  Joules bound_;
  std::string bound_by_ = "baseline";
};

/// Relative error of sums in another order and of CBC's tolerances after scaling. A smaller gap
/// counts as none.
inline constexpr double kProofTolerance = 1e-9;

}  // namespace poet
