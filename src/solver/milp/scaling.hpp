#pragma once

#include <span>
#include <vector>

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A model in numbers that suit CBC's absolute tolerances, and the way back.
struct ScaledMilp {
  Milp milp;
  double units_per_joule = 1;
  /// What rounding can add to an objective, in units: some last places of the dearest column. With
  /// a page of 1e8 times the baseline's energy, CBC's bounds were too high by that much. If the
  /// unit is coarse, also what CBC's tolerances can hide.
  double rounding = 0;

  double to_units(Joules extra) const { return extra * units_per_joule; }
  Joules to_joules(double units) const { return units / units_per_joule; }
};

/// Puts costs in units of 1e-4 of `reference` (the baseline's energy), so that a relative gap of
/// 1e-4 is one unit, multiplies rows with large or small coefficients by a power of two
/// (scale_row), which is exact, and drops the offset. Correctness needs this, not only speed: with
/// small joules, solvers call schedules of the unscaled published formulation optimal that are up
/// to 0.6 % above the optimum.
///
/// The dearest column costs kDearestColumn units at most: beside it the unit is coarser.
///
/// Without scaling, the first linear program of `resnet50` ran without end.
ScaledMilp scale(const Milp& milp, Joules reference);

/// Units of the dearest column that CBC can bear beside its tolerances. Clp's own weight for a
/// broken bound is 1e10. With transfers at 1e15 units, CBC called problems infeasible that are not,
/// with presolve and without.
inline constexpr double kDearestColumn = 1e10;

/// The unit that scale() takes if the dearest column costs `dearest`.
double units_per_joule(Joules dearest, Joules reference);

/// The same model with all costs zero: what is searched for any solution.
Milp without_costs(Milp milp);

/// Scales a row as scale() does, if its largest coefficient is below 1 or above 2^12: by the power
/// of two that brings it to at least 2^12 and below 2^13. For a row that comes later.
void scale_row(MilpRow& row);

/// How far below zero the simplex method may leave a reduced cost: Clp's own 1e-7, or `share` of
/// the least price if that is smaller. With pages at 1e-9 of a recomputation, Clp called a solution
/// optimal that paged too much. The share leaves room for Clp's own scaling of the columns, which
/// can shrink a reduced cost by some powers of ten.
double dual_tolerance(const Milp& milp, double share);

double largest_coefficient(const MilpRow& row);

/// The Euclidean length of the coefficients.
double norm(const MilpRow& row);

/// By how much a point, given as the values of all columns, misses the row's range; not positive
/// within it.
double excess(const MilpRow& row, std::span<const double> values);

/// Multiplies a row and its bounds by 2^exponent, which is exact.
void multiply_by_power_of_two(MilpRow& row, int exponent);

/// The columns of a model as COIN-OR takes them. A missing bound is the largest double.
struct ColumnArrays {
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> costs;

  explicit ColumnArrays(const Milp& milp);
};

}  // namespace poet
