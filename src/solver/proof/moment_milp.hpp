#pragma once

#include "solver/milp/milp.hpp"
#include "solver/proof/moment_model.hpp"

namespace poet {

/// A moment model in doubles, for CBC: its columns with their costs in joules, and the rows of
/// moment_rows() and tight_ram_rows(). Its optimum is a lower bound on the extra energy of every
/// schedule that is below the target of the costs.
Milp moment_milp(const MomentModel& model, const ProofCosts& costs);

}  // namespace poet
