#include "problem/cut_nodes.hpp"

#include <algorithm>

namespace poet {

std::vector<int> cut_nodes(const Graph& graph) {
  // An edge that leads past a node, from a node before it, keeps the node from being a cut. Data
  // has no inputs, and is as good as kept.
  std::vector<int> cuts;
  int furthest = 0;
  for (int i = 0; i < graph.first_backward; ++i) {
    if (graph.nodes[i].inputs.empty()) continue;
    if (furthest <= i) cuts.push_back(i);
    const std::vector<int>& users = graph.users[i];
    const auto backward = std::lower_bound(users.begin(), users.end(), graph.first_backward);
    if (backward != users.begin()) furthest = std::max(furthest, *(backward - 1));
  }
  return cuts;
}

}  // namespace poet
