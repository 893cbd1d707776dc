#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver/formulation/knapsack_rounding.hpp"
#include "solver/formulation/variables.hpp"

namespace poet {

/// Whether tensor i != k is in RAM while stage t computes k, and not only until k takes over its
/// bytes.
BinaryExpression held_during(const Formulation& model, const Graph& graph, int t, int k, int i);

/// Whether the bytes of tensor i != k count while stage t computes k: also if i is being read back
/// beside the computations.
BinaryExpression counted_during(const Formulation& model, const Graph& graph, int t, int k, int i);

/// The rows of one computation that 0/1 columns can violate.
struct MemoryRows {
  std::optional<MilpRow> full;  ///< over all tensors
  std::optional<MilpRow> core;  ///< over those that are not only for recomputing gradients
};

/// Makes the rows of the RAM budget: an explicit knapsack for every computation, not a running
/// balance as in POET's formulation. Columns whose bounds are equal count as constants.
///
/// Tried without success: mixed-integer rounding of these rows, with what is resident at a moment
/// (held or just paged in) as one item. It lifts the bound of the root a little in twice the time,
/// and in every node of branching on counts it costs more than it gains. The same holds if
/// precedence cuts are added to the row first.
class MemoryRowMaker {
 public:
  /// All of these must outlive it.
  MemoryRowMaker(const Formulation& model, const Graph& graph, std::span<const MilpColumn> columns)
      : model_(model), graph_(graph), columns_(columns) {}

  /// The rows for the moment when stage t computes k.
  MemoryRows make(int t, int k);

 private:
  struct Row;
  struct Rounded {
    std::int64_t capacity = 0;
    std::map<std::int64_t, std::int64_t> weights;  // by original weight
  };

  void add(Row& row, Bytes bytes, const BinaryExpression& expression) const;
  void add_own(Row& row, int t, int k) const;
  std::optional<MilpRow> finish(const Row& row, const char* name, int t, int k);
  Knapsack tightened(const Knapsack& knapsack);

  const Formulation& model_;
  const Graph& graph_;
  std::span<const MilpColumn> columns_;
  /// Tightening depends only on the multiset of weights, so rows of the same composition share it:
  /// a network repeats its layers, and its memory rows with them.
  std::map<std::pair<std::vector<std::int64_t>, std::int64_t>, Rounded> rounded_;
};

/// Adds the memory rows to model.milp: all of them or, if the others are made on demand
/// (rows_on_demand.hpp), the rows of the stages' own nodes.
void add_memory(Formulation& model, const Graph& graph);

}  // namespace poet
