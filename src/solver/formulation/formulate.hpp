#pragma once

#include "poet/problem.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// When the memory rows of recomputations, most of a large model, are made.
enum class MemoryRowsWhen {
  always,     ///< at once, like all others
  on_demand,  ///< when a point violates them (rows_on_demand.hpp): the model without them is a
              ///< relaxation, of a tenth of the size
};

/// Builds the model of docs/formulation.md. It applies the presolve that the windows imply:
/// constants move to the right-hand sides, columns without a meaning are not made, and rows that
/// cannot be violated are left out.
///
/// The problem and its stages are POET's (ICML 2022) and Checkmate's (MLSys 2020); the encoding is
/// our own. Residency is "carried or just paged in" instead of a column beside one for holding,
/// which halves the columns. docs/performance.md compares it with POET's own formulation.
Formulation formulate(const Problem& problem, const UsefulWindows& windows,
                      MemoryRowsWhen memory_rows = MemoryRowsWhen::always);

}  // namespace poet
