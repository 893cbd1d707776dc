#pragma once

#include <vector>

#include "poet/order.hpp"
#include "poet/units.hpp"

namespace poet {

/// The least RAM of each computation in any order of a graph, without making the graph anew.
class OrderWorkingSet {
 public:
  explicit OrderWorkingSet(const Graph& graph);

  /// What the largest computation needs by itself: no schedule in any order gets by with less.
  Bytes of_any_order() const { return own_[largest_node()]; }
  /// The node of that computation, the first of several.
  int largest_node() const;
  /// working_set() of the graph in this order.
  Bytes of(const NodeOrder& order) const;
  /// By how much the computations are over a budget in this order, summed.
  Bytes excess(const NodeOrder& order, Bytes budget) const;

 private:
  bool holds(int previous, int node) const;
  Bytes needed(const NodeOrder& order, std::size_t place) const;

  const Graph& graph_;
  std::vector<Bytes> own_;              // by node: inputs, output and workspace
  std::vector<std::vector<int>> ends_;  // by node: the nodes that end its recomputation, ascending
};

}  // namespace poet
