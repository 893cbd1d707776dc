// CBC's own cuts and twenty of its nodes raise the bound of a model with one moment where neither
// violated rows nor a tree of a thousand nodes on counts do.

#include "solver/moments/moment_milp.hpp"

#include <cmath>
#include <string>

namespace poet {
namespace {

/// "Ever" is a sum of events: it is whole if they are.
bool is_choice(const std::string& name) {
  return name[0] != 'Z' && name[0] != 'Y';
}

MilpRow as_milp_row(const ProofRow& row) {
  MilpRow converted{
      .name = row.line, .lower = static_cast<double>(row.bound), .rarely_tight = row.rarely_tight};
  for (const auto& [column, coefficient] : row.terms) {
    converted.terms.push_back({.column = column, .coefficient = static_cast<double>(coefficient)});
  }
  return converted;
}

}  // namespace

Milp moment_milp(const MomentModel& model, const ProofCosts& costs,
                 std::span<const ProofRow> rows) {
  Milp milp;
  for (std::size_t c = 0; c < model.size(); ++c) {
    const auto column = static_cast<ProofColumn>(c);
    milp.add_column({.name = model.name(column),
                     .cost = std::ldexp(static_cast<double>(model.cost(column)), -costs.shift),
                     .integer = is_choice(model.name(column))});
  }
  for (const ProofRow& row : rows) milp.rows.push_back(as_milp_row(row));
  return milp;
}

}  // namespace poet
