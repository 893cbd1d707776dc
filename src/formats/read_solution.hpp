#pragma once

#include <string>
#include <string_view>

#include "solver/milp/milp.hpp"

namespace poet {

/// Reads a solution that another solver has written: CBC (`solution FILE`), glpsol (`-w FILE`),
/// HiGHS (its option `solution_file`: raw, sparse or pretty) or Gurobi (`ResultFile=FILE.sol`). The
/// content decides which. `source` is named in errors.
///
/// Throws InputError, with the line, for anything malformed or cut short, for a solution of a
/// linear relaxation, and for a file whose solver found no solution, whose status it quotes.
MilpSolution parse_solution(std::string_view text, const std::string& source);

}  // namespace poet
