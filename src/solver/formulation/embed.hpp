#pragma once

#include <vector>

#include "poet/schedule.hpp"
#include "solver/formulation/formulation.hpp"

namespace poet {

/// The values of the model's columns that describe a schedule: the way back from extract(). For a
/// collapsed model the forward stages are forgotten. Where the schedule does what the model leaves
/// out (outside its windows, or dominated), the point violates rows: it is a guide to a search,
/// never a solution.
std::vector<double> embed(const Formulation& model, const Schedule& schedule);

}  // namespace poet
