// CBC's own cuts and branching raise the bound of a model with one moment by what violated rows and
// branching on counts do not: on a chain of 500 nodes with skips from 72 to 75 % of the extra
// energy in 20 nodes, where a tree on counts gained a fifth of a percent in 1,471.

#include "solver/proof/moment_milp.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "solver/formulation/knapsack_rounding.hpp"
#include "solver/proof/moment_rows.hpp"

namespace poet {
namespace {

/// "Ever" is a sum of events: it is whole if they are.
bool is_choice(const std::string& name) {
  return name[0] != 'Z' && name[0] != 'Y';
}

MilpRow as_milp_row(ProofRow row) {
  MilpRow converted{.name = std::move(row.line),
                    .lower = static_cast<double>(row.bound),
                    .rarely_tight = row.rarely_tight};
  for (const auto& [column, coefficient] : row.terms) {
    converted.terms.push_back({.column = column, .coefficient = static_cast<double>(coefficient)});
  }
  return converted;
}

/// Rule 5 at the moment of an interval.
void add_ram(const MomentModel& model, const ProofInterval& interval, Milp& milp) {
  Knapsack knapsack{.capacity = model.free_at(interval)};
  MilpRow row{.name = "ram"};
  for (int i = 0; i < interval.stage; ++i) {
    if (interval.in_ram[i] < 0 || model.node(i).bytes == 0) continue;
    knapsack.weights.push_back(model.node(i).bytes);
    row.terms.push_back({.column = interval.in_ram[i]});
  }
  const auto& weights = knapsack.weights;
  if (std::accumulate(weights.begin(), weights.end(), Bytes{0}) <= knapsack.capacity) return;
  const Knapsack tight = tighten(knapsack);
  for (std::size_t item = 0; item < row.terms.size(); ++item) {
    row.terms[item].coefficient = static_cast<double>(tight.weights[item]);
  }
  std::erase_if(row.terms, [](const MilpTerm& term) { return term.coefficient == 0; });
  row.upper = static_cast<double>(tight.capacity);
  milp.rows.push_back(std::move(row));
}

}  // namespace

Milp moment_milp(const MomentModel& model, const ProofCosts& costs) {
  Milp milp;
  for (std::size_t c = 0; c < model.size(); ++c) {
    const auto column = static_cast<ProofColumn>(c);
    milp.add_column({.name = model.name(column),
                     .cost = std::ldexp(static_cast<double>(model.cost(column)), -costs.shift),
                     .integer = is_choice(model.name(column))});
  }
  for (ProofRow& row : moment_rows(model)) milp.rows.push_back(as_milp_row(std::move(row)));
  for (const ProofInterval& interval : model.intervals()) add_ram(model, interval, milp);
  return milp;
}

}  // namespace poet
