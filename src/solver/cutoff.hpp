#pragma once

#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/solve_state.hpp"

namespace poet {

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
