#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "solver/formulation/formulation.hpp"
#include "solver/formulation/precedence_cuts.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {

/// What the linear relaxation, strengthened by precedence cuts, has to say about a model.
struct RootResult {
  enum class Status {
    bounded,  ///< `bound` is the best that was reached
    closed,   ///< nothing lies below the ceiling: proven
    failed,   ///< the child process crashed; nothing is known
  };
  Status status = Status::failed;
  double bound = -kInfinity;               ///< in units of the scaled model
  std::vector<std::int8_t> fixed;          ///< by column: 0 or 1 in every solution below the
                                           ///< ceiling, or -1; empty where nothing is known
  std::vector<int> active_rows;            ///< of the model, that are tight at the end
  std::vector<PrecedenceCut> active_cuts;  ///< those that are tight at the end
  std::vector<double> values;              ///< of the columns, at the last optimum
  bool complete = false;                   ///< it ended because cuts no longer paid
};

inline constexpr std::int64_t kNoIterationLimit = std::numeric_limits<std::int64_t>::max();

struct RootOptions {
  double ceiling = kInfinity;       ///< only solutions below it are of interest
  Techniques techniques;            ///< precedence cuts and fixing by reduced costs are heeded
  std::vector<PrecedenceCut> cuts;  ///< to start with, say of an earlier loop
  std::int64_t iterations = kNoIterationLimit;  ///< of the simplex, after the first solve
  Seconds time_limit_seconds = kInfinity;
};

/// Solves the relaxation (relaxation.hpp) by dual simplex in a child process, again and again while
/// it violates rows of the model or cuts. Ends when
/// cuts no longer pay, the bound reaches the ceiling, or time is up. `progress` gets each better
/// bound and returns false to stop.
RootResult run_root_loop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const RootOptions& options, const std::function<bool(double)>& progress);

}  // namespace poet
