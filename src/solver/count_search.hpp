#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "solver/counts.hpp"
#include "solver/formulation.hpp"
#include "solver/root_loop.hpp"
#include "solver/scaling.hpp"

namespace poet {

/// A range for one count.
struct CountRange {
  int count = 0;
  double lower = -kInfinity;
  double upper = kInfinity;
};

/// A part of the problem: the solutions in which some counts are in ranges.
struct Part {
  double bound = -kInfinity;  ///< on the scaled objective, for every solution in the part
  std::vector<CountRange> ranges;
  bool settled = false;        ///< no count is left to branch on
  std::vector<double> values;  ///< of the relaxation's columns; for the first few parts
};

struct CountSearchResult {
  enum class Status {
    searched,  ///< `parts` hold every solution below the ceiling; none: there is none
    failed,    ///< the child process crashed; nothing is known
  };
  Status status = Status::failed;
  std::vector<Part> parts;  ///< least bound first
  std::int64_t nodes = 0;   ///< relaxations solved to a bound

  /// Whether branching on counts has done what it can.
  bool complete() const;
  /// Of every solution; the ceiling where no part is left.
  double bound(double ceiling) const;
};

inline constexpr std::int64_t kNoNodeLimit = std::numeric_limits<std::int64_t>::max();

struct CountSearchOptions {
  double ceiling = kInfinity;  ///< only solutions below it are of interest
  Techniques techniques;
  std::vector<Part> parts{{}};      ///< to search; the whole problem where there is none yet
  std::vector<int> rows;            ///< of the model, to start with
  std::vector<PrecedenceCut> cuts;  ///< to start with
  std::int64_t nodes = kNoNodeLimit;
  Seconds time_limit_seconds = kInfinity;
};

/// Branch and bound on counts, best bound first, in a child process: every node is a relaxation
/// (relaxation.hpp) with ranges for some counts, solved from its parent's basis. Ends when all
/// parts are either above the ceiling or have no fractional count that matters, which leaves them
/// to CBC, or when time is up. `progress` gets each better bound and the nodes so far, and returns
/// false to stop.
CountSearchResult run_count_search(
    const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
    const std::vector<Count>& counts, const CountSearchOptions& options,
    const std::function<bool(double bound, std::int64_t nodes)>& progress);

}  // namespace poet
