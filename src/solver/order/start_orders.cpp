// Frameworks leave what frees memory for later: all updates of parameters stand at the end of
// a step, and random changes of an order take thousands of judgements to bring each of them to its
// gradient. These orders have them there from the start.

#include "solver/order/start_orders.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "problem/early_updates.hpp"
#include "solver/order/least_peak.hpp"

namespace poet {
namespace {

/// Takes the nodes in an order, and each that can be computed and frees more than it makes at once.
class FreeingOrder {
 public:
  FreeingOrder(const Graph& graph, const Precedence& precedence)
      : graph_(graph),
        later_(graph.users),
        missing_(graph.nodes.size(), 0),
        readers_(graph.nodes.size(), 0),
        is_placed_(graph.nodes.size(), false) {
    for (const auto& [first, second] : precedence) later_[first].push_back(second);
    for (int k = 0; k < graph.size(); ++k) {
      readers_[k] = static_cast<int>(graph.users[k].size());
      for (const int next : later_[k]) ++missing_[next];
    }
  }

  NodeOrder run() {
    for (int k = 0; k < graph_.size(); ++k) {
      place(k);
      while (!candidates_.empty()) {
        const int node = candidates_.back();
        candidates_.pop_back();
        if (missing_[node] == 0 && frees(node)) place(node);
      }
    }
    return std::move(order_);
  }

 private:
  bool frees(int node) const {
    Bytes freed = 0;
    for (const int input : graph_.nodes[node].inputs) {
      if (readers_[input] == 1) freed += graph_.nodes[input].bytes;
    }
    return freed > graph_.nodes[node].bytes;
  }

  void place(int node) {
    if (is_placed_[node]) return;
    is_placed_[node] = true;
    order_.push_back(node);
    for (const int next : later_[node]) {
      --missing_[next];
      candidates_.push_back(next);
    }
    for (const int input : graph_.nodes[node].inputs) {
      if (--readers_[input] != 1) continue;  // the last reader frees it
      const std::vector<int>& users = graph_.users[input];
      candidates_.insert(candidates_.end(), users.begin(), users.end());
    }
  }

  const Graph& graph_;
  std::vector<std::vector<int>> later_;  ///< by node: what comes after it
  std::vector<int> missing_;             ///< by node: how much of what comes before it
  std::vector<int> readers_;             ///< by node: how many are not placed yet
  std::vector<bool> is_placed_;
  std::vector<int> candidates_;
  NodeOrder order_;
};

/// `change` of the graph in this order, as an order of the graph.
template <typename Change>
NodeOrder changed_in(const Graph& graph, const Precedence& precedence, const NodeOrder& order,
                     Change change) {
  const std::vector<int> place = places_of(order);
  Precedence pairs = precedence;
  for (auto& [first, second] : pairs) {
    first = place[first];
    second = place[second];
  }
  NodeOrder changed = change(permuted(graph, order), pairs);
  for (int& node : changed) node = order[node];
  return changed;
}

}  // namespace

NodeOrder with_early_updates(const Graph& graph, const Precedence& precedence,
                             const NodeOrder& order) {
  return changed_in(graph, precedence, order, [](const Graph& moved, const Precedence& pairs) {
    return early_updates(moved, pairs).order;
  });
}

NodeOrder with_early_freeing(const Graph& graph, const Precedence& precedence,
                             const NodeOrder& order) {
  return changed_in(graph, precedence, order, [](const Graph& moved, const Precedence& pairs) {
    return FreeingOrder(moved, pairs).run();
  });
}

std::vector<NodeOrder> start_orders(const Graph& graph, const Precedence& precedence) {
  NodeOrder given(graph.nodes.size());
  std::iota(given.begin(), given.end(), 0);
  const NodeOrder early = with_early_updates(graph, precedence, given);
  const NodeOrder freeing = with_early_freeing(graph, precedence, given);
  const NodeOrder both = with_early_freeing(graph, precedence, early);
  std::vector<std::pair<Bytes, NodeOrder>> ranked;
  for (const NodeOrder& order : {early, freeing, both}) {
    const Bytes peak = keep_all_peak(graph, order);
    if (order != given && peak <= keep_all_peak(graph, given)) ranked.emplace_back(peak, order);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<NodeOrder> orders;
  for (auto& [peak, order] : ranked) {
    if (orders.empty() || orders.back() != order) orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace poet
