#pragma once

#include "baselines/attempt.hpp"
#include "poet/problem.hpp"

namespace poet {

// The methods that a schedule of ours is compared with, each in a file that names its paper and
// says how it becomes stages. They are given the limits of the problem; what they make may exceed
// them.

Attempt keep_all(const Problem& problem);
Attempt page_all(const Problem& problem);
Attempt chen_sqrt(const Problem& problem);
Attempt chen_greedy(const Problem& problem);
Attempt treeverse(const Problem& problem);
Attempt capuchin_like(const Problem& problem);
Attempt dtr_like(const Problem& problem);
Attempt pofo(const Problem& problem);

}  // namespace poet
