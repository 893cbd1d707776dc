#include "solver/milp/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

constexpr double kUnitsOfReference = 1e4;
constexpr double kLargestCoefficient = 1 << 12;
constexpr double kRounding = 1e-15;  // four or five units in the last place

/// Divides a row by the power of two that brings its largest coefficient to 2^12.
void scale_row(MilpRow& row) {
  double largest = 0;
  for (const MilpTerm& term : row.terms) largest = std::max(largest, std::abs(term.coefficient));
  const bool in_range = largest <= kLargestCoefficient && largest >= 1;
  if (largest == 0 || in_range) return;
  const int shift = std::ilogb(kLargestCoefficient) - std::ilogb(largest);
  for (MilpTerm& term : row.terms) term.coefficient = std::ldexp(term.coefficient, shift);
  row.lower = std::ldexp(row.lower, shift);
  row.upper = std::ldexp(row.upper, shift);
}

}  // namespace

ScaledMilp scale(const Milp& milp, Joules reference) {
  ScaledMilp scaled{.milp = milp};
  Joules largest = 0;
  for (const MilpColumn& column : milp.columns) largest = std::max(largest, column.cost);
  // Where computing costs nothing, the largest price on offer is the measure.
  const Joules unit = reference > 0 ? reference : largest;
  if (unit > 0) scaled.units_per_joule = kUnitsOfReference / unit;
  scaled.milp.objective_offset = 0;
  for (MilpColumn& column : scaled.milp.columns) column.cost *= scaled.units_per_joule;
  scaled.rounding = kRounding * largest * scaled.units_per_joule;
  for (MilpRow& row : scaled.milp.rows) scale_row(row);
  return scaled;
}

double dual_tolerance(const Milp& milp, double share) {
  constexpr double kUsual = 1e-7;
  constexpr double kLeast = 1e-10;
  double least = kInfinity;
  for (const MilpColumn& column : milp.columns) {
    if (column.cost > 0) least = std::min(least, column.cost);
  }
  return std::clamp(share * least, kLeast, kUsual);
}

}  // namespace poet
