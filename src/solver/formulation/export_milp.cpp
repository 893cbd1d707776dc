#include "solver/formulation/export_milp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/milp/milp.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

/// A power of ten that brings the objective to about 1e3. Other solvers have absolute tolerances
/// too: given small joules, glpsol called 0.4571 mJ optimal where the optimum is 0.4560 mJ.
int objective_exponent(const Milp& milp) {
  Joules measure = milp.objective_offset;
  for (const MilpColumn& column : milp.columns) measure = std::max(measure, column.cost);
  return measure > 0 ? 3 - static_cast<int>(std::floor(std::log10(measure))) : 0;
}

void scale_objective(Milp& milp, double factor) {
  milp.objective_offset *= factor;
  for (MilpColumn& column : milp.columns) column.cost *= factor;
}

/// HiGHS takes coefficients of 1e-9, such as runtimes of nanoseconds, for zero. Powers of two are
/// exact.
void enlarge_small_rows(Milp& milp) {
  for (MilpRow& row : milp.rows) {
    const double largest = largest_coefficient(row);
    if (largest > 0 && largest < 1) multiply_by_power_of_two(row, -std::ilogb(largest));
  }
}

}  // namespace

Formulation exported_model(const Problem& problem) {
  return formulate(problem,
                   useful_windows(problem, false, std::numeric_limits<double>::infinity()));
}

void export_milp(const Problem& problem, const std::string& path, const ProblemOrigin& origin) {
  const bool mps = path.ends_with(".mps");
  if (!mps && !path.ends_with(".lp")) {
    throw InputError(path, "unknown kind of model file; expected a name that ends in .mps or .lp");
  }
  check_writable(path);
  Formulation model = exported_model(problem);
  const ExportHead head =
      export_head(problem, model, mps ? MilpFormat::mps : MilpFormat::lp, origin);
  Milp& milp = model.milp;
  const int exponent = objective_exponent(milp);
  scale_objective(milp, std::pow(10.0, exponent));
  enlarge_small_rows(milp);
  std::string remark = fmt::format(
      "poet: energy of one training step in units of 1e{} J, baseline included\n", -exponent);
  for (const ExportFact& fact : head.facts) remark += fmt::format("{}: {}\n", fact.key, fact.value);
  remark += "nodes, whose numbers end the names of columns:\n";
  for (int k = 0; k < problem.graph.size(); ++k) {
    remark += fmt::format("  {} {}\n", k, printable(problem.graph.nodes[k].name));
  }
  write_file(path, mps ? to_mps(milp, remark) : to_lp(milp, remark));
}

}  // namespace poet
