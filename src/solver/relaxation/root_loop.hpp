#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "poet/solver_features.hpp"
#include "solver/formulation/cuts.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/work.hpp"

namespace poet {

/// What the linear relaxation, strengthened by precedence cuts, shows about a model.
struct RootResult {
  enum class Status {
    bounded,  ///< `bound` is the best one reached
    closed,   ///< nothing lies below the ceiling: proven
    failed,   ///< no linear program was solved: the child process crashed, or time or work were
              ///< used up before
  };
  Status status = Status::failed;
  double bound = -kInfinity;       ///< in units of the scaled model
  std::vector<std::int8_t> fixed;  ///< by column: 0 or 1 in every solution below the
                                   ///< ceiling, or -1; empty if nothing is known
  std::vector<int> active_rows;    ///< rows in the linear program at the end, most of them
                                   ///< tight: of the model, and after them on demand
  std::vector<Cut> active_cuts;    ///< cuts in it
  std::vector<double> values;      ///< of the columns, at the last optimum
  bool complete = false;           ///< it ended because cuts no longer paid
  std::int64_t work = 0;           ///< in moves (work.hpp)
};

struct RootOptions {
  double ceiling = kInfinity;          ///< only solutions below it are of interest
  SolverFeatures features;             ///< it reads the cuts and cost_fixing
  std::vector<int> rows;               ///< to start with, for example from an earlier loop on this
                                       ///< model; if none are given, those that are often tight
  std::vector<Cut> cuts;               ///< to start with, likewise, of any model of the problem
  bool again = false;                  ///< an earlier loop has rested with these cuts
  double open_for_tails = kInfinity;   ///< tail cuts if more is open and iterations have no limit
  std::int64_t iterations = kNoLimit;  ///< of the simplex, after the first solve
  std::int64_t most_work = kNoLimit;   ///< in moves; it can cut the first solve short
  Seconds time_limit_seconds = kInfinity;
  Bytes memory_bytes = 0;  ///< of all processes together; 0: no limit
};

/// By how much, in scaled units, a reduced cost must lift the bound over the ceiling before its
/// column is fixed: 1e-8 of the baseline, and what rounding can hide beside the dearest column.
double fixing_margin(const ScaledMilp& scaled);

/// Solves the relaxation (relaxation.hpp) by dual simplex in a child process, again and again while
/// it violates rows of the model or cuts. Ends when cuts no longer pay (patience.hpp), the bound
/// reaches the ceiling, or time is up. `progress` receives each better bound and returns false to
/// stop.
///
/// Often the loop is the whole proof: the dual simplex passes the ceiling. Otherwise a column whose
/// reduced cost lifts the bound to the ceiling is fixed, and branching on counts and CBC start from
/// the rows and cuts that are tight at the end.
RootResult run_root_loop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const RootOptions& options, const std::function<bool(double)>& progress);

}  // namespace poet
