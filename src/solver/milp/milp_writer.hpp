#pragma once

#include <string>

#include "solver/milp/milp.hpp"

namespace poet {

/// The model as free MPS, headed by a one-line remark. The objective's offset becomes a column
/// `baseline` fixed at 1, because readers disagree about constants in the objective.
std::string to_mps(const Milp& milp, const std::string& remark);

/// The model in CPLEX's LP format, likewise.
std::string to_lp(const Milp& milp, const std::string& remark);

}  // namespace poet
