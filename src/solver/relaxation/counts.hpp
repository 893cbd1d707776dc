#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poet/graph.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {

/// A sum of 0/1 columns that is a whole number in every schedule: how often nodes are recomputed,
/// paged in or written out.
struct Count {
  std::vector<int> columns;
  double weight = 0;  ///< scaled energy of one more
  bool is_one_column = false;
};

/// Collects the counts of a model: of each node, of its single columns, of all nodes whose weights
/// agree to two digits, and of those in one place of equal blocks.
class CountCollector {
 public:
  explicit CountCollector(const Graph& graph);
  /// The columns of node `i` that stand for one `fact`, such as that it is recomputed.
  void add(std::string_view fact, int i, double weight, const std::vector<int>& columns);
  std::vector<Count> all() &&;

 private:
  std::vector<int> places_;  // by node, in its block
  std::vector<Count> counts_;
  std::map<std::string, Count> like_nodes_;
};

/// The counts of a model: recomputations, page-ins and, in a collapsed model, page-outs. Any
/// grouping of columns is valid (count_branching.hpp).
std::vector<Count> make_counts(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled);

/// A count that is at most `most`, or at least one more.
struct CountSplit {
  int count = -1;  ///< its index; -1: none
  std::int64_t most = 0;
};

/// Which counts are worth branching on.
struct SplitLimits {
  std::size_t most = 1;  ///< of the best ones
  double gain = 0;       ///< the least (energy of one more) * (distance to a whole number)
  double distance = 0;   ///< to a whole number, that is not enough
};

/// The counts to branch on at a point of a relaxation (values of its columns), the best first: the
/// greatest gain, single columns later. It is a cheap guess at what both sides gain.
std::vector<CountSplit> best_splits(std::span<const Count> counts, std::span<const double> values,
                                    const SplitLimits& limits);

/// A range for one count.
struct CountRange {
  int count = 0;  ///< its index
  double lower = -kInfinity;
  double upper = kInfinity;
};

/// The range as a row of the model.
MilpRow range_row(const std::vector<Count>& counts, const CountRange& range);

/// Merges the ranges of one count into their intersection.
std::vector<CountRange> merged(const std::vector<CountRange>& ranges);

/// The solutions in which some counts lie in ranges; without ranges, the whole problem.
struct Subproblem {
  double bound = -kInfinity;  ///< on the scaled objective, for every solution in the subproblem
  std::vector<CountRange> ranges;
};

}  // namespace poet
