#pragma once

#include <string>
#include <vector>

#include "measure/measured_costs.hpp"
#include "poet/graph.hpp"

namespace poet {

/// How well predictions fit what was measured of an op.
struct OpResidual {
  std::string op;
  int node_count = 0;
  Seconds measured_seconds = 0;   ///< of its nodes, each computed once
  Seconds predicted_seconds = 0;  ///< likewise
  double median_error = 0;        ///< of a node: |predicted / measured - 1|
  double largest_error = 0;
  std::string worst_node;  ///< the node with that error
};

/// Compares a graph's costs with measured times, by op; the op that takes most is first. A node
/// that took no time has no error.
std::vector<OpResidual> residuals(const Graph& predicted, const StepTimes& times);

/// All ops together, with the worst node of all; a median of all nodes is not known.
OpResidual total(const std::vector<OpResidual>& ops);

}  // namespace poet
