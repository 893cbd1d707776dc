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
/// is the erf of something in x.
int half_of_sum(const OnnxGraph& graph, Pattern& pattern, int t, int x) {
  const OnnxNode* const sum = pattern.only_reader(t, "Add");
  if (sum == nullptr || !is_number(graph, other_input(*sum, t), 1)) return -1;
  const OnnxNode* const product = pattern.only_reader(sum->output(0), "Mul");
  if (product == nullptr) return -1;
  const int factor = other_input(*product, sum->output(0));
  const auto halves = [&](const OnnxNode* node) {
    return node != nullptr && is_number(graph, data_and_number(graph, *node).second, 0.5);
  };
  if (factor == x) {
    const OnnxNode* const half = pattern.only_reader(product->output(0), "Mul");
    return halves(half) ? half->output(0) : -1;
  }
  // x times half of the sum.
  if (is_number(graph, factor, 0.5)) {
    const OnnxNode* const last = pattern.only_reader(product->output(0), "Mul");
    return last != nullptr && other_input(*last, product->output(0)) == x ? last->output(0) : -1;
  }
  const OnnxNode* const half = pattern.maker(factor, "Mul");
  return halves(half) && data_and_number(graph, *half).first == x ? product->output(0) : -1;
}

bool keeps_shape(const OnnxGraph& graph, int from, int to) {
  return from >= 0 && to >= 0 && graph.at(from).shape == graph.at(to).shape;
}

/// x (1 + erf(x / sqrt(2))) / 2.
void fuse_exact_gelu(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& erf) {
  Pattern pattern(graph, links);
  pattern.take(&erf);
  const OnnxNode* const scaled = pattern.take(links.maker(erf.input(0)));
  if (scaled == nullptr || (scaled->op != "Div" && scaled->op != "Mul")) return;
  const bool divides = scaled->op == "Div";
  const auto [x, number] = data_and_number(graph, *scaled);
  const double root = std::numbers::sqrt2;
  const bool fits = (!divides || scaled->input(1) == number) &&
                    is_number(graph, number, divides ? root : 1 / root);
  const int end = fits ? half_of_sum(graph, pattern, erf.output(0), x) : -1;
  if (keeps_shape(graph, x, end)) pattern.replace(end, ".gelu", erf.name, {x});
}

/// x * sigmoid(x) and x * hard_sigmoid(x).
/// The first is silu (Elfwing, Uchibe and Doya, 2018), the second hard_swish (Howard et al.,
/// Searching for MobileNetV3, 2019).
void fuse_gated(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& gate, const char* op) {
  Pattern pattern(graph, links);
  pattern.take(&gate);
  const int x = gate.input(0);
  const bool is_usual = gate.op != "HardSigmoid" || (is_near(gate.number("alpha", 0.2), 1.0 / 6) &&
                                                     is_near(gate.number("beta", 0.5), 0.5));
  const OnnxNode* const product = pattern.only_reader(gate.output(0), "Mul");
  if (!is_usual || product == nullptr || other_input(*product, gate.output(0)) != x) return;
  pattern.replace(product->output(0), op, gate.name, {x});
}

/// clip(x + 3, 0, 6) / 6, and the product of it with x, divided before or after.
void fuse_hard(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& clip) {
  Pattern pattern(graph, links);
  pattern.take(&clip);
  const auto limit = [&](std::size_t input, const char* key) -> std::optional<double> {
    if (clip.input(input) >= 0) return graph.at(clip.input(input)).number();
    return clip.has(key) ? std::optional(clip.number(key, 0)) : std::nullopt;
  };
  const OnnxNode* const sum = pattern.maker(clip.input(0), "Add");
  const bool is_usual = limit(1, "min") == 0.0 && limit(2, "max") == 6.0;
  if (sum == nullptr || !is_usual) return;
  const std::pair<int, int> shifted = data_and_number(graph, *sum);
  const int x = shifted.first;
  if (!keeps_shape(graph, x, clip.output(0)) || !is_number(graph, shifted.second, 3)) return;
  const auto divided = [&](int tensor) {
    const bool divides = links.only_reader(tensor, "Div") != nullptr;
    const OnnxNode* const node = pattern.only_reader(tensor, divides ? "Div" : "Mul");
    if (node == nullptr || (divides && node->input(0) != tensor)) return -1;
    const int number = data_and_number(graph, *node).second;
    return is_number(graph, number, divides ? 6 : 1.0 / 6) ? node->output(0) : -1;
  };
  const auto times_x = [&](int tensor) {
    const OnnxNode* const product = links.only_reader(tensor, "Mul");
    if (product == nullptr || other_input(*product, tensor) != x) return -1;
    pattern.take(product)->read_all();
    return product->output(0);
  };
  const bool is_product = times_x(clip.output(0)) >= 0;
  const int gate = is_product ? divided(times_x(clip.output(0))) : divided(clip.output(0));
  const int gated = is_product || gate < 0 ? gate : times_x(gate);
  const int end = gated >= 0 ? gated : gate;
  if (!keeps_shape(graph, x, end)) return;
  pattern.replace(end, gated >= 0 ? ".hard_swish" : ".hard_sigmoid", clip.name, {x});
}

}  // namespace

void fuse_activations(OnnxGraph& graph) {
  const OnnxLinks links(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OnnxNode& node = graph.nodes[i];
    const std::string op = node.op;
    if (op == "Erf") fuse_exact_gelu(graph, links, node);
    if (op == "Sigmoid") fuse_gated(graph, links, node, ".silu");
    if (op == "HardSigmoid") fuse_gated(graph, links, node, ".hard_swish");
    if (op == "Clip") fuse_hard(graph, links, node);
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
