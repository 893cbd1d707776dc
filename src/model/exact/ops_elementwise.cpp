#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "poet/error.hpp"

// Y = X for all of them. A function whose gradient follows from Y may be computed in place of X;
// one whose gradient needs X may too, if X is free for it: that is for the graph to know. An exp,
// erf or tanh counts as E FLOPs on every chip: a platform may state a rate for the op.
namespace poet::exact {
namespace {

using Copied = TensorRef::Copied;

/// What the gradient reads beside dY.
enum class Saves { nothing, input, output };

struct MapFlop {
  std::int64_t forward, backward;  ///< an element
};

/// `copied`: what it needs of that.
ExactLayer map(const LayerCall& call, MapFlop per_element, Saves saves,
               Copied copied = Copied::never) {
  const Shape& in = call.input();
  const std::int64_t count = element_count(in);
  GradientStep step{.shape = in,
                    .flop = checked_product({per_element.backward, count}),
                    .reads = {},
                    .over = {ref::dy()}};
  if (saves != Saves::nothing) {
    step.reads.push_back(saves == Saves::input ? ref::x() : ref::y());
    step.reads.back().copied = copied;
  }
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
  if (call.value("mask") == 0) return map(call, {1, 1}, Saves::output, Copied::sign);
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
  return map(call, {kExpFlop + 2, 3}, Saves::output, Copied::values);
}

// hard_sigmoid, hard_swish.  flop = 4 |Y|;  gX: X, dY; 5 |Y|
ExactLayer hard_sigmoid(const LayerCall& call) {
  return map(call, {4, 5}, Saves::input, Copied::values);
}

// silu, gelu.  flop = (E + 4) |Y|;  gX: X, dY; (E + 8) |Y|
ExactLayer silu(const LayerCall& call) {
  return map(call, {kExpFlop + 4, kExpFlop + 8}, Saves::input, Copied::values);
}

// W = one slope, or C (the second extent) with `per_channel`;  flop = |Y|;  gX: X, dY, W; |Y|;
// gW: X, dY; 2 |Y|. A slope may be negative, so Y does not tell the sign of X.
ExactLayer prelu(const LayerCall& call) {
  const Shape& in = call.input();
  const bool is_per_channel = call.value("per_channel") != 0;
  if (is_per_channel && in.size() < 2) {
    throw InputError(fmt::format(
        "the input's shape is {}, expected channels (the second extent) for \"per_channel\": true",
        shape_text(in)));
  }
  const std::int64_t count = element_count(in);
  ExactLayer layer = map(call, {1, 1}, Saves::input);
  layer.nodes.front().parameters = {0};
  layer.parameters = {{"", {{is_per_channel ? in[1] : 1}}}};
  layer.steps.front().parameters = {0};
  layer.steps.insert(layer.steps.begin(), {.of = GradientStep::Of::parameters,
                                           .index = 0,
                                           .shape = {},
                                           .flop = checked_product({2, count}),
                                           .reads = {ref::x(), ref::dy()}});
  return layer;
}

// Below 0, Y = alpha (e^X - 1).  flop = (E + 3) |Y|;  gX: Y, dY; 2 |Y|
ExactLayer elu(const LayerCall& call) {
  return map(call, {kExpFlop + 3, 2}, Saves::output, Copied::values);
}

// Y = log(1 + e^(beta X)) / beta.  flop = (2 E + 6) |Y|;  gX: X, dY; (E + 4) |Y|. A low threshold
// makes two inputs of one output, so Y does not tell where the gradient is 1.
ExactLayer softplus(const LayerCall& call) {
  return map(call, {2 * kExpFlop + 6, kExpFlop + 4}, Saves::input);
}

// flop = (E + 4) |Y|;  gX: Y, dY; 4 |Y|
ExactLayer softmax(const LayerCall& call) {
  axis_index(call.value("axis"), call.input());
  return map(call, {kExpFlop + 4, 4}, Saves::output);
}

// X less the log of the sum of its exponentials.  flop = (E + 4) |Y|;  gX: Y, dY; (E + 3) |Y|
ExactLayer log_softmax(const LayerCall& call) {
  axis_index(call.value("axis"), call.input());
  return map(call, {kExpFlop + 4, kExpFlop + 3}, Saves::output);
}

// dropout, stochastic_depth.  The mask comes from its seed again.  flop = 2 |Y|;  gX: dY; 2 |Y|
ExactLayer dropout(const LayerCall& call) {
  return map(call, {2, 2}, Saves::nothing);
}

}  // namespace poet::exact
