#include <algorithm>

#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "poet/error.hpp"

// S = sequence, H = hidden, I = head_dim. P, the softmax of the scores, is a node: the backward
// pass reads it. The scores themselves are not, as softmax is computed in place over them. Each
// product is a node of its own in the backward pass, so that P goes as soon as dS is there, which
// may take its place.
namespace poet::exact {
namespace {

constexpr std::int64_t kColumnsInScoresTile = 16;

/// What one product of all heads costs, and what softmax costs per score.
struct AttentionFlop {
  std::int64_t product, softmax, softmax_gradient;
};

AttentionFlop attention_flop(std::int64_t pairs, std::int64_t hidden, std::int64_t heads) {
  return {checked_product({2, pairs, hidden}), checked_product({kExpFlop + 4, pairs, heads}),
          checked_product({4, pairs, heads})};
}

void expect_operand(const LayerCall& call, int index, const Shape& expected) {
  if (call.inputs[index] == expected) return;
  throw InputError(fmt::format(
      "the inputs' shapes are {}, {} and {}, expected queries, keys and "
      "values of the same extents but for the sequence",
      shape_text(call.inputs[0]), shape_text(call.inputs[1]), shape_text(call.inputs[2])));
}

}  // namespace

// Q = N, S, H or S, H; K, V likewise, with a sequence T of their own;  P = N, heads, S, T;  Y = Q;
// P: Q, K; 2 S T H + (E + 4) S T heads;  Y: P, V; 2 S T H;
// gV: P, dY; 2 S T H;  dS: dY, V, P; 2 S T H + 4 S T heads, over P;
// gQ: dS, K; 2 S T H;  gK: dS, Q; 2 S T H.  `causal` changes no count: all heads are computed
// whole.
ExactLayer attention(const LayerCall& call) {
  const Shape& queries = call.inputs[0];
  const std::int64_t heads = call.value("heads");
  if (queries.size() != 2 && queries.size() != 3) expect_rank(queries, 3, "N, sequence, hidden");
  const std::int64_t hidden = queries.back();
  if (hidden % heads != 0) {
    throw InputError(fmt::format(
        "{} heads for a hidden size of {}, expected a number that divides it", heads, hidden));
  }
  const std::size_t row_axis = queries.size() - 2;
  Shape keys = queries;
  if (call.inputs[1].size() == queries.size()) keys[row_axis] = call.inputs[1][row_axis];
  expect_operand(call, 1, keys);
  expect_operand(call, 2, keys);
  const std::int64_t batch = queries.size() == 3 ? queries[0] : 1;
  const AttentionFlop flop =
      attention_flop(checked_product({batch, queries[row_axis], keys[row_axis]}), hidden, heads);
  Shape scores = {heads, queries[row_axis], keys[row_axis]};
  if (queries.size() == 3) scores.insert(scores.begin(), batch);
  // A kernel converts some columns of P at a time, or a row, if it is a copy.
  const std::int64_t probabilities =
      checked_product({queries[row_axis], std::min(kColumnsInScoresTile, keys[row_axis])});
  return {
      .nodes =
          {{.suffix = "scores",
            .shape = scores,
            .flop = checked_sum({flop.product, flop.softmax}),
            .reads = {ref::x(0), ref::x(1)}},
           {.suffix = "", .shape = queries, .flop = flop.product, .reads = {ref::y(0), ref::x(2)}}},
      .steps = {
          {.index = 2,
           .shape = keys,
           .flop = flop.product,
           .reads = {ref::values(ref::y(0), probabilities), ref::dy(1)}},
          {.of = GradientStep::Of::inner,
           .shape = scores,
           .flop = checked_sum({flop.product, flop.softmax_gradient}),
           .reads = {ref::dy(1), ref::x(2), ref::values(ref::y(0), keys[row_axis])},
           .over = {ref::y(0)},
           .name = "scores"},
          {.index = 0, .shape = queries, .flop = flop.product, .reads = {ref::step(1), ref::x(1)}},
          {.index = 1, .shape = keys, .flop = flop.product, .reads = {ref::step(1), ref::x(0)}}}};
}

// Y = 3 S, I, heads;  W = 3 I heads, H;  flop = 6 S H I heads, a linear layer of S rows;
// gX: dY, W;  gW: X, dY; the same FLOPs each
ExactLayer attention_qkv(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t hidden = call.value("hidden");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {sequence, hidden}, "sequence, hidden");
  const std::int64_t flop = checked_product({6, sequence, hidden, head_dim, heads});
  return {
      .nodes = {{.suffix = "",
                 .shape = {checked_product({3, sequence}), head_dim, heads},
                 .flop = flop,
                 .reads = {ref::x()},
                 .parameters = {0}}},
      .parameters = {{"", {{checked_product({3, head_dim, heads}), hidden}}}},
      .steps = {
          {.of = GradientStep::Of::parameters,
           .shape = {},
           .flop = flop,
           .reads = {ref::values(ref::x(), checked_product(
                                               {sequence, std::min(kColumnsInScoresTile, hidden)})),
                     ref::dy()}},
          {.shape = call.input(), .flop = flop, .reads = {ref::dy()}, .parameters = {0}}}};
}

// Y = S, S, heads, after softmax;  flop = 2 S S I heads + (E + 4) S S heads.
// attention_context makes the gradients.
ExactLayer attention_scores(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {checked_product({3, sequence}), head_dim, heads},
               "3 sequence, head_dim, heads");
  const AttentionFlop flop = attention_flop(checked_product({sequence, sequence}),
                                            checked_product({head_dim, heads}), heads);
  return {.nodes = {{.suffix = "",
                     .shape = {sequence, sequence, heads},
                     .flop = checked_sum({flop.product, flop.softmax}),
                     .reads = {ref::x()}}}};
}

// X = the scores and the qkv that they come from;  Y = S, I heads;  flop = 2 S S I heads;
// dS: dY, qkv, scores; 2 S S I heads + 4 S S heads;  gqkv: dS, qkv, scores, dY; 6 S S I heads
ExactLayer attention_context(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {sequence, sequence, heads}, "sequence, sequence, heads");
  const std::int64_t hidden = checked_product({head_dim, heads});
  const AttentionFlop flop = attention_flop(checked_product({sequence, sequence}), hidden, heads);
  return {.nodes = {{.suffix = "",
                     .shape = {sequence, hidden},
                     .flop = flop.product,
                     .reads = {ref::x(0), ref::x(1)}}},
          .steps = {{.of = GradientStep::Of::inner,
                     .shape = call.input(),
                     .flop = checked_sum({flop.product, flop.softmax_gradient}),
                     .reads = {ref::dy(), ref::x(1), ref::x(0)},
                     .name = "scores"},
                    {.index = 1,
                     .shape = call.inputs[1],
                     .flop = checked_product({3, flop.product}),
                     .reads = {ref::step(0), ref::x(1), ref::x(0), ref::dy()}}}};
}

}  // namespace poet::exact
