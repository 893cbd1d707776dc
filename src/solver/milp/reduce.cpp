#include "solver/milp/reduce.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

constexpr double kTolerance = 1e-9;  // of the activity of a row, beside its largest terms

/// What a row can come to.
struct Activity {
  double least = 0;
  double most = 0;
  double largest = 1;  // term

  void add(double at_lower, double at_upper) {
    least += std::min(at_lower, at_upper);
    most += std::max(at_lower, at_upper);
    largest = std::max({largest, std::abs(at_lower), std::abs(at_upper)});
  }
};

/// The row in the columns that are left; `fixed` is what the others come to.
MilpRow reduced_row(const MilpRow& row, const std::vector<int>& place, double fixed) {
  MilpRow left{.name = row.name, .lower = row.lower - fixed, .upper = row.upper - fixed};
  left.rarely_tight = row.rarely_tight;
  for (const MilpTerm& term : row.terms) {
    if (place[term.column] >= 0) left.terms.push_back({place[term.column], term.coefficient});
  }
  return left;
}

}  // namespace

ReducedMilp without_fixed_columns(const Milp& milp) {
  ReducedMilp reduced{.milp = {.objective_offset = milp.objective_offset}};
  std::vector<int> place(milp.columns.size(), -1);
  for (std::size_t c = 0; c < milp.columns.size(); ++c) {
    const MilpColumn& column = milp.columns[c];
    if (column.lower == column.upper) {
      reduced.milp.objective_offset += column.cost * column.lower;
      continue;
    }
    place[c] = reduced.milp.add_column(column);
    reduced.columns.push_back(static_cast<int>(c));
  }
  for (const MilpRow& row : milp.rows) {
    Activity activity;
    double fixed = 0;
    for (const MilpTerm& term : row.terms) {
      const MilpColumn& column = milp.columns[term.column];
      activity.add(term.coefficient * column.lower, term.coefficient * column.upper);
      if (place[term.column] < 0) fixed += term.coefficient * column.lower;
    }
    const double slack = kTolerance * activity.largest;
    if (activity.least > row.upper + slack || activity.most < row.lower - slack) {
      reduced.infeasible = true;
      return reduced;
    }
    // A row that is met to within rounding alone stays: the search has a tolerance of its own.
    if (activity.least >= row.lower && activity.most <= row.upper) continue;
    reduced.milp.rows.push_back(reduced_row(row, place, fixed));
    if (reduced.milp.rows.back().terms.empty()) reduced.milp.rows.pop_back();
  }
  return reduced;
}

std::vector<double> expand(const Milp& milp, const ReducedMilp& reduced,
                           std::span<const double> values) {
  std::vector<double> all;
  all.reserve(milp.columns.size());
  for (const MilpColumn& column : milp.columns) all.push_back(column.lower);
  for (std::size_t c = 0; c < reduced.columns.size(); ++c) all[reduced.columns[c]] = values[c];
  return all;
}

}  // namespace poet
