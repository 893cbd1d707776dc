#pragma once

#include "poet/problem.hpp"
#include "solver/formulation/scope.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A relaxation that looks at RAM in a few moments only, and is therefore small: the stages from
/// the scope's first are cut into `windows` of about equal length, and the moment of a window is
/// when its first stage computes its own node. What happens between two moments is summed up: a
/// tensor is recomputed in the window or not, paged in or not. Its optimum is a lower bound on the
/// energy of every schedule in the scope, joules above the baseline, whatever the graph.
/// docs/formulation.md, "The coarse relaxation".
Milp coarse_model(const Problem& problem, const Scope& scope, int windows);

}  // namespace poet
