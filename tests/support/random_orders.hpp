#pragma once

#include <set>
#include <vector>

#include "poet/model.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {

/// What comes before each node in every legal order, by node.
inline std::vector<std::set<int>> predecessors(const Model& model) {
  std::vector<std::set<int>> before(model.nodes.size());
  for (std::size_t k = 0; k < model.nodes.size(); ++k) {
    before[k].insert(model.nodes[k].inputs.begin(), model.nodes[k].inputs.end());
  }
  for (const auto& [first, second] : precedence(model)) before[second].insert(first);
  return before;
}

/// A legal order, node by node: any of those whose predecessors are there.
inline NodeOrder random_order(Twister& random, const Model& model) {
  std::vector<std::set<int>> waits_for = predecessors(model);
  std::set<int> left;
  for (std::size_t k = 0; k < waits_for.size(); ++k) left.insert(static_cast<int>(k));
  NodeOrder order;
  while (!left.empty()) {
    std::vector<int> ready;
    for (const int node : left) {
      if (waits_for[node].empty()) ready.push_back(node);
    }
    const int next = pick(random, ready);
    order.push_back(next);
    left.erase(next);
    for (const int node : left) waits_for[node].erase(next);
  }
  return order;
}

}  // namespace poet::test
