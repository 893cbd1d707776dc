#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"
#include "solver/work.hpp"

namespace poet {

/// What the linear relaxation of a model shows.
struct RowLoopResult {
  enum class Status {
    bounded,     ///< `bound` is the best one reached
    closed,      ///< nothing lies below the ceiling: proven
    infeasible,  ///< no point satisfies the rows, at any cost: proven
    failed,      ///< the child process crashed; nothing is known
  };
  Status status = Status::failed;
  double bound = -kInfinity;    ///< on the objective, without the offset; proven (dual_bound.hpp)
  std::int64_t iterations = 0;  ///< of the simplex
  std::int64_t work = 0;        ///< in moves
};

/// Valid rows that a point of the relaxation violates.
using RowFunction = std::function<std::vector<MilpRow>(std::span<const double> values)>;

struct RowLoopOptions {
  double ceiling = kInfinity;         ///< only solutions below it are of interest
  RowFunction cuts;                   ///< called in the child process once few rows are violated
  double least_gain = 2e-3;           ///< of the bound, in three rounds: else the loop ends
  std::int64_t most_work = kNoLimit;  ///< in moves (work.hpp)
  Seconds time_limit_seconds = kInfinity;
  Bytes memory_bytes = 0;  ///< of all processes together; 0: no limit
};

/// Solves the linear relaxation by dual simplex in a child process. The first program leaves out
/// the rows that are rarely tight; those that the optimum violates enter, then cuts, and the next
/// solve starts from the last basis. Ends when nothing is violated, when rounds gain next to
/// nothing, when the bound reaches the ceiling, or when time is up. `progress` receives each better
/// bound and returns false to stop.
///
/// The sampled relaxation has two rows for each edge and moment, and one in twenty counts: all
/// rows at once take several times as long.
RowLoopResult run_row_loop(const Milp& milp, const RowLoopOptions& options,
                           const std::function<bool(double)>& progress);

}  // namespace poet
