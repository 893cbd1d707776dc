// POET's counts, op by op. ops.hpp says why they are kept as they are; models come to the published
// totals (tests/golden/test_totals.cpp). True counts are in src/model/exact.

#include <algorithm>

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

constexpr std::string_view kImage = "N, C, H, W";

// (extent - kernel + 2 padding) / stride + 1, rounded down
std::int64_t window_count(std::string_view axis, std::int64_t extent, std::int64_t kernel,
                          std::int64_t stride, std::int64_t padding) {
  const std::int64_t padded = checked_sum({extent, padding, padding});
  if (kernel > padded) {
    throw InputError(fmt::format("the kernel's {} is {}, expected at most the padded input's {}",
                                 axis, kernel, padded));
  }
  return (padded - kernel) / stride + 1;
}

Shape image_after(const LayerCall& call, std::int64_t channels, const Attribute& padding) {
  const Shape& in = call.input();
  const Attribute kernel = call.window("kernel");
  const std::int64_t stride = call.value("stride");
  return {in[0], channels, window_count("height", in[2], kernel.height, stride, padding.height),
          window_count("width", in[3], kernel.width, stride, padding.width)};
}

}  // namespace

// Y = rows, out;  params = (in + 1) out;  flop = 2 params + out, as if there were one row
LayerCosts linear(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 2, "rows, features; a flatten layer makes them");
  const std::int64_t out = call.value("out_features");
  const std::int64_t parameters = checked_product({checked_sum({in[1], 1}), out});
  return {{in[0], out}, parameters, checked_sum({checked_product({2, parameters}), out})};
}

// Y = rows, out;  params = (in + 1) out;  flop = 2 params + out + |Y|
LayerCosts linear_relu(const LayerCall& call) {
  LayerCosts costs = linear(call);
  costs.flop = checked_sum({costs.flop, element_count(costs.out_shape)});
  return costs;
}

// Y = classes;  flop = |X| classes
LayerCosts cross_entropy_loss(const LayerCall& call) {
  const Shape& in = call.input();
  const std::int64_t classes = call.value("classes");
  // POET's transformers count the 512 positions of the sequence as classes, so any extent will do.
  if (std::find(in.begin(), in.end(), classes) == in.end()) {
    throw InputError(
        fmt::format("the input's shape is {}, expected one extent to be the {} classes",
                    shape_text(in), classes));
  }
  return {{classes}, 0, checked_product({element_count(in), classes})};
}

// S = sequence, H = hidden, I = head_dim

// Y = 3 S, I, heads;  params = 3 H I heads;  flop = 3 S H I heads
LayerCosts attention_qkv(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t hidden = call.value("hidden");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {sequence, hidden}, "sequence, hidden");
  const std::int64_t parameters = checked_product({3, hidden, head_dim, heads});
  return {{checked_product({3, sequence}), head_dim, heads},
          parameters,
          checked_product({parameters, sequence})};
}

// Y = S, S, heads;  flop = S I S heads + 2 |Y|, the mask and the dropout fused
LayerCosts attention_scores(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {checked_product({3, sequence}), head_dim, heads},
               "3 sequence, head_dim, heads");
  Shape shape = {sequence, sequence, heads};
  const std::int64_t flop = checked_sum({checked_product({sequence, head_dim, sequence, heads}),
                                         checked_product({2, element_count(shape)})});
  return {std::move(shape), 0, flop};
}

// Y = S, I heads;  flop = 2 S S I heads, the concatenation fused
LayerCosts attention_context(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {sequence, sequence, heads}, "sequence, sequence, heads");
  return {{sequence, checked_product({head_dim, heads})},
          0,
          checked_product({2, sequence, sequence, head_dim, heads})};
}

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

// Y = N, out, (H - kh + 2 ph)/s + 1, (W - kw + 2 pw)/s + 1;  params = out C kh kw + out (a bias);
// flop = 2 kh kw |X| out + |Y|. It is the input's extent that counts: a stride lowers only |Y|.
LayerCosts conv2d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, kImage);
  const Attribute kernel = call.window("kernel");
  const std::int64_t out = call.value("out_channels");
  Shape shape = image_after(call, out, call.window("padding"));
  const std::int64_t products =
      checked_product({2, kernel.height, kernel.width, element_count(in), out});
  const std::int64_t flop = checked_sum({products, element_count(shape)});
  const std::int64_t weights = checked_product({out, in[1], kernel.height, kernel.width});
  return {std::move(shape), checked_sum({weights, out}), flop};
}

// Y = N, C, (H - kh)/s + 1, (W - kw)/s + 1;  flop = 2 kh kw |Y|
LayerCosts pool2d(const LayerCall& call) {
  expect_rank(call.input(), 4, kImage);
  const Attribute kernel = call.window("kernel");
  Shape shape = image_after(call, call.input()[1], {});
  const std::int64_t flop = checked_product({2, kernel.height, kernel.width, element_count(shape)});
  return {std::move(shape), 0, flop};
}

// Y = N, C;  flop = 2 |X|
LayerCosts global_avg_pool(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, kImage);
  return {{in[0], in[1]}, 0, checked_product({2, element_count(in)})};
}

}  // namespace poet::ops
