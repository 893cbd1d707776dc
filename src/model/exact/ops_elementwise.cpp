#include "model/exact/exact_ops.hpp"

// Y = X for all of them. A function whose gradient follows from Y may be computed in place of X;
// one whose gradient needs X may too, if X is free for it: that is for the graph to know. An exp,
// erf or tanh counts as E FLOPs on every chip: a platform may state a rate for the op.
namespace poet::exact {
namespace {

/// What the gradient reads beside dY.
enum class Saves { nothing, input, output };

struct MapFlop {
  std::int64_t forward, backward;  ///< an element
};

ExactLayer map(const LayerCall& call, MapFlop per_element, Saves saves) {
  const Shape& in = call.input();
  const std::int64_t count = element_count(in);
  GradientStep step{.shape = in,
                    .flop = checked_product({per_element.backward, count}),
                    .reads = {},
                    .over = {ref::dy()}};
  if (saves == Saves::input) step.reads.push_back(ref::x());
  if (saves == Saves::output) step.reads.push_back(ref::y());
  step.reads.push_back(ref::dy());
  return {.nodes = {{.suffix = "",
                     .shape = in,
                     .flop = checked_product({per_element.forward, count}),
                     .reads = {ref::x()},
                     .over = {ref::x()}}},
          .steps = {std::move(step)}};
}

}  // namespace

// relu, relu6, leaky_relu.  flop = |Y|;  gX: Y, dY; |Y|
// With `mask` the gradient reads one bit for each element instead of Y: a node of its own, which
// reads Y. Y itself is then needed only by what reads it.  flop = |Y|
ExactLayer relu(const LayerCall& call) {
  if (call.value("mask") == 0) return map(call, {1, 1}, Saves::output);
  constexpr std::int64_t kBitsInByte = 8;
  const std::int64_t count = element_count(call.input());
  ExactLayer layer = map(call, {1, 1}, Saves::nothing);
  layer.nodes.push_back({.suffix = "mask",
                         .shape = {(count + kBitsInByte - 1) / kBitsInByte},
                         .flop = count,
                         .reads = {ref::y()},
                         .element_bytes = 1});
  layer.steps.front().reads.insert(layer.steps.front().reads.begin(), ref::y(1));
  return layer;
}

// sigmoid, tanh.  flop = (E + 2) |Y|;  gX: Y, dY; 3 |Y|
ExactLayer sigmoid(const LayerCall& call) {
  return map(call, {kExpFlop + 2, 3}, Saves::output);
}

// hard_sigmoid, hard_swish.  flop = 4 |Y|;  gX: X, dY; 5 |Y|
ExactLayer hard_sigmoid(const LayerCall& call) {
  return map(call, {4, 5}, Saves::input);
}

// silu, gelu.  flop = (E + 4) |Y|;  gX: X, dY; (E + 8) |Y|
ExactLayer silu(const LayerCall& call) {
  return map(call, {kExpFlop + 4, kExpFlop + 8}, Saves::input);
}

// flop = (E + 4) |Y|;  gX: Y, dY; 4 |Y|
ExactLayer softmax(const LayerCall& call) {
  axis_index(call.value("axis"), call.input());
  return map(call, {kExpFlop + 4, 4}, Saves::output);
}

// dropout, stochastic_depth.  The mask comes from its seed again.  flop = 2 |Y|;  gX: dY; 2 |Y|
ExactLayer dropout(const LayerCall& call) {
  return map(call, {2, 2}, Saves::nothing);
}

}  // namespace poet::exact
