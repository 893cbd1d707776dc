#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/proof/moment_model.hpp"
#include "solver/relaxation/counts.hpp"

namespace poet {

/// A count that is at most `most`, or at least one more.
struct CountSplit {
  int count = 0;
  std::int64_t most = 0;
};

/// The counts of docs/formulation.md, "Branching on counts", and single columns that cost nothing,
/// which come last.
std::vector<Count> proof_counts(const MomentModel& model);

/// The counts that are worth branching on at a point, at most so many, the best first; none if all
/// are whole.
std::vector<CountSplit> best_splits(std::span<const Count> counts, std::span<const double> values,
                                    std::size_t most);

}  // namespace poet
