#pragma once

#include <string>
#include <vector>

#include "solver/bounds/count_search.hpp"
#include "solver/formulation/formulation.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/solve_state.hpp"

namespace poet {

/// Lets CBC search the parts of a model, one after the other, for what is better than the
/// incumbent; the whole model is one part without ranges. The bound is the least of the parts'.
/// `cuts` are tight at the root; `phase` is the name for progress.
ModelVerdict search_parts(SolveState& state, const std::string& phase, const Formulation& model,
                          const ScaledMilp& scaled, const std::vector<PrecedenceCut>& cuts,
                          const std::vector<Count>& counts, std::vector<Part> parts);

}  // namespace poet
