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
  double bound = -kInfinity;               ///< in units of the scaled model
  std::vector<std::int8_t> fixed;          ///< by column: 0 or 1 in every solution below the
                                           ///< ceiling, or -1; empty if nothing is known
  std::vector<int> active_rows;            ///< rows in the linear program at the end, most of them
                                           ///< tight: of the model, and after them on demand
  std::vector<PrecedenceCut> active_cuts;  ///< cuts in it
  std::vector<double> values;              ///< of the columns, at the last optimum
  bool complete = false;                   ///< it ended because cuts no longer paid
  std::int64_t work = 0;                   ///< in moves (work.hpp)
};

struct RootOptions {
  double ceiling = kInfinity;          ///< only solutions below it are of interest
  SolverFeatures features;             ///< it reads precedence_cuts and cost_fixing
  std::vector<PrecedenceCut> cuts;     ///< to start with, for example from an earlier loop
  std::int64_t iterations = kNoLimit;  ///< of the simplex, after the first solve
  std::int64_t most_work = kNoLimit;   ///< in moves; it can cut the first solve short
  Seconds time_limit_seconds = kInfinity;
  Bytes memory_bytes = 0;  ///< of all processes together; 0: no limit
};

/// By how much, in scaled units, a reduced cost must lift the bound over the ceiling before its
/// column is fixed: 1e-8 of the baseline, and what rounding can hide beside the dearest column.
double fixing_margin(const ScaledMilp& scaled);

/// Solves the relaxation (relaxation.hpp) by dual simplex in a child process, again and again while
/// it violates rows of the model or cuts. Ends when cuts no longer pay, the bound reaches the
/// ceiling, or time is up. `progress` receives each better bound and returns false to stop.
///
/// The obvious course is to give CBC the model and let it solve the root. But CBC starts with all
/// rows and knows no precedence cuts. Cutting planes in rounds are folklore; what makes them fast
/// here is that a row is in the program only while it is tight, that the first program leaves out
/// the rarely tight memory rows, that each solve starts from the last basis, and that Clp perturbs
/// the costs of a highly degenerate model. With the encoding of residency as "carried or just paged
/// in" this took the root loop of the example from 2.1 s to 0.4 s for the same bound;
/// `resnet18_cifar/m4` at 500000 bytes went from 651.8 (in 1e-4 of the baseline), still rising
/// after 30 s, to 661.8 and at rest after 2.6 s; `resnet50/m4` at 47001011 bytes from 15 s to 1 s.
///
/// Slack rows once left in every fifth round only, and at most 400 cuts entered, of the optimum
/// alone. The exact step of `vgg16_cifar` on `stm32f746` is proven in 3.4 s instead of 7.6 s since,
/// and `resnet18_cifar/m4` at 350000 bytes in 10 s instead of 18 s. Tried without success: as many
/// cuts in the nodes of the branching on counts, which make each of them slower than they raise its
/// bound; and ending the loop by rounds alone, which leaves `resnet18_cifar/m4` at 481305 bytes
/// with 41e-4 of its energy open after 60 s instead of 8e-4.
///
/// Often the loop is the whole proof: the dual simplex passes the ceiling. Otherwise a column whose
/// reduced cost lifts the bound to the ceiling is fixed, and branching on counts and CBC start from
/// the rows and cuts that are tight at the end.
RootResult run_root_loop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const RootOptions& options, const std::function<bool(double)>& progress);

}  // namespace poet
