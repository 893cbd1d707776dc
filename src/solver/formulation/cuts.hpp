#pragma once

#include <span>
#include <variant>
#include <vector>

#include "poet/problem.hpp"
#include "solver/formulation/knapsack_facet.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A precedence cut (docs/formulation.md, "Precedence cuts"): for stages a <= t and a path of
/// inputs k = i_0, i_1 (an input of i_0), ..., i_m,
///
///   A[t,k] <= sum_l ( C[a,i_l] + min(P[i_l], sum_{s=a-1..t-1} I[s,i_l]) ) + sum_{s=a..t} R[s,i_m].
///
/// Either side of each min is valid. In rows, C[a,i] + I[a-1,i] is S[a,i]. The relaxation computes
/// a sliver of a chain of layers in each of many stages, whose parts never meet in RAM. These rows
/// are ours and forbid it.
struct PrecedenceCut {
  int first = 0;              ///< a
  int last = 0;               ///< t
  std::vector<int> path;      ///< i_0 ... i_m
  std::vector<bool> by_copy;  ///< for each l: P[i_l] rather than the sum of page-ins
  double violation = 0;       ///< at the point where it was found
};

struct SeparationLimits {
  double tolerance = 1e-3;  ///< least violation worth a row
  int per_target = 2;       ///< most cuts for one (t,k), and for one (a,k)
  int total = 400;
};

/// The most violated precedence cuts at a point of the relaxation (values of the model's columns),
/// most violated first. For a fixed a and t one pass over the nodes in their order finds the
/// cheapest path from every k, so that all of it costs O(stages^2 * edges).
std::vector<PrecedenceCut> separate_precedence(const Formulation& model, const Graph& graph,
                                               std::span<const double> values,
                                               const SeparationLimits& limits);

/// A knapsack cut (docs/formulation.md, "Knapsack cuts"): what is in RAM at one moment weighs no
/// more than a capacity, in whole weights that stand for what fits together and not for bytes.
struct KnapsackCut {
  int stage = 0;  ///< t
  int node = 0;   ///< k: the moment when t computes it, or would
  std::vector<int> tensors;
  Knapsack knapsack;  ///< with an item for each of them
};

/// Knapsack cuts that a point of the relaxation violates: facets of what fits the budget at the
/// fullest moments (knapsack_facet.hpp). Use it in a child process only.
std::vector<KnapsackCut> separate_knapsacks(const Formulation& model, const Graph& graph,
                                            std::span<const double> values);

/// A tail cut (docs/formulation.md, "Tail cuts"): from stage t on a schedule spends this energy at
/// least, less a price for each tensor in RAM when t starts and one for each copy.
struct TailCut {
  int stage = 0;  ///< t
  Joules least_joules = 0;
  std::vector<int> tensors;      ///< what is spent on them counts, and on gradients that nodes read
  std::vector<Joules> resident;  ///< prices, by tensor
  std::vector<Joules> paged;
};

using Cut = std::variant<PrecedenceCut, KnapsackCut, TailCut>;

/// The cut as a row of this model, which need not be the one in which it was found.
MilpRow to_row(const Formulation& model, const Graph& graph, const PrecedenceCut& cut);
MilpRow to_row(const Formulation& model, const Graph& graph, const KnapsackCut& cut);
MilpRow to_row(const Formulation& model, const Graph& graph, const TailCut& cut);
inline MilpRow to_row(const Formulation& model, const Graph& graph, const Cut& cut) {
  return std::visit([&](const auto& kind) { return to_row(model, graph, kind); }, cut);
}

/// Rows that cut off points of the model which, rounded, hold tensors that overrun the RAM budget
/// (even by a byte, anywhere in the model) or recompute for too long. Empty if the rounded points
/// keep both budgets.
///
/// docs/formulation.md, "False solutions", says why they are needed. Sizes that are multiples of a
/// large unit never need them.
std::vector<MilpRow> violated_covers(const Formulation& model, const Problem& problem,
                                     std::span<const std::vector<double>> points);

}  // namespace poet
