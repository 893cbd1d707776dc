#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"
#include "solver/work.hpp"

namespace poet {

/// CBC ignores solutions that improve on the best known, or on the cutoff, by less than this.
inline constexpr double kCutoffIncrement = 1e-6;

/// Valid rows that a point of the relaxation violates.
using CutFunction = std::function<std::vector<MilpRow>(std::span<const double> values)>;

struct MipOptions {
  double cutoff = kInfinity;  ///< only solutions below it are of interest
  double absolute_gap = 0;    ///< stop when incumbent - bound is at most this
  Seconds time_limit_seconds = kInfinity;
  Bytes memory_bytes = 0;              ///< of all processes together; 0: no limit
  int node_limit = 0;                  ///< of the branch and bound; 0 = none
  std::int64_t iterations = kNoLimit;  ///< of the simplex, before another node begins
  std::uint32_t seed = 1;
  bool presolve = true;  ///< in the first search; see `confirm`
  /// Whether a second search must confirm "nothing below the cutoff" before it is reported: without
  /// presolve, which has called feasible models infeasible, and if there is no cutoff with all
  /// costs zero, since prices far apart have done so too.
  bool confirm = true;
  bool fine = false;       ///< a column is whole within 1e-9 instead of 1e-6; slower
  bool heuristics = true;  ///< switch off if a good incumbent is known
  CutFunction cuts;        ///< called at the search's nodes; excludes presolve
};

/// A MIP search under way.
struct MipProgress {
  std::int64_t nodes = 0;
  double bound = -kInfinity;
};

struct MipResult {
  enum class Status {
    finished,  ///< searched to the gap asked for: the best solution, or none below the cutoff,
               ///< confirmed unless MipOptions::confirm is off
    stopped,   ///< time limit or interruption
    failed,    ///< the solver crashed or contradicted itself; `message` says how
  };
  Status status = Status::failed;
  double bound = -kInfinity;                  ///< proven for every solution below the cutoff
  std::optional<std::vector<double>> values;  ///< of the columns, for the best solution found
  /// Whether the bound had to be lowered for points that CBC took for solutions although they were
  /// none, or cost more when rounded; or whether two searches disagreed.
  bool doubtful = false;
  /// Some of the points that were no solutions, by column; only without presolve, which has other
  /// columns.
  std::vector<std::vector<double>> dropped;
  std::int64_t nodes = 0;
  std::int64_t iterations = 0;  ///< of the simplex
  int searches = 1;             ///< how many agree on the answer
  std::string message;
};

/// Minimises the sum of costs (the objective offset apart) with COIN-OR CBC in a child process,
/// so that neither a crash, an `exit()`, a missed time limit nor output on stdout can reach the
/// caller. `progress` is called now and then and returns false to stop the search. Values and bound
/// are in the model's own units; the model should be scaled (scaling.hpp). Treat the result as an
/// opinion: replay solutions, and compute the gap from the replayed energy.
MipResult solve_mip(const Milp& milp, const MipOptions& options,
                    const std::function<bool(const MipProgress&)>& progress);

/// CBC in this process, for use inside a child process only: it prints, may exit, and cannot run
/// twice at once. See solve_mip() for everything else.
MipResult run_cbc(const Milp& milp, const MipOptions& options,
                  const std::function<void(const MipProgress&)>& progress);

}  // namespace poet
