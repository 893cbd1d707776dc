#pragma once

#include <optional>
#include <string_view>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/solve_state.hpp"

namespace poet {

/// The best schedule so far, and the best proven bound. A schedule enters only by a replay within
/// the budgets. The bound only rises, and never above the best schedule's energy. A replayed
/// schedule below the bound refutes the proof, which is a bug of ours or of a solver: that is an
/// error, never a correction.
class Incumbent {
 public:
  Incumbent(const Problem& problem, const Baseline& base);

  /// Replays the schedule; takes it and returns true if it is valid and better. Throws
  /// InternalError if it is cheaper than the proven bound.
  bool offer(const Schedule& schedule);
  /// Throws InternalError if there is a schedule although `who` claims to have proven that none
  /// exists.
  void refuse_infeasible(std::string_view who) const;
  /// A lower bound on the energy of every schedule within the budgets.
  void raise_bound(Joules bound);

  const std::optional<Schedule>& schedule() const { return schedule_; }
  Joules energy() const { return energy_; }  ///< infinity without a schedule
  /// Above the baseline's energy; infinity without a schedule.
  Joules extra_energy() const { return energy_ - baseline_energy_; }
  Joules bound() const { return bound_; }
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
};

/// Relative error of sums in another order and of CBC's tolerances after scaling. A smaller gap
/// counts as none.
inline constexpr double kProofTolerance = 1e-9;

// A solver that is given a cutoff searches only below it. If it finds nothing there, nothing is
// better than the cutoff: a proof without a bound of the solver's own. These functions turn the
// incumbent into a cutoff, and a model's bound into a bound on the problem. Each allows for the
// slack on the way.

/// What CBC's cutoff increment and tolerances can hide, in scaled units (1e-4 of the baseline
/// each). A proof under a cutoff holds for the cutoff less this.
inline constexpr double kCutoffSlack = 4 * kCutoffIncrement;

/// Whether a transfer costs more than CBC can bear in units of the baseline (kDearestColumn).
bool has_dear_transfers(const SolveState& state);

/// The most that a schedule better than the incumbent can cost above the baseline, for
/// useful_windows(); infinity without an incumbent, or if windows by cost are switched off. Beside
/// dear transfers these windows cannot be switched off: the model is wrong in CBC's numbers without
/// them.
Joules affordable_extra(const SolveState& state);

/// The cutoff, in scaled units, under which a search without a result proves the incumbent within
/// the gap; infinity without an incumbent.
double proof_cutoff(const SolveState& state, const ScaledMilp& scaled);

/// Applies a bound of the model, in scaled units, to the problem. Ignores infinities.
void raise_bound(SolveState& state, const ScaledMilp& scaled, double units);

}  // namespace poet
