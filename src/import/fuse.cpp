// Passes over the graph, each of which looks for what the passes before it leave. Idle nodes go
// first, since they would stand between the nodes of a pattern. An LSTM gets transpositions around
// it, which undo the transpositions that an export has there, so idle nodes go once more after it.
//
// A pattern that is missed costs RAM and time in the schedule, as its nodes become layers one by
// one. A pattern that is seen where it is not would be another network. So every pass asks for all
// numbers and readers of its pattern, and gives up if one does not fit. Each pass makes its links
// anew, which is linear in the graph, and removes what nobody reads any more.

#include "import/fuse.hpp"

#include <algorithm>
#include <numeric>

#include "import/lower.hpp"
#include "import/match.hpp"

namespace poet {
namespace {

/// ONNX drops elements only if the third input is true, and none of them by a ratio of 0. Inputs
/// that are not known are nothing to go by.
bool trains(const OnnxGraph& graph, const OnnxNode& dropout) {
  const auto is_zero = [&](std::size_t input) {
    return dropout.input(input) >= 0 && graph.at(dropout.input(input)).number() == 0.0;
  };
  return dropout.input(2) >= 0 && !is_zero(2) && !is_zero(1);
}

/// Whether a node gives back its input.
bool is_idle(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.input(0) < 0) return false;
  if (node.op == "Identity") return true;
  if (node.op == "Dropout") return !trains(graph, node);
  if (node.op == "Cast") {
    return graph.at(node.input(0)).is_integer == graph.at(node.output(0)).is_integer;
  }
  // The same shape is not enough for these: they may reverse a tensor, or shift or turn it.
  if (graph.at(node.input(0)).shape != graph.at(node.output(0)).shape) return false;
  if (node.op == "Slice") return are_all(graph, node, 4, "steps", 1);
  if (node.op == "Pad") return are_all(graph, node, 1, "pads", 0);
  if (node.op == "Transpose") {
    const std::vector<std::int64_t> order = node.integers("perm");
    return std::is_sorted(order.begin(), order.end()) && !order.empty();
  }
  return node.op == "Expand" || node.op == "Reshape";
}

/// The tensor that two transpositions in a row, or an Unsqueeze and a Squeeze, give back.
int undone(const OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& node) {
  const int in = node.input(0);
  if (node.op == "Transpose") {
    const OnnxNode* const before = links.maker(in, "Transpose");
    if (before == nullptr) return -1;
    const std::vector<std::int64_t> first = before->integers("perm");
    const std::vector<std::int64_t> second = node.integers("perm");
    if (first.size() != second.size() || first.empty()) return -1;
    for (std::size_t i = 0; i < second.size(); ++i) {
      if (first.at(second[i]) != static_cast<std::int64_t>(i)) return -1;
    }
    return before->input(0);
  }
  const bool is_view = node.op == "Squeeze" || node.op == "Reshape" || node.op == "Gather";
  const OnnxNode* const before = links.maker(in, "Unsqueeze");
  if (!is_view || before == nullptr) return -1;
  return graph.at(before->input(0)).shape == graph.at(node.output(0)).shape ? before->input(0) : -1;
}

}  // namespace

/// One pass is enough for chains of idle nodes: nodes are in topological order, and each reads what
/// already stands for its inputs.
void remove_idle_nodes(OnnxGraph& graph) {
  const OnnxLinks links(graph);
  std::vector<int> stands_for(graph.tensors.size());
  std::iota(stands_for.begin(), stands_for.end(), 0);
  const auto replace = [&](std::vector<int>& tensors) {
    for (int& tensor : tensors) {
      if (tensor >= 0) tensor = stands_for[tensor];
    }
  };
  for (OnnxNode& node : graph.nodes) {
    replace(node.inputs);
    if (node.output(0) < 0) continue;
    const int from = is_idle(graph, node) ? node.input(0) : undone(graph, links, node);
    if (from >= 0) stands_for[node.output(0)] = from;
  }
  replace(graph.outputs);
  remove_unread_nodes(graph);
}

void fuse(OnnxGraph& graph, std::vector<std::string>& notes) {
  remove_unread_nodes(graph);
  replace_nodes(graph, lower_old_broadcast);
  remove_idle_nodes(graph);
  fuse_recurrence(graph);
  remove_idle_nodes(graph);
  fuse_padding(graph);
  fuse_slices(graph);
  fuse_random(graph);
  fuse_norms(graph);
  fuse_activations(graph);
  fuse_linear(graph);
  fuse_attention(graph, notes);
  lower(graph);
  share_weights(graph);
  remove_idle_nodes(graph);
}

}  // namespace poet
