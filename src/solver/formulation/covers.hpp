#pragma once

#include <span>
#include <vector>

#include "poet/problem.hpp"
#include "solver/formulation/variables.hpp"

namespace poet {

/// Rows that cut off points of the model which, rounded, hold tensors that overrun the RAM budget
/// (even by a byte, anywhere in the model) or recompute for too long. Empty if the rounded points
/// keep both budgets. Values beyond the model's columns are ignored.
///
/// Solvers treat a column within 1e-6 of a whole number as whole, so a set of tensors that overruns
/// a memory row by less than about a millionth of it passes for one that fits. In a cover, "at most
/// n - 1 of these n", every coefficient is 1 and such a set exceeds the row by 1, which no
/// tolerance can hide. Sizes that are multiples of a common unit never need covers: their rows are
/// rounded.
std::vector<MilpRow> violated_covers(const Formulation& model, const Problem& problem,
                                     std::span<const std::vector<double>> points);

}  // namespace poet
