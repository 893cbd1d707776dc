#include <fmt/format.h>

#include "model/ops.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::ops {
namespace {

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
