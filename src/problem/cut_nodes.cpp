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
    furthest = std::max(furthest, last_forward_use(graph, i));
  }
  return cuts;
}

int last_forward_use(const Graph& graph, int node) {
  int last = node;
  for (const int user : graph.users[node]) {
    if (user < graph.first_backward) last = user;
  }
  return last;
}

int first_backward_use(const Graph& graph, int node) {
  const std::vector<int>& users = graph.users[node];
  const auto at = std::lower_bound(users.begin(), users.end(), graph.first_backward);
  return at == users.end() ? graph.size() : *at;
}

}  // namespace poet
