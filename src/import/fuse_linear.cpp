// Products with a weight, and the random masks of stochastic depth. A product with a weight is a
// layer of its own, because its gradient reads the input and not the weight's form: a transposed
// weight is the same parameters.

#include <algorithm>

#include "import/fuse.hpp"
#include "import/match.hpp"

namespace poet {
namespace {

bool is_vector_of(const OnnxGraph& graph, int tensor, std::int64_t count) {
  const Shape& shape = graph.at(tensor).shape;
  return !shape.empty() && shape.back() == count &&
         std::all_of(shape.begin(), shape.end() - 1, [](std::int64_t e) { return e == 1; });
}

/// PyTorch writes a linear layer on more than two extents as MatMul and Add, and one on two extents
/// as Gemm. Without a bias the Add is missing. A constant beside a weight of the file stays a sum:
/// as a bias it would train.
void fuse_matmul(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& node) {
  Pattern pattern(graph, links);
  pattern.take(&node);
  const int x = node.input(0);
  const int weight = node.input(1);
  if (x < 0 || weight < 0 || !graph.at(x).is_data() || graph.at(weight).is_data() ||
      graph.at(weight).shape.size() != 2) {
    return;
  }
  const std::int64_t width = graph.at(weight).shape[1];
  const OnnxNode* const sum = links.only_reader(node.output(0), "Add");
  int bias = sum == nullptr ? -1 : data_and_weight(graph, *sum).second;
  const bool may_train = bias >= 0 && (graph.at(bias).is_weight || graph.at(weight).is_constant);
  const bool fits = may_train && is_vector_of(graph, bias, width) &&
                    graph.at(sum->output(0)).shape == graph.at(node.output(0)).shape;
  if (!fits) bias = -1;
  if (fits) pattern.take(sum)->read_all();
  OnnxNode* const linear = pattern.replace(fits ? sum->output(0) : node.output(0), ".linear",
                                           node.name, {x, weight, bias});
  if (linear == nullptr) return;
  linear->attributes["out_features"].integer = width;
  linear->attributes["in_first"].integer = 1;
}

/// A factor other than 1, or a transposed input, is nothing that a linear layer has; such a node is
/// taken apart later.
void fuse_gemm(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& node) {
  Pattern pattern(graph, links);
  pattern.take(&node);
  const int weight = node.input(1);
  const int bias = node.input(2);
  static_cast<void>(node.has("broadcast"));  // before opset 7, and without it ever since
  const double scale = node.number("alpha", 1);
  const bool has_factor = scale != 1 || (node.number("beta", 1) != 1 && bias >= 0);
  const bool is_transposed = node.integer("transB", 0) != 0;
  if (has_factor || node.integer("transA", 0) != 0 || node.input(0) < 0 || weight < 0) return;
  if (!graph.at(node.input(0)).is_data() || graph.at(weight).is_data()) return;
  const std::int64_t width = graph.at(weight).shape.at(is_transposed ? 0 : 1);
  if (bias >= 0 && (graph.at(bias).is_data() || !is_vector_of(graph, bias, width))) return;
  OnnxNode* const linear =
      pattern.replace(node.output(0), ".linear", node.name, {node.input(0), weight, bias});
  if (linear == nullptr) return;
  linear->attributes["out_features"].integer = width;
  linear->attributes["in_first"].integer = is_transposed ? 0 : 1;
}

}  // namespace

void fuse_linear(OnnxGraph& graph) {
  const OnnxLinks links(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string op = graph.nodes[i].op;
    if (op == "MatMul") fuse_matmul(graph, links, graph.nodes[i]);
    if (op == "Gemm") fuse_gemm(graph, links, graph.nodes[i]);
  }
  remove_unread_nodes(graph);
}

/// Stochastic depth (Huang et al., Deep Networks with Stochastic Depth, 2016) has no op in ONNX: it
/// is a product with random numbers, one for each sample.
void fuse_random(OnnxGraph& graph) {
  const OnnxLinks links(graph);
  // All tensors that are computed from random numbers alone.
  std::vector<bool> is_random(graph.tensors.size());
  for (const OnnxNode& node : graph.nodes) {
    bool from_random = node.op == "RandomUniformLike" || node.op == "RandomNormalLike" ||
                       node.op == "RandomUniform" || node.op == "RandomNormal" ||
                       node.op == "Bernoulli";
    if (!from_random) {
      bool is_pure = true;
      for (const int tensor : node.inputs) {
        if (tensor < 0 || !graph.at(tensor).is_data()) continue;
        from_random = from_random || is_random[tensor];
        is_pure = is_pure && is_random[tensor];
      }
      from_random = from_random && is_pure;
    }
    for (const int tensor : node.outputs) {
      if (tensor >= 0) is_random[tensor] = from_random;
    }
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OnnxNode& node = graph.nodes[i];
    if (node.op != "Mul" || node.input(0) < 0 || node.input(1) < 0) continue;
    const bool first = is_random[node.input(0)];
    if (first == is_random[node.input(1)]) continue;
    const int x = node.input(first ? 1 : 0);
    if (graph.at(x).shape != graph.at(node.output(0)).shape) continue;
    Pattern pattern(graph, links);
    OnnxNode& fused = *pattern.replace(node.output(0), ".stochastic_depth", node.name, {x});
    fused.attributes["differs"].text = "its rate is not known from the file, the layer's is 0.1";
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
