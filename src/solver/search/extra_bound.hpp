#pragma once

#include "poet/problem.hpp"
#include "poet/units.hpp"

namespace poet {

/// A lower bound on the energy above the baseline, of every schedule with the techniques that the
/// limits allow: in a millisecond, and rough. A tensor that lies idle while a node is computed for
/// the first time is in RAM, or is brought back later, by the cheaper technique at least once. So
/// at each of these moments the tensors that do not fit cost no less than the optimum of a
/// fractional knapsack. Infinity if RAM does not suffice with all of them gone.
Joules least_extra_energy(const Problem& problem);

}  // namespace poet
