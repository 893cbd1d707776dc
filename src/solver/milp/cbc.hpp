#pragma once

#include "solver/milp/mip_solver.hpp"

namespace poet {

/// CBC in this process, for use inside a child process only: it prints, may exit, and cannot run
/// twice at once. See solve_mip() for the meaning of everything.
MipResult run_cbc(const Milp& milp, const MipOptions& options,
                  const std::function<void(const MipProgress&)>& progress);

}  // namespace poet
