#pragma once

#include <span>
#include <vector>

#include "poet/problem.hpp"
#include "solver/formulation/formulation.hpp"

namespace poet {

/// Rows that forbid what points of the model, their values rounded, have too much of: tensors that
/// together are more than the RAM budget, be it by a byte, anywhere in the model, and
/// recomputations that together take too long. Empty where the rounded points keep both budgets.
/// Values beyond the model's columns are ignored.
///
/// Solvers take a column within 1e-6 of a whole number for whole, and so a set of tensors that
/// overruns a memory row by less than about a millionth of it for one that fits. In a cover, "of
/// these n at most n - 1", every coefficient is 1 and such a set is too much by 1.
std::vector<MilpRow> violated_covers(const Formulation& model, const Problem& problem,
                                     std::span<const std::vector<double>> points);

}  // namespace poet
