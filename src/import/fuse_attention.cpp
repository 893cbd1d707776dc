// Scaled dot-product attention (Vaswani et al., Attention Is All You Need, 2017): softmax(Q K^T /
// sqrt(d) + mask) V for each head, with the Reshape and Transpose that split and join heads. The
// scale may stand at Q, at K, at both or at the scores. Its value is not compared, as it costs
// nothing.
//
// A mask that is computed from data is not stepped over. Such an attention stays as it is written,
// since the layer could not say what it hides.

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "import/fuse.hpp"
#include "import/match.hpp"

namespace poet {
namespace {

/// N, S, heads and the width of one.
struct Heads {
  int source = -1;  ///< the tensor N, S, H
  std::int64_t heads = 0;
};

using Order = std::vector<std::int64_t>;

/// The tensor N, S, H that a tensor N, heads, S, d was made of, by Reshape and Transpose.
Heads split_into_heads(const OnnxGraph& graph, const OnnxLinks& links, int tensor,
                       const Order& order) {
  const OnnxNode* const moved = links.maker(tensor, "Transpose");
  if (moved == nullptr) return {};
  Order found = moved->integers("perm");
  const OnnxNode* before = links.maker(moved->input(0), "Reshape");
  if (before == nullptr) {
    // Two in a row: the second only swaps the last two extents.
    const OnnxNode* const first = links.maker(moved->input(0), "Transpose");
    if (first == nullptr || found != Order{0, 1, 3, 2}) return {};
    found = first->integers("perm");
    if (found.size() != 4) return {};
    std::swap(found[2], found[3]);
    before = links.maker(first->input(0), "Reshape");
  }
  if (before == nullptr || found != order) return {};
  const Shape& whole = graph.at(before->input(0)).shape;
  const Shape& parts = graph.at(before->output(0)).shape;
  const bool fits =
      whole.size() == 3 && parts.size() == 4 && parts[0] == whole[0] && parts[1] == whole[1];
  return fits ? Heads{before->input(0), parts[2]} : Heads{};
}

/// Steps over a product with, or a division by, a number.
int without_scale(const OnnxGraph& graph, const OnnxLinks& links, int tensor) {
  const OnnxNode* const node = links.maker(tensor);
  if (node == nullptr || (node->op != "Mul" && node->op != "Div")) return tensor;
  const int data = data_and_number(graph, *node).first;
  return data < 0 ? tensor : data;
}

/// Whether a mask of known numbers hides what comes later; a mask whose numbers are not known is
/// taken for one that does.
bool hides_later(const OnnxGraph& graph, int mask) {
  const OnnxTensor& tensor = graph.at(mask);
  const auto rank = static_cast<std::int64_t>(tensor.shape.size());
  if (rank < 2 || tensor.shape[rank - 1] != tensor.shape[rank - 2]) return false;
  if (tensor.is_data()) return false;
  if (!tensor.values) return true;
  const std::int64_t size = tensor.shape.back();
  const std::vector<double>& values = *tensor.values;
  if (static_cast<std::int64_t>(values.size()) != size * size || size < 2) return false;
  // Row 0 hides column 1 and row 1 shows column 0.
  return values[1] != values[size];
}

struct Scores {
  int tensor = -1;  ///< of the product of queries and keys
  bool is_causal = false;
};

/// Steps over the mask between the scores and their softmax.
/// Where or Add, by exporter: one chooses -infinity for what is hidden, the other adds it.
Scores without_mask(const OnnxGraph& graph, const OnnxLinks& links, int tensor) {
  if (const OnnxNode* const where = links.maker(tensor, "Where")) {
    for (const std::size_t side : {std::size_t{1}, std::size_t{2}}) {
      const int data = where->input(side);
      if (graph.at(data).is_data() && !graph.at(where->input(0)).is_data()) {
        return {data, hides_later(graph, where->input(0))};
      }
    }
  }
  if (const OnnxNode* const sum = links.maker(tensor, "Add")) {
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const int mask = sum->input(1 - side);
      if (!graph.at(mask).is_data()) return {sum->input(side), hides_later(graph, mask)};
    }
  }
  return {tensor, false};
}

/// From the softmax, which every attention has: back to the scores and their operands, forward to
/// the product with V. One condition that fails leaves all nodes as they are.
void fuse_one(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& softmax, int& dropouts) {
  const auto rank = static_cast<std::int64_t>(graph.at(softmax.output(0)).shape.size());
  const std::int64_t axis = softmax.integer("axis", -1);
  if (rank != 4 || (axis != -1 && axis != rank - 1)) return;
  const Scores scores = without_mask(graph, links, softmax.input(0));
  const OnnxNode* const product = links.maker(without_scale(graph, links, scores.tensor), "MatMul");
  const OnnxNode* const dropout = links.only_reader(softmax.output(0), "Dropout");
  const OnnxNode* const context =
      links.only_reader(dropout == nullptr ? softmax.output(0) : dropout->output(0), "MatMul");
  const OnnxNode* const moved =
      context == nullptr ? nullptr : links.only_reader(context->output(0), "Transpose");
  const OnnxNode* const joined =
      moved == nullptr ? nullptr : links.only_reader(moved->output(0), "Reshape");
  if (product == nullptr || joined == nullptr || moved->integers("perm") != Order{0, 2, 1, 3}) {
    return;
  }
  const Heads q =
      split_into_heads(graph, links, without_scale(graph, links, product->input(0)), {0, 2, 1, 3});
  const Heads k =
      split_into_heads(graph, links, without_scale(graph, links, product->input(1)), {0, 2, 3, 1});
  const Heads v = split_into_heads(graph, links, context->input(1), {0, 2, 1, 3});
  if (q.source < 0 || k.source < 0 || v.source < 0 || q.heads != k.heads || q.heads != v.heads ||
      graph.at(k.source).shape != graph.at(v.source).shape ||
      graph.at(joined->output(0)).shape != graph.at(q.source).shape) {
    return;
  }
  dropouts += dropout == nullptr ? 0 : 1;
  OnnxNode& fused = put_in_place(graph, links, joined->output(0), ".attention", softmax.name,
                                 {q.source, k.source, v.source});
  fused.attributes["heads"].integer = q.heads;
  fused.attributes["causal"].integer = scores.is_causal ? 1 : 0;
  if (dropout != nullptr) {
    fused.attributes["differs"].text = "it drops scores, the layer drops none";
  }
}

}  // namespace

void fuse_attention(OnnxGraph& graph, std::vector<std::string>& notes) {
  const OnnxLinks links(graph);
  int dropouts = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OnnxNode node = graph.nodes[i];
    if (node.op == "Softmax") fuse_one(graph, links, node, dropouts);
  }
  if (dropouts > 0) {
    notes.push_back(fmt::format(
        "{} attention{} without the dropout of the scores, which the op attention does not have",
        dropouts, dropouts == 1 ? " is" : "s are"));
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
