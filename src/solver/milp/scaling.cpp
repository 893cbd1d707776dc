#include "solver/milp/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace poet {
namespace {

constexpr double kUnitsOfReference = 1e4;
constexpr double kMaxCoefficient = 1 << 12;
constexpr double kRelativeRounding = 1e-15;  // four or five units in the last place
/// What CBC's tolerances can hide beside a column of kDearestColumn units: a hundred times 1e-6.
constexpr double kHiddenByTolerances = 1e-4;

double usual_units_per_joule(Joules dearest, Joules reference) {
  // If computing costs nothing, the largest price is the measure.
  const Joules unit = reference > 0 ? reference : dearest;
  return unit > 0 ? kUnitsOfReference / unit : 1;
}

}  // namespace

void scale_row(MilpRow& row) {
  const double largest = largest_coefficient(row);
  const bool in_range = largest <= kMaxCoefficient && largest >= 1;
  if (largest == 0 || in_range) return;
  multiply_by_power_of_two(row, std::ilogb(kMaxCoefficient) - std::ilogb(largest));
}

double units_per_joule(Joules dearest, Joules reference) {
  const double units = usual_units_per_joule(dearest, reference);
  return dearest * units > kDearestColumn ? kDearestColumn / dearest : units;
}

ScaledMilp scale(const Milp& milp, Joules reference) {
  ScaledMilp scaled{.milp = milp};
  Joules largest = 0;
  for (const MilpColumn& column : milp.columns) largest = std::max(largest, column.cost);
  scaled.units_per_joule = units_per_joule(largest, reference);
  scaled.milp.objective_offset = 0;
  for (MilpColumn& column : scaled.milp.columns) column.cost *= scaled.units_per_joule;
  scaled.rounding = kRelativeRounding * largest * scaled.units_per_joule;
  const bool coarse = scaled.units_per_joule < usual_units_per_joule(largest, reference);
  if (coarse) scaled.rounding += kHiddenByTolerances;
  for (MilpRow& row : scaled.milp.rows) scale_row(row);
  return scaled;
}

Milp without_costs(Milp milp) {
  for (MilpColumn& column : milp.columns) column.cost = 0;
  return milp;
}

double dual_tolerance(const Milp& milp, double share) {
  constexpr double kClpDefault = 1e-7;
  constexpr double kMinTolerance = 1e-10;
  double least = kInfinity;
  for (const MilpColumn& column : milp.columns) {
    if (column.cost > 0) least = std::min(least, column.cost);
  }
  return std::clamp(share * least, kMinTolerance, kClpDefault);
}

double largest_coefficient(const MilpRow& row) {
  double largest = 0;
  for (const MilpTerm& term : row.terms) largest = std::max(largest, std::abs(term.coefficient));
  return largest;
}

double norm(const MilpRow& row) {
  double squares = 0;
  for (const MilpTerm& term : row.terms) squares += term.coefficient * term.coefficient;
  return std::sqrt(std::max(squares, 1e-30));
}

double excess(const MilpRow& row, std::span<const double> values) {
  double activity = 0;
  for (const MilpTerm& term : row.terms) activity += term.coefficient * values[term.column];
  return std::max(activity - row.upper, row.lower - activity);
}

void multiply_by_power_of_two(MilpRow& row, int exponent) {
  for (MilpTerm& term : row.terms) term.coefficient = std::ldexp(term.coefficient, exponent);
  row.lower = std::ldexp(row.lower, exponent);
  row.upper = std::ldexp(row.upper, exponent);
}

ColumnArrays::ColumnArrays(const Milp& milp) {
  for (const MilpColumn& column : milp.columns) {
    lower.push_back(column.lower);
    upper.push_back(std::min(column.upper, std::numeric_limits<double>::max()));
    costs.push_back(column.cost);
  }
}

}  // namespace poet
