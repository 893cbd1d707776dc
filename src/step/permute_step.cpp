// A step is bound in the order of its model's list, where the draft of the graph states how each
// node came about, and permuted afterwards. To bind a permuted draft would number inputs, losses
// and the first gradient of a sum by the schedule; then a seed would mean other data in each order.

#include "step/permute_step.hpp"

#include <algorithm>
#include <utility>

namespace poet {
namespace {

// Only numbers of nodes change; parameters, targets and kept gradients are not numbered by place.
void renumber(StepNode& node, const std::vector<int>& place) {
  for (KernelCall& call : node.calls) {
    for (OperandSource& source : call.in) {
      if (source.kind != OperandSource::Kind::tensor) continue;
      source.index = place[source.index];
    }
  }
  // SinkUse::is_first stays with its node: the additions to a kept gradient keep their order.
  if (node.sink && node.sink->sum >= 0) {
    node.sink->sum = place[node.sink->sum];
  }
}

}  // namespace

TrainingStep permuted(TrainingStep step, const NodeOrder& order) {
  const std::vector<int> place = places_of(order);
  std::vector<StepNode> nodes;
  NodeOrder of_list;
  nodes.reserve(order.size());
  for (const int from : order) {
    renumber(step.nodes[from], place);
    nodes.push_back(std::move(step.nodes[from]));
    of_list.push_back(step.order.empty() ? from : step.order[from]);
  }
  // An empty order stands for the model's own.
  if (std::is_sorted(of_list.begin(), of_list.end())) of_list.clear();
  step.nodes = std::move(nodes);
  step.order = std::move(of_list);
  for (StepData& input : step.inputs) {
    if (input.node >= 0) input.node = place[input.node];
  }
  for (int& output : step.outputs) output = place[output];
  return step;
}

}  // namespace poet
