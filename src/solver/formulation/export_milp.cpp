#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "io/files/write_file.hpp"
#include "io/milp_writer.hpp"
#include "poet/error.hpp"
#include "poet/solve.hpp"
#include "solver/formulation/formulation.hpp"
#include "solver/formulation/scope.hpp"

namespace poet {
namespace {

/// A power of ten that brings the objective to about 1e3: other solvers have absolute tolerances
/// too, and called wrong answers optimal when given small joules.
int objective_exponent(const Milp& milp) {
  Joules measure = milp.objective_offset;
  for (const MilpColumn& column : milp.columns) measure = std::max(measure, column.cost);
  return measure > 0 ? 3 - static_cast<int>(std::floor(std::log10(measure))) : 0;
}

void scale_objective(Milp& milp, double factor) {
  milp.objective_offset *= factor;
  for (MilpColumn& column : milp.columns) column.cost *= factor;
}

/// Runtimes of nanoseconds are below what other solvers take for zero. Powers of two are exact.
void enlarge_small_rows(Milp& milp) {
  for (MilpRow& row : milp.rows) {
    double largest = 0;
    for (const MilpTerm& term : row.terms) largest = std::max(largest, std::abs(term.coefficient));
    if (largest == 0 || largest >= 1) continue;
    const int shift = -std::ilogb(largest);
    for (MilpTerm& term : row.terms) term.coefficient = std::ldexp(term.coefficient, shift);
    row.lower = std::ldexp(row.lower, shift);
    row.upper = std::ldexp(row.upper, shift);
  }
}

}  // namespace

void export_milp(const Problem& problem, const std::string& path) {
  const bool mps = path.ends_with(".mps");
  if (!mps && !path.ends_with(".lp")) {
    throw InputError(path, "unknown kind of model file; expected a name that ends in .mps or .lp");
  }
  check_writable(path);
  const Scope scope = make_scope(problem, false, std::numeric_limits<double>::infinity());
  Milp milp = formulate(problem, scope).milp;
  const int exponent = objective_exponent(milp);
  scale_objective(milp, std::pow(10.0, exponent));
  enlarge_small_rows(milp);
  const std::string remark = fmt::format(
      "poet: energy of one training step in units of 1e{} J, baseline included", -exponent);
  write_file(path, mps ? to_mps(milp, remark) : to_lp(milp, remark));
}

}  // namespace poet
