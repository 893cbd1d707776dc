#pragma once

#include <functional>

#include "solver/search/timeline.hpp"

namespace poet {

using Stop = std::function<bool()>;

/// When a tensor that a descent gives up may come back.
enum class Return {
  at_use,  ///< for its next use
  any      ///< or, recomputed, just behind the moment at which it was in the way
};

/// Starting from the timeline as it is, takes the computation with the most RAM and gives up a
/// tensor that lies idle there, the one with the least added energy per byte of violation removed,
/// until RAM fits or no step helps. The tensor is paged in later or computed again, and so are, if
/// they have gone, its inputs, and so on. Never takes a step that adds to the time over the runtime
/// budget. `stop` is polled; true ends the descent at once. The timeline is committed.
///
/// Neither kind of return is always better: late ones save most RAM, early ones find more inputs in
/// RAM. With `noise`, each price is off by a random share, so that one timeline has many descents.
///
/// Lazy greedy (Minoux 1978).
///
/// It works on the state of the search, which it shares.
void descend(Timeline& timeline, Return back, const Stop& stop, Random* noise = nullptr);

/// Takes out of a feasible timeline all that it can do without, the dearest first. The timeline is
/// committed, and feasible when `stop` ends this early as well.
void prune(Timeline& timeline, const Stop& stop);

/// Pages (or, without paging, recomputes) tensors during every idle span longer than one stage.
/// Needs little more RAM than the working set, at any price. The timeline must be the baseline.
/// Ends early after kMostEvictions (greedy.cpp) computations and page-ins a node, since on graphs
/// other than chains their number grows as the square of the number of nodes. `stop` as above.
void evict_everything(Timeline& timeline, bool by_paging, const Stop& stop);

}  // namespace poet
