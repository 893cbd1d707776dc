#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poet/graph.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {

/// What a count is taken over.
enum class CountKind {
  like_nodes,  ///< all nodes of like cost
  one_node,
  one_column,
};

/// A sum of 0/1 columns that is a whole number in every schedule: how often nodes are recomputed,
/// paged in or written out.
struct Count {
  CountKind kind = CountKind::one_node;
  std::vector<int> columns;
  double weight = 0;  ///< scaled energy of one more
};

/// Factor by which to prefer a kind of count. Counts of like nodes cut the problem in the middle, a
/// count of one node is often a matter of symmetry, and a single column says little.
double preference(CountKind kind);

/// Collects the counts of a model: of each node, of its single columns, and of all nodes whose
/// weights agree to two digits.
class CountCollector {
 public:
  /// The columns of one node that stand for one `fact`, such as that it is recomputed.
  void add(std::string_view fact, double weight, const std::vector<int>& columns);
  std::vector<Count> all() &&;

 private:
  std::vector<Count> counts_;
  std::map<std::string, Count> like_nodes_;
};

/// The counts of a model: recomputations, page-ins and, in a collapsed model, page-outs of the
/// nodes whose costs agree to two digits, of every node, and in every single stage. Any grouping of
/// columns is valid; the one by like costs is the one that pays (count_branching.hpp).
///
/// Tried without success: counts of one node up to a stage in place of single columns, which take a
/// few nodes less on one problem and more on another.
std::vector<Count> make_counts(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled);

/// A count that is fractional at a point.
struct Branching {
  int count = -1;    ///< its index; -1 if no fractional count matters
  double value = 0;  ///< of the count at the point
};

/// Chooses the count to branch on at a point of the relaxation (values of the model's columns): the
/// one with the greatest (energy of one more) * (distance to a whole number), counts over like
/// nodes preferred. Chooses none if no count could gain even a small share of `ceiling`.
Branching choose_branching(const std::vector<Count>& counts, std::span<const double> values,
                           double ceiling);

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
