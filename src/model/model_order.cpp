// A model in another order. Its digests are about the order of its file, so what an order has to
// keep stands in no node of a graph: `update(W)` of Update::accumulate reads a kept gradient, which
// is no tensor of the graph, and without the pairs below it could go before the last addition.

#include <algorithm>
#include <utility>

#include "poet/model.hpp"
#include "problem/parameter_order.hpp"
#include "problem/take_over.hpp"

namespace poet {

Precedence precedence(const Model& model) {
  ParameterOrder parameters;
  // A kept gradient is changed by each addition, and by the update that applies and clears it.
  ParameterOrder gradients;
  for (int k = 0; k < static_cast<int>(model.nodes.size()); ++k) {
    const ModelNode& node = model.nodes[k];
    parameters.change(k, node.writes_parameters);
    parameters.read(k, node.reads_parameters);
    gradients.change(k, node.adds_to);
    if (model.update == Update::accumulate) gradients.change(k, node.writes_parameters);
  }
  Precedence pairs = std::move(parameters.pairs);
  pairs.insert(pairs.end(), gradients.pairs.begin(), gradients.pairs.end());
  return pairs;
}

// An order of an order is written as one order of the model's list, in which files state it.
Model permuted(const Model& model, const NodeOrder& order) {
  Model result = model;
  result.order = order;
  if (!model.order.empty()) {
    for (int& node : result.order) node = model.order[node];
  }
  if (std::is_sorted(result.order.begin(), result.order.end())) result.order.clear();
  // A caller may bring a graph and a model without its nodes.
  if (model.nodes.empty()) return result;
  const std::vector<int> place = places_of(order);
  result.nodes = in_order(model.nodes, order);
  for (ModelNode& node : result.nodes) {
    if (node.copy_of) node.copy_of = place[*node.copy_of];
    for (Operand& operand : node.operands) operand.node = place[operand.node];
  }
  return result;
}

}  // namespace poet
