#pragma once

#include "poet/solver_features.hpp"
#include "solver/formulation/variables.hpp"

namespace poet {

/// Whether tensor i != k is in RAM while stage t computes k, and not only for its bytes to become
/// those of k.
BinaryExpression held_during(const Formulation& model, const Graph& graph, int t, int k, int i);

/// The constraint family of the RAM budget: an explicit knapsack for every computation, not a
/// running balance as in POET's formulation. Adds its rows to model.milp.
void add_memory(Formulation& model, const Graph& graph, Bytes ram_budget,
                const SolverFeatures& features);

}  // namespace poet
