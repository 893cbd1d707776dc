#include "solver/order/order_working_set.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace poet {

OrderWorkingSet::OrderWorkingSet(const Graph& graph) : graph_(graph), ends_(graph.nodes.size()) {
  std::map<std::string_view, std::vector<int>> readers;
  for (int k = 0; k < graph.size(); ++k) {
    const Node& node = graph.nodes[k];
    Bytes bytes = (node.in_place ? 0 : node.bytes) + node.workspace_bytes;
    for (const int input : node.inputs) bytes += graph.nodes[input].bytes;
    own_.push_back(bytes);
    for (const std::string& name : node.reads_parameters) readers[name].push_back(k);
  }
  for (int k = 0; k < graph.size(); ++k) {
    for (const std::string& name : graph.nodes[k].writes_parameters) {
      for (const int reader : readers[name]) ends_[reader].push_back(k);
    }
  }
}

int OrderWorkingSet::largest_node() const {
  return static_cast<int>(std::max_element(own_.begin(), own_.end()) - own_.begin());
}

/// As holds_previous() of working_set(): the tensor before stays in RAM beside this computation,
/// which does not read it, because a later one does and nothing can make it again.
bool OrderWorkingSet::holds(int previous, int node) const {
  const auto has = [](const std::vector<int>& list, int wanted) {
    return std::binary_search(list.begin(), list.end(), wanted);
  };
  if (graph_.users[previous].empty() || has(graph_.nodes[node].inputs, previous)) return false;
  return !graph_.nodes[previous].recompute || has(ends_[previous], node);
}

Bytes OrderWorkingSet::needed(const NodeOrder& order, std::size_t place) const {
  const int node = order[place];
  if (place == 0 || !holds(order[place - 1], node)) return own_[node];
  return own_[node] + graph_.nodes[order[place - 1]].bytes;
}

Bytes OrderWorkingSet::of(const NodeOrder& order) const {
  Bytes most = 0;
  for (std::size_t p = 0; p < order.size(); ++p) most = std::max(most, needed(order, p));
  return most;
}

Bytes OrderWorkingSet::excess(const NodeOrder& order, Bytes budget) const {
  Bytes sum = 0;
  for (std::size_t p = 0; p < order.size(); ++p) {
    sum += std::max<Bytes>(0, needed(order, p) - budget);
  }
  return sum;
}

}  // namespace poet
