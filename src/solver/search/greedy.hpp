#pragma once

#include <functional>

#include "solver/search/plan.hpp"

namespace poet {

using Stop = std::function<bool()>;

/// Starting from the plan, takes the stage with the largest peak and drops or pages the tensor with
/// the least added energy per byte of violation removed, until RAM fits or no step helps. Never
/// takes a step that overruns the runtime budget. `stop` is polled; true ends the descent at once.
///
/// Lazy greedy (Minoux 1978): the descent remembers the prices of its steps and tries only the
/// cheapest anew, so its time grows about as the square of the number of nodes. The first schedule
/// of 2000 nodes takes 0.3 s; trying every candidate for each step took 18 to 52 s.
void descend(Plan& plan, const Stop& stop);

/// Pages (or, without paging, drops) tensors during every idle span longer than one stage. Needs
/// little more RAM than the working set, at any price. The plan must be the baseline. `stop` as
/// above.
void evict_everything(Plan& plan, bool by_paging, const Stop& stop);

}  // namespace poet
