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
  /// What was to be proven: the target of the costs, or what a schedule found on the way left of
  /// it; 0 of a problem without costs.
  std::int64_t target = 0;
  std::int64_t units = 0;     ///< of extra energy that are proven
  bool is_promising = false;  ///< the tree has closed a part of what its root missed
  /// What the point at which the search ended computes again and pages (schedule_of_moments.hpp).
  /// If it was not for a limit, the point satisfies all rows: the model cannot prove the target.
  std::optional<Schedule> point;
  std::int64_t work = 0;  ///< in moves
};

/// What a search says on its way.
struct ProofNews {
  std::int64_t units = 0;            ///< that are proven, if there are more
  std::optional<Schedule> schedule;  ///< that leaves less to prove
};
using ProofReport = std::function<void(const ProofNews&)>;

/// Is given what a whole point computes again and pages. If it can make a schedule of this that
/// leaves less to prove, returns the target that is left.
using PointTaker = std::function<std::optional<std::int64_t>(const Schedule& point)>;

struct ProofSearchLimits {
  Seconds seconds = 0;
  /// If more: of a tree that has closed a part of what its root missed.
  Seconds most_seconds = 0;
  bool root_only = false;  ///< no tree: its relaxation, and the point that is its optimum
  std::int64_t most_work = kNoLimit;  ///< in moves
};

/// Searches a proof of the target of the costs: the linear relaxation of the moment model with rows
/// as they are violated, and branch and bound on counts (how often a node, or nodes of like cost,
/// are recomputed or paged), the best node first, with the target as cutoff. A leaf counts only if
/// its rounded prices prove it in whole numbers, so nothing here rests on Clp. Use it in a child
/// process only. `rows`: of the model, to begin with; a proof for a certificate has none but those
/// of moment_rows(). With `take_point` the target falls as points become schedules.
ProofAttempt search_proof(const MomentModel& model, const ProofCosts& costs,
                          std::vector<ProofRow> rows, const ProofSearchLimits& limits,
                          const ProofReport& report, const PointTaker& take_point = {});

}  // namespace poet
