#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "certify/moment_model.hpp"

namespace poet {

/// A sum of columns, which is whole in every schedule.
struct ProofCount {
  std::vector<ProofColumn> columns;
  double weight = 0;  ///< of its distance to a whole number
};

/// A count that is at most `most`, or at least one more.
struct CountSplit {
  int count = 0;
  std::int64_t most = 0;
};

/// Recomputations, page-ins and page-outs of one node, of nodes of like cost, and single columns:
/// the counts of docs/formulation.md, "Branching on counts", with the same weights.
std::vector<ProofCount> proof_counts(const MomentModel& model);

/// The counts that are worth branching on at a point, at most so many, the best first; none if all
/// are whole.
std::vector<CountSplit> best_splits(std::span<const ProofCount> counts,
                                    std::span<const double> values, std::size_t most);

}  // namespace poet
