#pragma once

#include <functional>

#include "solver/search/plan.hpp"

namespace poet {

using Stop = std::function<bool()>;

/// What a greedy descent cost, as scales for the annealing that follows.
struct GreedyTrace {
  int steps = 0;
  Joules energy = 0;  ///< added over all steps
  Bytes bytes = 0;    ///< violation removed over all steps
};

/// Starting from the plan, takes the stage with the largest peak and drops or pages the tensor
/// with the least added energy per byte of violation removed, until RAM fits or no step helps.
/// Steps that would overrun the runtime budget are not taken. Prices of steps are remembered and
/// only the cheapest is tried anew (Minoux 1978), so that time grows about as the square of the
/// number of nodes. `stop` is polled; true ends the descent where it is.
GreedyTrace descend(Plan& plan, const Stop& stop);

/// Pages (or, without paging, drops) every gap longer than one stage: needs little more RAM than
/// the working set, at any price. The plan must be the baseline. `stop` as above.
void evict_everything(Plan& plan, bool by_paging, const Stop& stop);

}  // namespace poet
