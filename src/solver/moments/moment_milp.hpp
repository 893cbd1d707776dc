#pragma once

#include <span>

#include "solver/milp/milp.hpp"
#include "solver/moments/moment_model.hpp"

namespace poet {

/// A moment model in doubles, for CBC: its columns with their costs in joules, and its rows. Its
/// optimum is a lower bound on the extra energy of every schedule that is below the target of the
/// costs.
Milp moment_milp(const MomentModel& model, const ProofCosts& costs, std::span<const ProofRow> rows);

}  // namespace poet
