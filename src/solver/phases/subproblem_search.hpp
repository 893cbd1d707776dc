#pragma once

#include <string>
#include <vector>

#include "solver/formulation/cuts.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/phases/phases.hpp"
#include "solver/relaxation/counts.hpp"

namespace poet {

/// Lets CBC search the subproblems of a model, as many at the same time as the settings allow, for
/// schedules that are better than the incumbent; the whole model is one subproblem without ranges.
/// The answer is the same for any number of processes, unless time runs out (OrderedCalls). The
/// subproblems cover all solutions below the cutoff, so the least of their bounds is a bound for
/// all. `rows` and `cuts` are those at the end of the root loop (RootResult); `phase` is the name
/// for progress.
///
/// Rows on demand (rows_on_demand.hpp) come in as cuts at CBC's nodes. Until they are in, its bound
/// is one on a relaxation, and its solutions may overrun the budget: these do not replay, their
/// rows are added, and CBC starts again.
///
/// CBC separates precedence cuts at its nodes, without its own presolve then. A point that CBC
/// takes for a solution although it overruns a budget by less than its tolerances is cut off by
/// covers, and CBC starts again.
ModelVerdict search_subproblems(SolveState& state, const std::string& phase,
                                const Formulation& model, const ScaledMilp& scaled,
                                const std::vector<int>& rows, const std::vector<Cut>& cuts,
                                const std::vector<Count>& counts,
                                std::vector<Subproblem> subproblems);

/// Lets CBC search the model with all costs zero for any schedule, if none is known yet.
/// Prices far apart make a search for a cheap schedule unreliable, and zero costs avoid them; the
/// schedule then shows which columns cost too much to matter.
ModelVerdict search_any_schedule(SolveState& state, const std::string& phase,
                                 const Formulation& model, const ScaledMilp& scaled);

}  // namespace poet
