// Layer normalisation (Ba, Kiros and Hinton, 2016) is an op of ONNX from opset 17 on; before, it is
// written out as nine nodes. Group normalisation (Wu and He, 2018) is none up to there.
//
// The parts in the middle of the pattern may have other readers in principle, but what is computed
// from them would then remain as nodes of its own, since only what nobody reads is removed.

#include <algorithm>

#include "import/fuse.hpp"
#include "import/graph_builder.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

using Axes = std::vector<std::int64_t>;

/// The axes of a mean or sum that keeps them, from 0 on and sorted; empty for another one.
Axes kept_axes(const OnnxGraph& graph, const OnnxNode& mean) {
  const auto rank = static_cast<std::int64_t>(graph.at(mean.input(0)).shape.size());
  Axes axes = whole_numbers(graph, mean, 1, "axes");
  if (mean.integer("keepdims", 1) == 0) return {};
  for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  return axes;
}

/// x of x - mean(x), with the axes of the mean; -1 if the node is something else.
int centred(const OnnxGraph& graph, Pattern& pattern, const OnnxNode* sub, Axes& axes) {
  if (sub == nullptr || sub->op != "Sub") return -1;
  const OnnxNode* const mean = pattern.maker(sub->input(1), "ReduceMean");
  if (mean == nullptr || mean->input(0) != sub->input(0)) return -1;
  axes = kept_axes(graph, *mean);
  return sub->input(0);
}

/// What sqrt(mean(d * d) + epsilon), or the root of a sum, says.
struct Deviation {
  int below = -1;  ///< d; -1 for something else
  Axes axes{};
  double epsilon = 0;
  bool is_sum = false;
};

Deviation deviation_of(const OnnxGraph& graph, Pattern& pattern, const OnnxLinks& links,
                       int tensor) {
  const OnnxNode* const root = pattern.maker(tensor, "Sqrt");
  if (root == nullptr) return {};
  Deviation found;
  int squares = root->input(0);
  if (links.maker(squares, "Add") != nullptr) {
    const auto [data, number] = data_and_number(graph, *pattern.maker(squares, "Add"));
    if (data < 0) return {};
    squares = data;
    found.epsilon = *graph.at(number).number();
  }
  found.is_sum = links.maker(squares, "ReduceSum") != nullptr;
  const OnnxNode* const mean = pattern.maker(squares, found.is_sum ? "ReduceSum" : "ReduceMean");
  if (mean == nullptr) return {};
  found.axes = kept_axes(graph, *mean);
  if (const OnnxNode* const square = pattern.maker(mean->input(0), "Pow")) {
    if (is_number(graph, square->input(1), 2)) found.below = square->input(0);
    return found;
  }
  const OnnxNode* const product = pattern.maker(mean->input(0), "Mul");
  if (product != nullptr && product->input(0) == product->input(1)) {
    found.below = product->input(0);
  }
  return found;
}

/// Whether the axes are the last ones of a tensor of this rank.
bool are_last(const Axes& axes, std::int64_t rank) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != rank - static_cast<std::int64_t>(axes.size() - i)) return false;
  }
  return !axes.empty();
}

/// Whether a weight has just these extents, perhaps with extents of 1 before them.
bool is_of_shape(const OnnxGraph& graph, int weight, const Shape& shape) {
  const Shape& found = graph.at(weight).shape;
  const std::size_t more = found.size() - std::min(found.size(), shape.size());
  return std::equal(shape.begin(), shape.end(), found.begin() + static_cast<std::ptrdiff_t>(more),
                    found.end()) &&
         std::all_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(more),
                     [](std::int64_t extent) { return extent == 1; });
}

/// The weight of a Mul or Add that alone reads a tensor, if it has this shape; -1 otherwise.
int weight_after(const OnnxGraph& graph, const OnnxLinks& links, Pattern& pattern, int& tensor,
                 const char* op, const Shape& shape) {
  const OnnxNode* const node = links.only_reader(tensor, op);
  const int weight = node == nullptr ? -1 : data_and_weight(graph, *node).second;
  if (weight < 0 || !is_of_shape(graph, weight, shape)) return -1;
  if (graph.at(node->output(0)).shape != graph.at(tensor).shape) return -1;
  pattern.take(node)->read_all();
  tensor = node->output(0);
  return weight;
}

/// What lower() makes a layer norm of, along any axis; without centring, times a factor.
void put_norm(Pattern& pattern, const OnnxNode& node, int x, std::int64_t axis, double epsilon,
              double factor = 0) {
  OnnxNode* const norm = pattern.replace(node.output(0), ".norm_along", node.name, {x});
  if (norm == nullptr) return;
  norm->attributes["axis"].integer = axis;
  norm->attributes["epsilon"].number = epsilon;
  norm->attributes["factor"].number = factor;
}

/// What a node divides x by, also as a product with a reciprocal; -1 for nothing.
int divisor_of(const OnnxGraph& graph, Pattern& pattern, const OnnxNode& node, int x) {
  const int other = other_input(node, x);
  if (node.op == "Div") return node.input(0) == x ? other : -1;
  if (const OnnxNode* const inverse = pattern.maker(other, "Reciprocal")) return inverse->input(0);
  const OnnxNode* const inverse = pattern.maker(other, "Div");
  return inverse != nullptr && is_number(graph, inverse->input(0), 1) ? inverse->input(1) : -1;
}

/// The length of x, from a number on that no float of another length reaches: as PyTorch's
/// normalize() and norm() write it.
Deviation length_of(const OnnxGraph& graph, Pattern& pattern, const OnnxLinks& links, int tensor) {
  constexpr double kLeast = 1e-12;
  if (const OnnxNode* const spread = links.maker(tensor, "Expand")) {
    pattern.take(spread)->read_all();
    tensor = spread->input(0);
  }
  if (links.maker(tensor, "Clip") != nullptr) {
    const OnnxNode& clip = *pattern.maker(tensor, "Clip");
    const auto least = clip.input(1) < 0 ? std::nullopt : graph.at(clip.input(1)).number();
    if (!least || *least > kLeast || clip.input(2) >= 0) return {};
    tensor = clip.input(0);
  }
  const OnnxNode* const length = pattern.maker(tensor, "ReduceL2");
  if (length == nullptr) return {};
  return {.below = length->input(0), .axes = kept_axes(graph, *length), .is_sum = true};
}

/// x / sqrt(mean(x * x) + epsilon) (Zhang and Sennrich, 2019), and x by its length.
void fuse_root_mean_square(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& node) {
  for (const int x : std::vector<int>(node.inputs)) {
    if (x < 0 || !graph.at(x).is_data()) continue;
    Pattern pattern(graph, links);
    pattern.take(&node);
    const int root = divisor_of(graph, pattern, node, x);
    Deviation found = deviation_of(graph, pattern, links, root);
    if (found.below < 0 && root >= 0) found = length_of(graph, pattern, links, root);
    const Shape& shape = graph.at(x).shape;
    if (found.below != x || found.axes.size() != 1 || found.axes[0] < 1) continue;
    if (graph.at(node.output(0)).shape != shape) continue;
    const auto extent = static_cast<double>(shape[static_cast<std::size_t>(found.axes[0])]);
    const double shared = found.is_sum ? extent : 1;
    return put_norm(pattern, node, x, found.axes[0], found.epsilon / shared, 1 / std::sqrt(shared));
  }
}

/// Starts at the quotient. The numerator and the deviation must centre the same tensor along the
/// same axes; an export may compute the difference once or twice. A weight of other extents is no
/// gamma: then gamma is ones that do not train, and a product follows.
void fuse_layer_norm(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& quotient) {
  Pattern pattern(graph, links);
  pattern.take(&quotient);
  Axes axes;
  const int x = centred(graph, pattern, pattern.maker(quotient.input(0), "Sub"), axes);
  Axes other_axes;
  const Deviation root = deviation_of(graph, pattern, links, quotient.input(1));
  const int same_x =
      root.below < 0 ? -1 : centred(graph, pattern, pattern.maker(root.below, "Sub"), other_axes);
  if (x < 0 || x != same_x || axes != other_axes || axes != root.axes || root.is_sum) return;
  const double epsilon = root.epsilon;
  const Shape& in = graph.at(x).shape;
  if (!are_last(axes, static_cast<std::int64_t>(in.size()))) {
    if (axes.size() == 1 && axes[0] > 0) put_norm(pattern, quotient, x, axes[0], epsilon);
    return;
  }
  const Shape normalised(in.end() - static_cast<std::ptrdiff_t>(axes.size()), in.end());
  int end = quotient.output(0);
  int weight = weight_after(graph, links, pattern, end, "Mul", normalised);
  const bool is_fixed = weight < 0;
  const int bias = is_fixed ? -1 : weight_after(graph, links, pattern, end, "Add", normalised);
  GraphBuilder builder(graph, quotient);
  const auto count = static_cast<std::size_t>(element_count(normalised));
  weight = is_fixed ? builder.constant(normalised, std::vector<double>(count, 1.0))
                    : builder.in_shape(weight, normalised);
  OnnxNode* const norm = pattern.replace(end, ".layer_norm", quotient.name,
                                         {x, weight, builder.in_shape(bias, normalised)});
  if (norm == nullptr) return;
  norm->attributes["dims"].integer = static_cast<std::int64_t>(axes.size());
  norm->attributes["epsilon"].number = epsilon;
  if (is_fixed) norm->attributes["fixed"].integer = 1;
}

/// Whether a tensor is known to have this number in each element.
bool is_filled(const OnnxGraph& graph, int tensor, double number) {
  const auto known = tensor < 0 ? std::nullopt : graph.at(tensor).known();
  return known && std::all_of(known->begin(), known->end(),
                              [number](double each) { return each == number; });
}

/// PyTorch writes a group norm as an InstanceNormalization of N, groups, rest, with a scale of ones
/// and a shift of zeros.
void fuse_group_norm(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& norm) {
  Pattern pattern(graph, links);
  pattern.take(&norm);
  const OnnxNode* const before = links.maker(norm.input(0), "Reshape");
  const OnnxNode* const after = pattern.only_reader(norm.output(0), "Reshape");
  const bool is_plain = is_filled(graph, norm.input(1), 1) && is_filled(graph, norm.input(2), 0);
  if (before == nullptr || after == nullptr || !is_plain) return;
  after->read_all();
  const int x = before->input(0);
  const Shape& in = graph.at(x).shape;
  const Shape& groups = graph.at(norm.input(0)).shape;
  const bool fits = groups.size() == 3 && in == graph.at(after->output(0)).shape &&
                    in.size() >= 3 && groups[0] == in[0] && in[1] % groups[1] == 0;
  if (!fits) return;
  Shape channels(in.size() - 1, 1);
  channels[0] = in[1];
  int end = after->output(0);
  const int weight = weight_after(graph, links, pattern, end, "Mul", channels);
  const int bias = weight < 0 ? -1 : weight_after(graph, links, pattern, end, "Add", channels);
  if (bias < 0) return;
  const double epsilon = norm.number("epsilon", 1e-5);
  OnnxNode* const fused = pattern.replace(end, ".group_norm", norm.name, {x, weight, bias});
  if (fused == nullptr) return;
  fused->attributes["groups"].integer = groups[1];
  fused->attributes["epsilon"].number = epsilon;
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
    const std::string op = graph.nodes[i].op;
    if (op == "Div") fuse_layer_norm(graph, links, graph.nodes[i]);
    // Of a layer norm that it has become, the links know no ones.
    const std::string left = graph.nodes[i].op;
    if (left == "Div" || left == "Mul") fuse_root_mean_square(graph, links, graph.nodes[i]);
    if (op == "InstanceNormalization") fuse_group_norm(graph, links, graph.nodes[i]);
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
