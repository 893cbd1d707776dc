// Layer normalisation (Ba, Kiros and Hinton, 2016) is an op of ONNX from opset 17 on; before, it is
// written out as nine nodes. Group normalisation (Wu and He, 2018) is none up to there.
//
// The parts in the middle of the pattern may have other readers in principle, but what is computed
// from them would then remain as nodes of its own, since only what nobody reads is removed.

#include <algorithm>

#include "import/fuse.hpp"
#include "import/match.hpp"

namespace poet {
namespace {

/// x of x - mean(x), with the axes of the mean; -1 if the node is something else.
int centred(const OnnxLinks& links, const OnnxNode* sub, std::vector<std::int64_t>& axes) {
  if (sub == nullptr || sub->op != "Sub") return -1;
  const OnnxNode* const mean = links.maker(sub->input(1), "ReduceMean");
  if (mean == nullptr || mean->input(0) != sub->input(0)) return -1;
  axes = mean->integers("axes");
  return sub->input(0);
}

/// The tensor below sqrt(mean(d * d) + epsilon); -1 if it is something else.
int deviation_of(const OnnxGraph& graph, const OnnxLinks& links, int tensor, double& epsilon) {
  const OnnxNode* const root = links.maker(tensor, "Sqrt");
  const OnnxNode* const sum = root == nullptr ? nullptr : links.maker(root->input(0), "Add");
  if (sum == nullptr) return -1;
  const auto [squares, number] = data_and_number(graph, *sum);
  const OnnxNode* const mean = links.maker(squares, "ReduceMean");
  if (mean == nullptr) return -1;
  epsilon = graph.at(number).number().value_or(0);
  if (const OnnxNode* const square = links.maker(mean->input(0), "Pow")) return square->input(0);
  const OnnxNode* const product = links.maker(mean->input(0), "Mul");
  return product != nullptr && product->input(0) == product->input(1) ? product->input(0) : -1;
}

/// Whether the axes are the last ones of a tensor of this rank.
bool are_last(std::vector<std::int64_t> axes, std::int64_t rank) {
  for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != rank - static_cast<std::int64_t>(axes.size() - i)) return false;
  }
  return !axes.empty();
}

/// Starts at the quotient. The numerator and the deviation must centre the same tensor along the
/// same axes; an export may compute the difference once or twice.
void fuse_layer_norm(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& quotient) {
  std::vector<std::int64_t> axes;
  const int x = centred(links, links.maker(quotient.input(0)), axes);
  std::vector<std::int64_t> other_axes;
  double epsilon = 0;
  const int below = deviation_of(graph, links, quotient.input(1), epsilon);
  const int same_x = below < 0 ? -1 : centred(links, links.maker(below), other_axes);
  if (x < 0 || x != same_x || axes != other_axes ||
      !are_last(axes, static_cast<std::int64_t>(graph.at(x).shape.size()))) {
    return;
  }
  const OnnxNode* const product = links.only_reader(quotient.output(0), "Mul");
  const int weight = product == nullptr ? -1 : data_and_weight(graph, *product).second;
  if (weight < 0) return;
  const OnnxNode* const sum = links.only_reader(product->output(0), "Add");
  const int bias = sum == nullptr ? -1 : data_and_weight(graph, *sum).second;
  const int end = bias < 0 ? product->output(0) : sum->output(0);
  OnnxNode& norm = put_in_place(graph, links, end, ".layer_norm", quotient.name, {x, weight, bias});
  norm.attributes["dims"].integer = static_cast<std::int64_t>(axes.size());
  norm.attributes["epsilon"].number = epsilon;
}

/// PyTorch writes a group norm as an InstanceNormalization of N, groups, rest.
void fuse_group_norm(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& norm) {
  const OnnxNode* const before = links.maker(norm.input(0), "Reshape");
  const OnnxNode* const after = links.only_reader(norm.output(0), "Reshape");
  if (before == nullptr || after == nullptr) return;
  const int x = before->input(0);
  const Shape& groups = graph.at(norm.input(0)).shape;
  const bool fits = groups.size() == 3 && graph.at(x).shape == graph.at(after->output(0)).shape;
  const OnnxNode* const product = links.only_reader(after->output(0), "Mul");
  const OnnxNode* const sum =
      product == nullptr ? nullptr : links.only_reader(product->output(0), "Add");
  if (!fits || sum == nullptr) return;
  const int weight = data_and_weight(graph, *product).second;
  const int bias = data_and_weight(graph, *sum).second;
  if (weight < 0 || bias < 0) return;
  const double epsilon = norm.number("epsilon", 1e-5);
  OnnxNode& fused =
      put_in_place(graph, links, sum->output(0), ".group_norm", norm.name, {x, weight, bias});
  fused.attributes["groups"].integer = groups[1];
  fused.attributes["epsilon"].number = epsilon;
}

/// Whether a norm computes with the statistics of the batch. Before opset 14, it has more outputs
/// then.
bool is_in_training(const OnnxGraph& graph, const OnnxNode& norm) {
  constexpr int kFirstWithMode = 14;
  return graph.opset < kFirstWithMode ? norm.outputs.size() > 1
                                      : norm.integer("training_mode", 0) != 0;
}

/// A norm in evaluation mode among others in training is meant to stay as it is. A file whose norms
/// are all in evaluation mode was exported for inference, which says nothing about training.
void mark_frozen_norms(OnnxGraph& graph) {
  const auto is_norm = [](const OnnxNode& node) { return node.op == "BatchNormalization"; };
  const bool is_for_training = std::any_of(
      graph.nodes.begin(), graph.nodes.end(),
      [&](const OnnxNode& node) { return is_norm(node) && is_in_training(graph, node); });
  for (OnnxNode& node : graph.nodes) {
    if (is_for_training && is_norm(node) && !is_in_training(graph, node)) {
      node.attributes["frozen"].integer = 1;
    }
  }
}

}  // namespace

void fuse_norms(OnnxGraph& graph) {
  mark_frozen_norms(graph);
  const OnnxLinks links(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OnnxNode node = graph.nodes[i];
    if (node.op == "Div") fuse_layer_norm(graph, links, node);
    if (node.op == "InstanceNormalization") fuse_group_norm(graph, links, node);
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
