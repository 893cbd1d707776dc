#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// Solutions less than this better than the best known, or than the cutoff, are not looked for.
inline constexpr double kCutoffIncrement = 1e-6;

/// Valid rows that a point of the relaxation violates.
using CutFunction = std::function<std::vector<MilpRow>(std::span<const double> values)>;

struct MipOptions {
  double cutoff = kInfinity;  ///< only solutions below it are of interest
  double absolute_gap = 0;    ///< stop when incumbent - bound is at most this
  Seconds time_limit_seconds = kInfinity;
  int node_limit = 0;  ///< of the branch and bound; 0 = none
  int threads = 1;
  std::uint32_t seed = 1;
  bool presolve = true;
  bool fine = false;       ///< a column is whole within 1e-9 instead of 1e-6; slower
  bool heuristics = true;  ///< off where a good incumbent is known
  CutFunction cuts;        ///< called at the search's nodes; goes without presolve
};

/// A MIP search under way.
struct MipProgress {
  std::int64_t nodes = 0;
  double bound = -kInfinity;
};

struct MipResult {
  enum class Status {
    finished,  ///< searched to the gap asked for: the best solution, or none below the cutoff
    stopped,   ///< time limit or interruption
    failed,    ///< the solver crashed or contradicted itself; `message` says how
  };
  Status status = Status::failed;
  double bound = -kInfinity;                  ///< proven for every solution below the cutoff
  std::optional<std::vector<double>> values;  ///< of the columns, for the best solution found
  /// Whether the bound would be better, but for points that were taken for solutions and were none,
  /// or cost more when rounded.
  bool doubtful = false;
  /// Some of those that were none, by column; only without presolve, whose columns are others.
  std::vector<std::vector<double>> dropped;
  std::int64_t nodes = 0;
  std::string message;
};

/// Minimises the sum of costs (the objective offset apart) with COIN-OR CBC in a child process,
/// so that neither a crash, an `exit()`, a missed time limit nor output on stdout can touch the
/// caller. `progress` is called now and then and returns false to stop the search. Values and bound
/// are in the model's own units; the model should be scaled (scaling.hpp). The result is an
/// opinion: replay solutions, and compute the gap from the replayed energy.
MipResult solve_mip(const Milp& milp, const MipOptions& options,
                    const std::function<bool(const MipProgress&)>& progress);

}  // namespace poet
