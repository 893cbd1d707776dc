#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/milp/milp.hpp"
#include "solver/moments/moment_model.hpp"

namespace poet {

/// All rows of the model but paths and RAM, of which there are too many to list, and the RAM at the
/// moments themselves. docs/certificate-format.md, "Rows", proves each family.
std::vector<ProofRow> moment_rows(const MomentModel& model);

/// The RAM at each moment in units of one size, rounded down: CBC finds cuts in small numbers.
std::vector<ProofRow> tight_ram_rows(const MomentModel& model);

/// Paths that a point (values by column) violates, the most violated first.
std::vector<ProofRow> violated_paths(const MomentModel& model, std::span<const double> values);

/// Rows on the RAM at moments, and at recomputations where moments are in consecutive stages, that
/// a point violates by more than `least`, as its distance from the row.
std::vector<ProofRow> violated_ram(const MomentModel& model, std::span<const double> values,
                                   double least);

/// A moment model in doubles, for CBC: its columns with their costs in joules, and its rows. Its
/// optimum is a lower bound on the extra energy of every schedule that is below the target of the
/// costs. CBC's own cuts and twenty of its nodes raise the bound of a model with one moment if
/// neither violated rows nor a tree of a thousand nodes on counts do.
Milp moment_milp(const MomentModel& model, const ProofCosts& costs, std::span<const ProofRow> rows);

/// The value of a column, or of a constant, at a point.
inline double value_at(std::span<const double> values, ProofColumn column) {
  if (column == kCertain) return 1;
  return column == kAbsent ? 0 : values[column];
}

}  // namespace poet
