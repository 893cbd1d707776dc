#pragma once

#include <span>
#include <vector>

#include "solver/formulation/formulation.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A precedence cut (docs/formulation.md, section "Valid inequalities"): for stages a <= t and a
/// path of inputs k = i_0, i_1 (an input of i_0), ..., i_m,
///
///   A[t,k] <= sum_l ( S[a,i_l] + min(P[i_l], sum_{s=a..t-1} I[s,i_l]) ) + sum_{s=a..t} R[s,i_m].
///
/// Valid: if k is in RAM in t, it was resident at a, or paged in since, or computed in [a,t]. If
/// computed, i_1 was in RAM at that moment, so it too was resident at a, paged in since, or
/// computed in [a,t]; and so on down the path. Either side of each min is valid.
struct PrecedenceCut {
  int first = 0;              ///< a
  int last = 0;               ///< t
  std::vector<int> path;      ///< i_0 ... i_m
  std::vector<bool> by_copy;  ///< for each l: P[i_l] rather than the sum of page-ins
  double violation = 0;       ///< at the point that it was found at
};

struct SeparationLimits {
  double tolerance = 1e-3;  ///< least violation worth a row
  int per_target = 2;       ///< most cuts for one (t,k), and for one (a,k)
  int total = 400;
};

/// The most violated precedence cuts at a point of the relaxation (values of the model's
/// columns), most violated first. O(stages^2 * edges).
std::vector<PrecedenceCut> separate_precedence(const Formulation& model, const Graph& graph,
                                               std::span<const double> values,
                                               const SeparationLimits& limits);

/// The cut as a row of this model, which may be another than the one it was found in.
MilpRow to_row(const Formulation& model, const PrecedenceCut& cut);

}  // namespace poet
