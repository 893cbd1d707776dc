#pragma once

#include "solver/solve_state.hpp"

namespace poet {

/// How long the coarse relaxation is worked on.
enum class CoarseEffort {
  glance,  ///< a few windows and nodes of branch and bound: a bound in a blink
  all,     ///< more and more windows until time is up: where no other model can be built
};

/// Raises the bound by coarse_model(), or shows that there is no schedule.
ModelVerdict run_coarse_phase(SolveState& state, CoarseEffort effort);

}  // namespace poet
