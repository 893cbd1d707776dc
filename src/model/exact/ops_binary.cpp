#include <algorithm>

#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "poet/error.hpp"

// Y = the shape of both inputs, or the one that they broadcast to: extents are compared from the
// last one, and one that is 1 or missing is repeated. The gradient of a sum reads no operand, and
// the gradients of a product read both.
namespace poet::exact {
namespace {

Shape broadcast(const Shape& first, const Shape& second) {
  const auto from_end = [](const Shape& shape, std::size_t i) {
    return i < shape.size() ? shape[shape.size() - 1 - i] : 1;
  };
  Shape result(std::max(first.size(), second.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t a = from_end(first, i);
    const std::int64_t b = from_end(second, i);
    if (a != b && a != 1 && b != 1) {
      throw InputError(fmt::format(
          "the inputs' shapes are {} and {}, expected equal shapes, or extents of 1 to repeat",
          shape_text(first), shape_text(second)));
    }
    result[result.size() - 1 - i] = std::max(a, b);
  }
  return result;
}

ForwardNode sum_node(const LayerCall& call, Shape shape) {
  ForwardNode node{.suffix = "", .shape = std::move(shape), .reads = {ref::x(0), ref::x(1)}};
  node.flop = element_count(node.shape);
  for (int side = 0; side < 2; ++side) {
    if (call.inputs[side] == node.shape) node.over.push_back(ref::x(side));
  }
  return node;
}

/// The gradient of one side of a sum: dY itself, or its sum over what was repeated.
GradientStep sum_step(const LayerCall& call, int side, const ForwardNode& out) {
  const bool is_view = call.inputs[side] == out.shape;
  return {.index = side,
          .shape = call.inputs[side],
          .flop = is_view ? 0 : out.flop,
          .reads = {ref::dy()},
          .is_view = is_view};
}

ExactLayer sum(const LayerCall& call, Shape shape) {
  ForwardNode out = sum_node(call, std::move(shape));
  std::vector<GradientStep> steps = {sum_step(call, 0, out), sum_step(call, 1, out)};
  return {.nodes = {std::move(out)}, .steps = std::move(steps)};
}

/// gZ first: then gX may take over dY.
ExactLayer product(const LayerCall& call, std::vector<TensorRef> second_reads) {
  ForwardNode out{.suffix = "",
                  .shape = broadcast(call.inputs[0], call.inputs[1]),
                  .reads = {ref::x(0), ref::x(1)}};
  out.flop = element_count(out.shape);
  second_reads.push_back(ref::dy());
  GradientStep second{.index = 1,
                      .shape = call.inputs[1],
                      .flop = checked_product({2, out.flop}),
                      .reads = std::move(second_reads)};
  GradientStep first{
      .index = 0, .shape = call.inputs[0], .flop = out.flop, .reads = {ref::x(1), ref::dy()}};
  if (first.shape == out.shape) first.over = {ref::dy()};
  return {.nodes = {std::move(out)}, .steps = {std::move(second), std::move(first)}};
}

/// POET's resnet50 repeats the narrow second input along the channels as often as it takes.
bool repeats_channels(const LayerCall& call) {
  const Shape& wide = call.inputs[0];
  Shape repeated = call.inputs[1];
  if (call.value("broadcast_channels") == 0 || wide.size() < 2 || repeated.size() != wide.size() ||
      wide[1] % repeated[1] != 0) {
    return false;
  }
  repeated[1] = wide[1];
  return repeated == wide;
}

}  // namespace

// flop = |Y|, over one side;  gX, gZ: a view of dY, or for a side that is repeated: dY; |Y|
ExactLayer add(const LayerCall& call) {
  return sum(call,
             repeats_channels(call) ? call.inputs[0] : broadcast(call.inputs[0], call.inputs[1]));
}

// flop = |Y|, over one side;  gX as add;  gZ: dY; |Y|, over dY
ExactLayer sub(const LayerCall& call) {
  ExactLayer layer = sum(call, broadcast(call.inputs[0], call.inputs[1]));
  GradientStep& second = layer.steps[1];
  if (second.is_view) second.over = {ref::dy()};
  second.is_view = false;
  second.flop = layer.nodes[0].flop;
  return layer;
}

// flop = |Y|;  gZ: X, dY; 2 |Y|;  gX: Z, dY; |Y|, over dY
ExactLayer mul(const LayerCall& call) {
  return product(call, {ref::x(0)});
}

// flop = |Y|;  gZ: X, Z, dY; 2 |Y|;  gX: Z, dY; |Y|, over dY
ExactLayer div(const LayerCall& call) {
  return product(call, {ref::x(0), ref::x(1)});
}

}  // namespace poet::exact
