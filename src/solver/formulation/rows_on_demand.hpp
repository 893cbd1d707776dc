#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "solver/formulation/variables.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A row on demand that a point violates.
struct NumberedRow {
  int number = 0;
  MilpRow row;       ///< scaled as by scale()
  double depth = 0;  ///< Euclidean distance of the point from it
};

/// The memory rows of recomputations, for a model that does not contain them
/// (MemoryBudget::on_demand). There is one for each computation, and it lists every tensor of its
/// stage: of a graph of 500 nodes they have up to fifty million terms, of which a relaxation needs
/// a few thousand. So they have numbers, and a row is made when a point violates it.
///
/// On layered graphs no optimum of a relaxation has violated one: what is computed by a tenth pays
/// a tenth of its RAM. What the RAM of recomputations costs shows only in branching, so a glance
/// at moment models comes first.
class RowsOnDemand {
 public:
  /// Without any rows, unless the model leaves them out. `model` and `graph` must outlive it.
  RowsOnDemand(const Formulation& model, const Graph& graph);

  /// Numbers are below it.
  int size() const { return static_cast<int>(nodes_.size()); }
  /// The row of a number, scaled as by scale(); without terms if 0/1 columns cannot violate it.
  MilpRow make(int number) const;
  /// Rows that a point misses by more than the tolerance, unless their number is to be skipped: of
  /// the fullest moments of each stage. If bytes overrun the budget anywhere by more than that,
  /// there is a row, or one to skip.
  std::vector<NumberedRow> violated(
      std::span<const double> values, double tolerance,
      const std::function<bool(int)>& skip = [](int) { return false; }) const;

 private:
  /// The computations whose rows may be violated, as indices of nodes_.
  std::vector<int> fullest(std::span<const double> values) const;
  std::pair<int, int> computation(int index) const;

  const Formulation& model_;
  const Graph& graph_;
  std::vector<int> nodes_;   // recomputations by stage, ascending
  std::vector<int> stages_;  // where each stage begins in nodes_, and where the last ends
};

/// Bytes in RAM at a point of the model while stage t computes each of these nodes, given
/// ascending nodes. Takes O(nodes + edges), not nodes times computations.
std::vector<double> bytes_at(const Formulation& model, const Graph& graph, int t,
                             std::span<const int> nodes, std::span<const double> values);

/// Which of these computations fill at least a share of the budget, by index: a few, the fullest
/// first, as the row of the fullest cuts off most of the others.
std::vector<int> fullest_of(const Formulation& model, const Graph& graph, int t,
                            std::span<const int> nodes, std::span<const double> values,
                            double share);

/// Adds all rows on demand to a model in whose columns most are fixed, so that little is left of
/// the rows: those that the other columns cannot violate are not added.
void add_rows_on_demand(const Formulation& model, const Graph& graph, Milp& milp);

}  // namespace poet
