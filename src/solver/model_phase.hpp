#pragma once

#include "solver/solve_state.hpp"

namespace poet {

/// Which model a phase solves.
enum class ModelKind {
  collapsed,  ///< without the forward stages: a relaxation
  full,       ///< every stage: exact
};

/// Builds the model for what the incumbent leaves open, tightens its relaxation in the root loop,
/// polishes the incumbent with what the relaxation says, and gives what is left to CBC. Bounds and
/// schedules go to the state as they come.
ModelVerdict run_model_phase(SolveState& state, ModelKind kind);

}  // namespace poet
