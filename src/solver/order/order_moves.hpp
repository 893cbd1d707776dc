#pragma once

#include <vector>

#include "poet/order.hpp"
#include "solver/search/position.hpp"

namespace poet {

/// Random changes to an order that keep it legal. A segment of 1 to 14 nodes goes left or right, to
/// the last place that edges and precedence allow or to some place before: what belongs together
/// stays together, such as a gradient and its sum, and a single node finds its own place. Forward
/// nodes may pass backward ones.
class OrderMoves {
 public:
  OrderMoves(const Graph& graph, const Precedence& precedence, Random& random);

  /// Whether there is another order than the given one: whether two neighbours of that one may
  /// change places.
  bool any() const;

  /// One to three such changes. Returns false if none of them was possible.
  bool change(NodeOrder& order);

 private:
  bool move_segment(NodeOrder& order);
  int lowest_place(const NodeOrder& order, int first, int length) const;
  int highest_place(const NodeOrder& order, int first, int length) const;

  std::vector<std::vector<int>> before_;  // by node: what must come before it
  std::vector<std::vector<int>> after_;
  std::vector<int> place_;  // of the order at hand
  Random& random_;
};

}  // namespace poet
