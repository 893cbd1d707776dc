#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "poet/schedule.hpp"
#include "solver/bounds/counts.hpp"
#include "solver/bounds/part.hpp"
#include "solver/bounds/root_loop.hpp"
#include "solver/formulation/formulation.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {

struct CountSearchResult {
  enum class Status {
    searched,  ///< `parts` hold every solution below the ceiling; none: there is none
    failed,    ///< the child process crashed; nothing is known
  };
  Status status = Status::failed;
  std::vector<Part> parts;
  double bound = -kInfinity;  ///< of every solution; the last ceiling where no part is left
  std::int64_t nodes = 0;     ///< relaxations solved to a bound
};

/// What the search asks for while it runs.
struct CountSearchOptions {
  Techniques techniques;
  std::vector<int> rows;            ///< of the model, to start with
  std::vector<PrecedenceCut> cuts;  ///< to start with
  Seconds time_limit_seconds = kInfinity;
  /// Only solutions below it are of interest. In the child process: asked anew when `improve` has
  /// found something.
  std::function<double()> ceiling;
  /// In the child process: tries to make a better schedule of a relaxation's optimum and bound.
  std::function<std::optional<Schedule>(const std::vector<double>& values, double bound)> improve;
  /// In the caller: gets what `improve` found.
  std::function<void(const Schedule&)> improved;
  /// In the caller: each better bound and the nodes so far; false stops the search.
  std::function<bool(double bound, std::int64_t nodes)> progress;
};

/// Branch and bound on counts, best bound first, in a child process: every node is a relaxation
/// (relaxation.hpp) with ranges for some counts, solved from its parent's basis. Now and then, and
/// where no count is left to branch on, the optimum is polished into a schedule. Ends when all
/// parts are either above the ceiling or without a fractional count that matters, which leaves
/// them to CBC, or when time is up or memory gets short. Where it gets nowhere, the whole
/// problem is the one part that is left.
CountSearchResult run_count_search(const Formulation& model, const Graph& graph,
                                   const ScaledMilp& scaled, const std::vector<Count>& counts,
                                   const CountSearchOptions& options);

}  // namespace poet
