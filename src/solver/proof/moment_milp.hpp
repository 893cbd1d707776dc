#pragma once

#include "solver/milp/milp.hpp"
#include "solver/proof/moment_model.hpp"

namespace poet {

/// A moment model in doubles, for CBC: its columns with their costs in joules, the rows of
/// moment_rows(), and the RAM at each moment, tightened (knapsack_rounding.hpp). Its optimum is a
/// lower bound on the extra energy of every schedule that is below the target of the costs.
Milp moment_milp(const MomentModel& model, const ProofCosts& costs);

}  // namespace poet
