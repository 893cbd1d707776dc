#pragma once

#include <string>

#include "poet/problem.hpp"
#include "poet/solve.hpp"
#include "solver/formulation/export_milp.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// The schedule that another solver's solution of an exported model describes. Every figure is
/// ours: the schedule is replayed, and the lower bound is the baseline's energy, which meets the
/// energy of a schedule that neither pages nor recomputes anything of cost. What the other solver
/// claims about optimality does not count.
///
/// `model` is the problem's exported_model(), `format` the format of the file that was solved, and
/// `source` the solution's file. The status is `optimal` if the bound is within `gap`, relative,
/// else `feasible`.
///
/// Throws InputError for a value that is not whole or not 0 or 1, for a column that the model does
/// not have, and for a solution whose schedule breaks a rule, with a line for each violation.
SolveResult import_solution(const Problem& problem, const Formulation& model, MilpFormat format,
                            const MilpSolution& solution, double gap, const std::string& source);

}  // namespace poet
