#pragma once

#include "solver/formulation/useful_windows.hpp"
#include "solver/limits.hpp"
#include "solver/solve_state.hpp"

namespace poet {

// The phases that solve models, in the order in which the driver (solve.cpp) calls them. Bounds and
// schedules go to the state as they come.

/// Whether a phase showed that no schedule exists.
enum class ModelVerdict { open, infeasible };

/// Searches for schedules by so many moves, or until it rests, in this share of the time that is
/// left.
void run_search_phase(SolveState& state, std::int64_t moves, double share);

/// How long to look at moment models.
enum class GlanceEffort {
  first,   ///< one linear relaxation of one moment, and no branch and bound: before all else
  glance,  ///< a few moments and nodes of branch and bound: a bound in a blink
  all,     ///< more and more moments until time is up, for graphs without a backward pass
};

/// Raises the bound by models with few moments, or shows that no schedule exists.
ModelVerdict run_glance_phase(SolveState& state, GlanceEffort effort);

/// Proves the gap in moment models, or raises the bound as far as one leaf does; without an
/// incumbent, tries to show that no schedule exists. Takes no time if the incumbent is hardly
/// better than one whose proof was in vain.
ModelVerdict run_proof_phase(SolveState& state, const ProofTime& time);

/// Which model a phase solves.
enum class ModelKind {
  collapsed,  ///< without the forward stages: a relaxation
  full,       ///< every stage: exact
};

/// Builds the model for the windows that the incumbent leaves open, tightens its relaxation in the
/// root loop, polishes the incumbent with the relaxation's optimum, branches on counts, and gives
/// what is left to CBC.
ModelVerdict run_model_phase(SolveState& state, ModelKind kind, const UsefulWindows& windows);

}  // namespace poet
