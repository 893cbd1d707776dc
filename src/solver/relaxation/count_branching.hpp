#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "poet/schedule.hpp"
#include "poet/solver_features.hpp"
#include "solver/formulation/cuts.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/relaxation/counts.hpp"
#include "solver/work.hpp"

namespace poet {

/// What an attempt to improve the incumbent came to.
struct Improvement {
  std::optional<Schedule> schedule;  ///< a better one
  std::int64_t work = 0;             ///< in moves
};

/// Inputs of the search, and the functions that it calls while it runs.
struct CountBranchingOptions {
  SolverFeatures features;
  std::vector<int> rows;              ///< of the model, to start with
  std::vector<Cut> cuts;              ///< to start with
  int processes = 1;                  ///< that solve relaxations at the same time
  std::int64_t most_work = kNoLimit;  ///< in moves (work.hpp), with the work of `improve`
  Seconds time_limit_seconds = kInfinity;
  Bytes memory_bytes = 0;  ///< of all processes together; 0: no limit
  /// Only solutions below it are of interest. Called in the child process, again whenever `improve`
  /// has found something.
  std::function<double()> ceiling;
  /// Called in a copy of the child process: tries to turn a relaxation's optimum and bound into a
  /// better schedule, with so much work at most.
  std::function<Improvement(const std::vector<double>& values, double bound,
                            std::int64_t most_work)>
      improve;
  /// Called with what `improve` found, in the child process and in the caller's.
  std::function<void(const Schedule&)> improved;
  /// Called in the caller's process with each better bound and the nodes so far; false stops the
  /// search.
  std::function<bool(double bound, std::int64_t nodes)> progress;
};

/// What a search leaves.
struct CountBranchingResult {
  enum class Status {
    searched,  ///< `subproblems` hold every solution below the ceiling; if empty, none exists
    failed,    ///< the child process crashed; nothing is known
  };
  Status status = Status::failed;
  std::vector<Subproblem> subproblems;
  double bound = -kInfinity;  ///< of every solution; the last ceiling if no subproblem is left
  std::int64_t nodes = 0;     ///< relaxations solved to a bound
  std::int64_t work = 0;      ///< in moves
};

/// Branch and bound on counts, least bound first, in a child process. Every node is a relaxation
/// (relaxation.hpp) with ranges for some counts, solved from its parent's basis; rows on demand
/// enter it as they are violated. Ends when every subproblem is either above the ceiling or has no
/// fractional count that matters, when time or the work that it may do is used up, or with 2000
/// open nodes, each of which holds a basis; the subproblems that are left are CBC's work. If the
/// search makes no progress, it returns the whole problem as one subproblem. A relaxation whose
/// process fails leaves its subproblem to CBC.
///
/// `processes` share the relaxations and `most_work` (OrderedCalls, WorkShares). Best-first search
/// solves every node below the ceiling sooner or later; that a node is chosen before the last few
/// answers are known changes little but the order.
///
/// Networks repeat their layers, and a schedule can do the same thing in many stages. So the
/// relaxation mixes schedules by halves, and the obvious branching, on one of ten thousand columns,
/// moves the bound by nothing: another stage or another equal layer takes over. All these schedules
/// agree on *how much* is done. If the relaxation recomputes 3.5 convolutions of one kind, every
/// schedule recomputes at most 3 or at least 4, and either branch moves the bound by a per cent.
/// The idea is ours; it is branching on a general disjunction, chosen by the structure of networks.
/// It proves problems that CBC on the same columns leaves open.
CountBranchingResult run_count_branching(const Formulation& model, const Graph& graph,
                                         const ScaledMilp& scaled, const std::vector<Count>& counts,
                                         const CountBranchingOptions& options);

/// Throws MalformedMessage if a result from another process has a range of a count beyond `counts`.
void check_ranges(const CountBranchingResult& result, std::size_t counts);

}  // namespace poet
