#pragma once

#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/solve_state.hpp"

namespace poet {

/// In scaled units, 1e-4 of the baseline each: what CBC's cutoff increment and tolerances can
/// hide. A proof under a cutoff holds for the cutoff less this.
inline constexpr double kCutoffSlack = 4 * kCutoffIncrement;

/// What a schedule that is better than the incumbent can cost above the baseline, for make_scope();
/// infinity without an incumbent, and where windows by cost are switched off.
Joules affordable_extra(const SolveState& state);

/// The cutoff, in scaled units, under which a search without result proves the incumbent within
/// the gap; infinity without an incumbent.
double proof_cutoff(const SolveState& state, const ScaledMilp& scaled);

/// Takes a bound of the model, in scaled units, for the problem's; what is not finite is no bound.
void raise_bound(SolveState& state, const ScaledMilp& scaled, double units);

/// Whether a second search of a model in which the first found nothing, without a cutoff, agrees.
/// CBC has called feasible models infeasible: believed only when a search without presolve says
/// the same.
bool confirm_infeasible(SolveState& state, const Milp& milp, MipOptions options);

}  // namespace poet
