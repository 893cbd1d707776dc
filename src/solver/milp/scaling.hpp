#pragma once

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A model in numbers that suit CBC's absolute tolerances, and the way back.
struct ScaledMilp {
  Milp milp;
  double units_per_joule = 1;
  /// What rounding can add to an objective, in units: some last places of the dearest column. Where
  /// a page costs 1e8 times the baseline, CBC's bounds have been seen to be too high by that much.
  double rounding = 0;

  double to_units(Joules extra) const { return extra * units_per_joule; }
  Joules to_joules(double units) const { return units / units_per_joule; }
};

/// Costs in units of 1e-4 of `reference` (the baseline's energy), so that a relative gap of 1e-4
/// is one unit; rows with large coefficients are divided by a power of two, which is exact. The
/// published formulation, unscaled, is called optimal up to 0.6 % above the optimum where joules
/// are small: this is needed for correctness, not only for speed. The offset is dropped.
ScaledMilp scale(const Milp& milp, Joules reference);

/// How far below zero the simplex method may leave a reduced cost: Clp's own 1e-7, or less where
/// there are prices that it could not tell from nothing. Where pages cost 1e-9 of a recomputation,
/// Clp called a solution optimal that paged too much. `share` of the least price is the most that
/// is left: Clp's own scaling of the columns can make a reduced cost smaller by some powers of ten.
double dual_tolerance(const Milp& milp, double share);

}  // namespace poet
