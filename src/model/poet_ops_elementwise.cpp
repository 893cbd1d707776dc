#include <fmt/format.h>

#include "model/ops.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::ops {
namespace {

LayerCosts same_shape(const Shape& shape, std::int64_t flop_per_element) {
  return {shape, 0, checked_product({flop_per_element, element_count(shape)})};
}

// POET's resnet50 adds a block's narrow first ReLU to its wide last batch norm without the usual
// projection, so its file asks for the narrow input to be repeated along the channels.
bool repeats_along_channels(const Shape& wide, const Shape& narrow) {
  if (wide.size() < 2 || narrow.size() != wide.size() || wide[1] % narrow[1] != 0) return false;
  Shape repeated = narrow;
  repeated[1] = wide[1];
  return repeated == wide;
}

}  // namespace

// Y = X;  params = 4 C;  flop = 2 |X|
LayerCosts batch_norm2d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, "N, C, H, W");
  LayerCosts costs = same_shape(in, 2);
  costs.parameter_count = checked_product({4, in[1]});
  return costs;
}

// relu, dropout.  Y = X;  flop = |Y|
LayerCosts elementwise(const LayerCall& call) {
  return same_shape(call.input(), 1);
}

// Y = X;  flop = 100 |Y|
LayerCosts tanh(const LayerCall& call) {
  return same_shape(call.input(), 100);
}

// Y = X;  flop = 4 |Y|
LayerCosts sigmoid(const LayerCall& call) {
  return same_shape(call.input(), 4);
}

// Y = N, |X| / N;  flop = |Y|
LayerCosts flatten(const LayerCall& call) {
  const Shape& in = call.input();
  const std::int64_t count = element_count(in);
  return {{in[0], count / in[0]}, 0, count};
}

// Y = shape of the first input;  flop = |Y|
LayerCosts add(const LayerCall& call) {
  const Shape& first = call.inputs[0];
  const Shape& second = call.inputs[1];
  const bool repeat = call.value("broadcast_channels") != 0;
  if (first != second && !(repeat && repeats_along_channels(first, second))) {
    throw InputError(fmt::format("the inputs' shapes are {} and {}, expected {}", shape_text(first),
                                 shape_text(second),
                                 repeat ? "the second's channels to divide the first's, and the "
                                          "other extents to be equal"
                                        : "equal shapes"));
  }
  return same_shape(first, 1);
}

}  // namespace poet::ops
