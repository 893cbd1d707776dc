#pragma once

#include <span>
#include <vector>

#include "solver/milp/milp.hpp"

namespace poet {

/// A model without the columns that are fixed, and without the rows that the other columns cannot
/// violate.
struct ReducedMilp {
  Milp milp;                 ///< its objective_offset has the costs of the fixed columns
  std::vector<int> columns;  ///< by column of `milp`: the model's column
  bool infeasible = false;   ///< the fixed columns violate a row by themselves
};

/// Solvers do so as well, after they have loaded and scaled the whole model. In a neighbourhood of
/// a schedule, of which one column of fifty is open, that takes longer than the search.
ReducedMilp without_fixed_columns(const Milp& milp);

/// The values of all columns of the model, from the values of the reduced one.
std::vector<double> expand(const Milp& milp, const ReducedMilp& reduced,
                           std::span<const double> values);

}  // namespace poet
