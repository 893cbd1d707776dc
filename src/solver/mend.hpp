#pragma once

#include "solver/solve_state.hpp"

namespace poet {

/// Offers a model's schedule to the incumbent. A relaxation's can overrun RAM in the forward pass:
/// then it is mended by the greedy descent, where that works.
bool offer_or_mend(SolveState& state, const Schedule& schedule);

}  // namespace poet
