// Scaled dot-product attention (Vaswani et al., Attention Is All You Need, 2017): softmax(Q K^T /
// sqrt(d) + mask) V for each head, with the Reshape and Transpose that split and join heads. The
// scale may stand at Q, at K, at both or at the scores; all factors together have to make the scale
// of the layer. A mask has to hide just what comes later, or nothing. An attention of any other
// kind, such as one with a learned bias, a window or the padding of a batch, stays as it is.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

/// Steps over a product with, or a division by, a number, and takes it into the scale.
int without_scale(const OnnxGraph& graph, const OnnxLinks& links, int tensor, double& scale) {
  const OnnxNode* const node = links.maker(tensor);
  if (node == nullptr || (node->op != "Mul" && node->op != "Div")) return tensor;
  const auto [data, number] = data_and_number(graph, *node);
  const bool divides = node->op == "Div";
  if (data < 0 || (divides && node->input(1) != number)) return tensor;
  if (graph.at(data).shape != graph.at(tensor).shape) return tensor;
  const double factor = *graph.at(number).number();
  scale *= divides ? 1 / factor : factor;
  return data;
}

enum class Hides { nothing, later, something, unknown };

/// What a mask hides of scores of this shape, by what it adds to each element.
Hides hidden_by(const Shape& shape, const std::vector<double>& added, const Shape& scores) {
  const std::size_t rank = shape.size();
  const std::int64_t columns = rank < 1 ? 1 : shape[rank - 1];
  const std::int64_t rows = rank < 2 ? 1 : shape[rank - 2];
  const bool is_square = rows == columns && rows == scores[2] && columns == scores[3];
  bool hides_nothing = true;
  bool hides_later = is_square;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const bool is_later = at % columns > at / columns % rows;
    hides_nothing = hides_nothing && added[i] == 0;
    hides_later = hides_later && (is_later ? added[i] <= kHides : added[i] == 0);
  }
  if (hides_nothing) return Hides::nothing;
  return hides_later ? Hides::later : Hides::something;
}

/// Scores below a mask: Where or Add, by exporter. One chooses -infinity for what is hidden, the
/// other adds it.
struct Masked {
  int scores = -1;
  Hides hides = Hides::nothing;
};

/// A mask without numbers is one of a file without weights, where it is taken for the usual one.
Hides hides_without_numbers(const OnnxGraph& graph, int mask, const Shape& scores) {
  const Shape& shape = graph.at(mask).shape;
  const bool is_square =
      shape.size() >= 2 && shape.back() == scores[3] && shape[shape.size() - 2] == scores[2];
  return is_square && scores[2] == scores[3] ? Hides::unknown : Hides::something;
}

Masked masked_by_choice(const OnnxGraph& graph, const OnnxNode& where, const Shape& scores) {
  const OnnxTensor& truth = graph.at(where.input(0));
  const bool shows_first = graph.at(where.input(1)).is_data();
  const int data = where.input(shows_first ? 1 : 2);
  const int other = where.input(shows_first ? 2 : 1);
  if (truth.is_data() || !graph.at(data).is_data() || graph.at(data).shape != scores) return {};
  const auto hidden = graph.at(other).known();
  const bool hides = hidden && std::all_of(hidden->begin(), hidden->end(),
                                           [](double number) { return number <= kHides; });
  if (!hides) return {};
  std::optional<std::vector<double>> added = truth.known();
  if (!added) return {data, hides_without_numbers(graph, where.input(0), scores)};
  for (double& each : *added) each = (each != 0) == shows_first ? 0 : kHidden;
  return {data, hidden_by(truth.shape, *added, scores)};
}

/// A learned bias is not a mask, even if it begins with zeros.
Masked masked_by_sum(const OnnxGraph& graph, const OnnxNode& sum, const Shape& scores,
                     double scale) {
  const auto [data, mask] = data_and_known(graph, sum);
  if (data < 0 || graph.at(data).shape != scores) return {};
  std::optional<std::vector<double>> added = graph.at(mask).known();
  if (!added) return {data, hides_without_numbers(graph, mask, scores)};
  for (double& each : *added) each *= scale;
  const Hides hides = hidden_by(graph.at(mask).shape, *added, scores);
  const bool is_learned = !graph.at(mask).is_constant && hides == Hides::nothing;
  return {data, is_learned ? Hides::something : hides};
}

/// Between the softmax and the product of queries and keys: scales and masks in any order.
struct Scores {
  const OnnxNode* product = nullptr;
  double scale = 1;
  Hides hides = Hides::nothing;
};

Scores scores_below(const OnnxGraph& graph, const OnnxLinks& links, int tensor) {
  const Shape shape = graph.at(tensor).shape;
  Scores scores;
  for (;;) {
    const int below = without_scale(graph, links, tensor, scores.scale);
    if (below != tensor) {
      tensor = below;
      continue;
    }
    const OnnxNode* const node = links.maker(tensor);
    if (node == nullptr) return scores;
    if (node->op == "MatMul") {
      scores.product = node;
      return scores;
    }
    Masked masked;
    if (node->op == "Where") masked = masked_by_choice(graph, *node, shape);
    if (node->op == "Add") masked = masked_by_sum(graph, *node, shape, scores.scale);
    const bool is_second = masked.hides != Hides::nothing && scores.hides != Hides::nothing;
    if (masked.scores < 0 || is_second || scores.scale <= 0) return scores;
    if (masked.hides != Hides::nothing) scores.hides = masked.hides;
    tensor = masked.scores;
  }
}

/// Whether this node puts the heads together again, as the layer does.
bool joins_heads(const OnnxGraph& graph, const OnnxNode* moved, const OnnxNode* joined, int q) {
  return moved != nullptr && joined != nullptr && moved->integers("perm") == Order{0, 2, 1, 3} &&
         graph.at(joined->output(0)).shape == graph.at(q).shape;
}

/// What a user should know of all of them.
struct Found {
  int dropouts = 0;
  int unknown_masks = 0;
};

/// From the softmax, which every attention has: back to the scores and their operands, forward to
/// the product with V. One condition that fails leaves all nodes as they are.
void fuse_one(OnnxGraph& graph, const OnnxLinks& links, const OnnxNode& softmax, Found& found) {
  constexpr int kFirstWithLastAxis = 13;
  const auto rank = static_cast<std::int64_t>(graph.at(softmax.output(0)).shape.size());
  const std::int64_t axis = softmax.integer("axis", graph.opset < kFirstWithLastAxis ? 1 : -1);
  if (rank != 4 || (axis != -1 && axis != rank - 1)) return;
  Scores scores = scores_below(graph, links, softmax.input(0));
  const OnnxNode* const dropout = links.only_reader(softmax.output(0), "Dropout");
  const int weights = dropout == nullptr ? softmax.output(0) : dropout->output(0);
  const OnnxNode* const context = links.only_reader(weights, "MatMul");
  if (scores.product == nullptr || context == nullptr || context->input(0) != weights) return;
  const OnnxNode* const moved = links.only_reader(context->output(0), "Transpose");
  const OnnxNode* const joined =
      moved == nullptr ? nullptr : links.only_reader(moved->output(0), "Reshape");
  const auto heads = [&](int tensor, const Order& order) {
    return split_into_heads(graph, links, without_scale(graph, links, tensor, scores.scale), order);
  };
  const int queries = scores.product->input(0);
  Heads q = heads(queries, {0, 2, 1, 3});
  const Heads k = heads(scores.product->input(1), {0, 2, 3, 1});
  const Heads v = split_into_heads(graph, links, context->input(1), {0, 2, 1, 3});
  if (q.source < 0 || k.source < 0 || v.source < 0 || q.heads != k.heads || q.heads != v.heads ||
      graph.at(k.source).shape != graph.at(v.source).shape ||
      graph.at(k.source).shape.back() != graph.at(q.source).shape.back() ||
      !joins_heads(graph, moved, joined, q.source)) {
    return;
  }
  const double usual = 1 / std::sqrt(static_cast<double>(graph.at(queries).shape.back()));
  // Before the heads are split, the queries of PyTorch are scaled.
  if (!is_near(scores.scale, usual)) q.source = without_scale(graph, links, q.source, scores.scale);
  if (!is_near(scores.scale, usual) || scores.hides == Hides::something) return;
  found.dropouts += dropout == nullptr ? 0 : 1;
  OnnxNode& fused =
      *Pattern(graph, links)
           .replace(joined->output(0), ".attention", softmax.name, {q.source, k.source, v.source});
  fused.attributes["heads"].integer = q.heads;
  fused.attributes["causal"].integer = scores.hides == Hides::nothing ? 0 : 1;
  found.unknown_masks += scores.hides == Hides::unknown ? 1 : 0;
  if (dropout != nullptr) {
    fused.attributes["differs"].text = "it drops scores, the layer drops none";
  }
}

}  // namespace

void fuse_attention(OnnxGraph& graph, std::vector<std::string>& notes) {
  const OnnxLinks links(graph);
  Found found;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].op == "Softmax") fuse_one(graph, links, graph.nodes[i], found);
  }
  const auto count = [](int each) {
    return fmt::format("{} attention{}", each, each == 1 ? " is" : "s are");
  };
  if (found.dropouts > 0) {
    notes.push_back(count(found.dropouts) +
                    " without the dropout of the scores, which the op attention does not have");
  }
  if (found.unknown_masks > 0) {
    notes.push_back(count(found.unknown_masks) +
                    " taken for causal, as the file has no numbers of the mask");
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
