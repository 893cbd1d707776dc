// Activations as exports write them out. A tensor in the middle of a pattern must have no other
// reader: it would have to be there all the same. Where numbers are compared, a float's precision
// is allowed for (match.hpp). An activation that stays in pieces keeps tensors of its inside for
// its gradient, so each way in which exporters write it is worth a pattern.

#include <numbers>

#include "import/fuse.hpp"
#include "import/match.hpp"

namespace poet {
namespace {

/// The output of (t + 1) * x / 2, in any order of the two products; -1 if it is something else. t
/// is the erf or tanh of something in x.
int half_of_sum(const OnnxGraph& graph, const OnnxLinks& links, int t, int x) {
  const OnnxNode* const sum = links.only_reader(t, "Add");
  if (sum == nullptr || !is_number(graph, other_input(*sum, t), 1)) return -1;
  const OnnxNode* const product = links.only_reader(sum->output(0), "Mul");
  if (product == nullptr) return -1;
  const int factor = other_input(*product, sum->output(0));
  const auto halves = [&](const OnnxNode* node) {
    return node != nullptr && is_number(graph, data_and_number(graph, *node).second, 0.5);
  };
  if (factor == x) {
    const OnnxNode* const half = links.only_reader(product->output(0), "Mul");
    return halves(half) ? half->output(0) : -1;
  }
  const OnnxNode* const half = links.maker(factor, "Mul");
  if (halves(half) && data_and_number(graph, *half).first == x) return product->output(0);
  // x times half of the sum.
  if (!is_number(graph, factor, 0.5)) return -1;
  const OnnxNode* const last = links.only_reader(product->output(0), "Mul");
  return last != nullptr && other_input(*last, product->output(0)) == x ? last->output(0) : -1;
}

/// x (1 + erf(x / sqrt(2))) / 2.
void fuse_exact_gelu(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& erf) {
  const OnnxNode* const scaled = links.maker(erf.input(0));
  if (scaled == nullptr) return;
  const auto [x, number] = data_and_number(graph, *scaled);
  const double root = std::numbers::sqrt2;
  const bool fits = (scaled->op == "Div" && is_number(graph, number, root)) ||
                    (scaled->op == "Mul" && is_number(graph, number, 1 / root));
  const int end = fits ? half_of_sum(graph, links, erf.output(0), x) : -1;
  if (end >= 0) put_in_place(graph, links, end, ".gelu", erf.name, {x});
}

/// tanh(sqrt(2 / pi) (x + 0.044715 x^3)): Hendrycks and Gimpel (2016).
/// The cube is not looked at: the factor in front and the sum around tell the pattern apart.
void fuse_tanh_gelu(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& tanh) {
  const OnnxNode* const scaled = links.maker(tanh.input(0), "Mul");
  if (scaled == nullptr) return;
  const auto [inner, number] = data_and_number(graph, *scaled);
  const OnnxNode* const sum = links.maker(inner, "Add");
  if (sum == nullptr || !is_number(graph, number, std::sqrt(2 / std::numbers::pi))) return;
  for (const int x : sum->inputs) {
    const int end = half_of_sum(graph, links, tanh.output(0), x);
    if (end < 0) continue;
    OnnxNode& gelu = put_in_place(graph, links, end, ".gelu", tanh.name, {x});
    gelu.attributes["differs"].text = "it is the approximation by tanh, the layer has the erf";
    return;
  }
}

/// x * sigmoid(x) and x * hard_sigmoid(x).
/// The first is silu (Elfwing, Uchibe and Doya, 2018), the second hard_swish (Howard et al.,
/// Searching for MobileNetV3, 2019).
void fuse_gated(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& gate, const char* op) {
  const int x = gate.input(0);
  const OnnxNode* const product = links.only_reader(gate.output(0), "Mul");
  if (product == nullptr || other_input(*product, gate.output(0)) != x) return;
  put_in_place(graph, links, product->output(0), op, gate.name, {x});
}

/// clip(x + 3, 0, 6) / 6, and the product of it with x, divided before or after.
void fuse_hard(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& clip) {
  const OnnxNode* const sum = links.maker(clip.input(0), "Add");
  if (sum == nullptr || !is_number(graph, clip.input(2), 6)) return;
  const std::pair<int, int> shifted = data_and_number(graph, *sum);
  const int x = shifted.first;
  if (x < 0 || !is_number(graph, shifted.second, 3)) return;
  const auto sixth = [&](const OnnxNode* node) {
    return node != nullptr &&
           is_number(graph, data_and_number(graph, *node).second, node->op == "Div" ? 6 : 1.0 / 6);
  };
  const auto divided = [&](int tensor) {
    const OnnxNode* const quotient = links.only_reader(tensor, "Div");
    const OnnxNode* const node = quotient == nullptr ? links.only_reader(tensor, "Mul") : quotient;
    return sixth(node) ? node->output(0) : -1;
  };
  const auto times_x = [&](int tensor) {
    const OnnxNode* const product = links.only_reader(tensor, "Mul");
    return product != nullptr && other_input(*product, tensor) == x ? product->output(0) : -1;
  };
  const int gate = divided(clip.output(0));
  const int gated = gate >= 0 ? times_x(gate) : divided(times_x(clip.output(0)));
  if (gated >= 0) {
    put_in_place(graph, links, gated, ".hard_swish", clip.name, {x});
  } else if (gate >= 0) {
    put_in_place(graph, links, gate, ".hard_sigmoid", clip.name, {x});
  }
}

}  // namespace

void fuse_activations(OnnxGraph& graph) {
  const OnnxLinks links(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OnnxNode node = graph.nodes[i];
    if (node.op == "Erf") fuse_exact_gelu(graph, links, node);
    if (node.op == "Tanh") fuse_tanh_gelu(graph, links, node);
    if (node.op == "Sigmoid") fuse_gated(graph, links, node, ".silu");
    if (node.op == "HardSigmoid") fuse_gated(graph, links, node, ".hard_swish");
    if (node.op == "Clip") fuse_hard(graph, links, node);
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
