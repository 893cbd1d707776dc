#pragma once

#include <vector>

#include "poet/graph.hpp"
#include "solver/formulation/formulation.hpp"
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

/// The counts of a collapsed model: recomputations, page-ins and page-outs of the nodes whose costs
/// agree to two digits, of every node, and in every single stage. Networks repeat their layers, so
/// that a relaxation mixes many schedules of the same few counts, and branching on one column
/// changes nothing; branching on a count does.
std::vector<Count> make_counts(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled);

}  // namespace poet
