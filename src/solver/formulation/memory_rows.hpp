#pragma once

#include <optional>
#include <span>

#include "solver/formulation/variables.hpp"

namespace poet {

/// Whether tensor i != k is in RAM while stage t computes k, and not only until k takes over its
/// bytes.
BinaryExpression held_during(const Formulation& model, const Graph& graph, int t, int k, int i);

/// Whether the bytes of tensor i != k count while stage t computes k: also if i is being read back
/// beside the computations.
BinaryExpression counted_during(const Formulation& model, const Graph& graph, int t, int k, int i);

/// The row of the RAM budget for the moment when stage t computes k, if 0/1 columns can violate it:
/// an explicit knapsack for every computation, not a running balance as in POET's formulation.
/// Columns whose bounds are equal count as constants.
std::optional<MilpRow> memory_row(const Formulation& model, const Graph& graph,
                                  std::span<const MilpColumn> columns, int t, int k);

/// Adds the memory rows to model.milp: all of them or, if the others are made on demand
/// (rows_on_demand.hpp), the rows of the stages' own nodes.
void add_memory(Formulation& model, const Graph& graph);

}  // namespace poet
