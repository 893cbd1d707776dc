#include "solver/search/extra_bound.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "solver/search/whole_costs.hpp"

namespace poet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// What it takes to bring a tensor back once, in units of energy.
double return_price(const NodeCosts& node, int index) {
  double price = kNever;
  if (node.last_stage > index) price = static_cast<double>(node.energy);
  if (!node.page) return price;
  return std::min(price, static_cast<double>(node.page_in_energy + node.page_out_energy));
}

/// Tensors with bytes, the cheapest for a byte first.
std::vector<int> cheapest_first(const WholeCosts& costs, const std::vector<double>& price) {
  std::vector<int> order;
  for (int k = 0; k < costs.size(); ++k) {
    if (costs.nodes[k].bytes > 0) order.push_back(k);
  }
  const auto rate = [&](int k) { return price[k] / static_cast<double>(costs.nodes[k].bytes); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rate(a) < rate(b); });
  return order;
}

/// Lies idle while node t is computed for the first time: made before, read later, and not now.
bool is_idle(const Graph& graph, int node, int t) {
  const std::vector<int>& inputs = graph.nodes[t].inputs;
  return node < t && !graph.users[node].empty() && graph.users[node].back() > t &&
         !std::binary_search(inputs.begin(), inputs.end(), node);
}

/// By node t: the bytes at its first computation if everything is held until its last use.
std::vector<Bytes> bytes_if_held(const WholeCosts& costs) {
  std::vector<Bytes> changes(costs.size() + 1);
  for (int k = 0; k < costs.size(); ++k) {
    changes[std::min(k + 1, costs.size())] += costs.nodes[k].bytes;
    changes[last_use(costs.graph(), k) + 1] -= costs.nodes[k].bytes;
  }
  std::vector<Bytes> bytes(costs.size());
  Bytes held = 0;
  for (int t = 0; t < costs.size(); ++t) {
    const NodeCosts& node = costs.nodes[t];
    held += changes[t];
    bytes[t] = held + (node.over >= 0 ? 0 : node.bytes) + node.workspace;
  }
  return bytes;
}

}  // namespace

Joules least_extra_energy(const Problem& problem) {
  const WholeCosts costs(problem);
  std::vector<double> price;
  price.reserve(costs.size());
  for (int k = 0; k < costs.size(); ++k) price.push_back(return_price(costs.nodes[k], k));
  const std::vector<int> order = cheapest_first(costs, price);
  const std::vector<Bytes> bytes = bytes_if_held(costs);
  double most = 0;
  for (int t = 0; t < costs.size(); ++t) {
    Bytes over = bytes[t] - costs.ram_budget;
    double sum = 0;
    for (auto k = order.begin(); over > 0 && k != order.end(); ++k) {
      if (!is_idle(costs.graph(), *k, t)) continue;
      const Bytes gone = costs.nodes[*k].bytes;
      sum += price[*k] * std::min(1.0, static_cast<double>(over) / static_cast<double>(gone));
      over -= gone;
    }
    most = std::max(most, over > 0 ? kNever : sum);
  }
  return most * costs.joules_per_unit;
}

}  // namespace poet
