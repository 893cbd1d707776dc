// ONNX has one node for a whole LSTM, with time as the first extent and directions as the second;
// our layers have the batch first. So the node gets transpositions around it. PyTorch's exports
// have transpositions of their own there, and each pair is removed by the next pass over idle
// nodes, which is why this one comes early. The steps are taken apart later, in map_recurrence.cpp,
// where layers are made.

#include "import/fuse.hpp"

namespace poet {
namespace {

int new_tensor(OnnxGraph& graph, const std::string& name, Shape shape) {
  graph.tensors.push_back({.name = name, .shape = std::move(shape)});
  return static_cast<int>(graph.tensors.size()) - 1;
}

OnnxNode transposed(const std::string& name, int from, int to) {
  OnnxNode node{.op = "Transpose", .name = name, .inputs = {from}, .outputs = {to}};
  node.attributes["perm"].integers = {1, 0, 2};
  return node;
}

/// The layer has one direction, no lengths of sequences (input 4), no peepholes (input 7) and the
/// usual activations. Any other LSTM stays an op that no layer stands for.
bool is_plain(const OnnxGraph& graph, const OnnxNode& node) {
  const std::string direction = node.text("direction");
  return (direction.empty() || direction == "forward") && node.integer("layout", 0) == 0 &&
         node.input(4) < 0 && node.input(7) < 0 && node.integer("input_forget", 0) == 0 &&
         !node.has("clip") && !node.has("activations") && graph.at(node.input(0)).shape.size() == 3;
}

/// ONNX has time first and an extent for directions. The node in its place has the batch first and
/// gives the states of all steps, and the last two as N, H.
void take_apart(OnnxGraph& graph, const OnnxNode& node, std::vector<OnnxNode>& nodes) {
  const Shape in = graph.at(node.input(0)).shape;
  const std::int64_t width = node.integer("hidden_size", 0);
  const auto add = [&](const char* what, Shape shape) {
    return new_tensor(graph, node.name + what, std::move(shape));
  };
  const int x = add("/x", {in[1], in[0], in[2]});
  const int y = add("/y", {in[1], in[0], width});
  const int h = add("/h", {in[1], width});
  const int c = add("/c", {in[1], width});
  nodes.push_back(transposed(node.name + "/batch_first", node.input(0), x));
  OnnxNode lstm{.op = ".lstm", .name = node.name, .inputs = node.inputs, .outputs = {y, h, c}};
  lstm.inputs[0] = x;
  nodes.push_back(std::move(lstm));
  if (node.output(0) >= 0) {
    const int steps = add("/steps", {in[0], in[1], width});
    nodes.push_back(transposed(node.name + "/time_first", y, steps));
    nodes.push_back({.op = "Unsqueeze",
                     .name = node.name + "/direction",
                     .inputs = {steps},
                     .outputs = {node.output(0)}});
  }
  for (const auto& [state, out] : {std::pair{h, node.output(1)}, std::pair{c, node.output(2)}}) {
    if (out < 0) continue;
    nodes.push_back(
        {.op = "Unsqueeze", .name = node.name + "/direction", .inputs = {state}, .outputs = {out}});
  }
}

}  // namespace

void fuse_recurrence(OnnxGraph& graph) {
  std::vector<OnnxNode> nodes;
  std::vector<OnnxNode> before = std::move(graph.nodes);
  for (OnnxNode& node : before) {
    if (node.op == "LSTM" && is_plain(graph, node)) {
      take_apart(graph, node, nodes);
    } else {
      nodes.push_back(std::move(node));
    }
  }
  graph.nodes = std::move(nodes);
}

}  // namespace poet
