#include <limits>

#include <fmt/format.h>

#include "io/files.hpp"
#include "io/milp_writer.hpp"
#include "poet/error.hpp"
#include "poet/solve.hpp"
#include "solver/formulation.hpp"
#include "solver/scope.hpp"

namespace poet {

void export_milp(const Problem& problem, const std::string& path) {
  const bool mps = path.ends_with(".mps");
  if (!mps && !path.ends_with(".lp")) {
    throw InputError(path, "unknown kind of model file; expected a name that ends in .mps or .lp");
  }
  check_writable(path);
  const Scope scope = make_scope(problem, false, std::numeric_limits<double>::infinity());
  const Milp milp = formulate(problem, scope).milp;
  write_file(path, mps ? to_mps(milp, "poet") : to_lp(milp, "poet"));
}

}  // namespace poet
