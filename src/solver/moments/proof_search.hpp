#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/schedule.hpp"
#include "solver/moments/moment_model.hpp"
#include "solver/work.hpp"

namespace poet {

/// Rows and a tree, as they stand in a certificate.
struct ProofText {
  std::vector<std::string> rows;
  std::string tree;
  int leaves = 0;
};

/// What a search for a proof came to.
struct ProofAttempt {
  enum class Status {
    proven,   ///< `proof` proves the target
    weaker,   ///< `proof` proves `units` of it
    nothing,  ///< no proof of anything
  };
  Status status = Status::nothing;
  ProofText proof;
  std::int64_t units = 0;  ///< of extra energy that are proven
  /// What a point that satisfies all rows computes again and pages (schedule_of_moments.hpp): the
  /// model cannot prove the target.
  std::optional<Schedule> point;
  double root = 0;        ///< the share of the target that the root's relaxation reached
  std::int64_t work = 0;  ///< in moves
};

/// Receives the units that the root proves, each time that there are more.
using ProofReport = std::function<void(std::int64_t units)>;

struct ProofSearchLimits {
  Seconds seconds = 0;
  int nodes = 0;          ///< of the tree; 0: no limit
  double least_root = 0;  ///< the share of the target below which a tree is not worth its time
  std::int64_t most_work = kNoLimit;  ///< in moves
};

/// Searches a proof of the target of the costs: the linear relaxation of the moment model with rows
/// as they are violated, and branch and bound on counts (how often a node, or nodes of like cost,
/// are recomputed or paged), depth first with the target as cutoff. A leaf counts only if its
/// rounded prices prove it in whole numbers, so nothing here rests on Clp. Use it in a child
/// process only. `rows`: of the model, to begin with; a proof for a certificate has none but those
/// of moment_rows().
ProofAttempt search_proof(const MomentModel& model, const ProofCosts& costs,
                          std::vector<ProofRow> rows, const ProofSearchLimits& limits,
                          const ProofReport& report);

}  // namespace poet
