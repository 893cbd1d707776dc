#pragma once

#include <string>
#include <vector>

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"

namespace poet::bench {

/// What the program `cbc` made of a model. All of it is its own word.
struct CbcAnswer {
  /// What it says, shortened: `optimal`, `time limit`, `infeasible`, ..., or `killed`.
  std::string status;
  /// Of the columns, where it wrote an integer solution; else empty.
  std::vector<double> values;
  double bound = 0;  ///< in units of the objective
  bool has_bound = false;
  Seconds wall_seconds = 0;  ///< reading the model included
};

/// Whether there is such a program (Debian: coinor-cbc).
bool has_cbc_program();

/// Writes the model as a free-format .mps file in a folder for temporary files, lets `cbc` read and
/// solve it to the relative gap with its defaults, and removes the file. The program is killed
/// where it is long over the time limit (0: none).
CbcAnswer run_cbc_program(const Milp& milp, double gap, Seconds time_limit);

}  // namespace poet::bench
