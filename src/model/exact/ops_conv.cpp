// Convolutions. N = batch, C and K = channels before and after, kh x kw the kernel. Products of the
// direct form are counted, without padding apart: every window costs as many as the kernel has
// weights. No workspace is counted, since the kernels of runtime need none; a layer may state one.

#include <algorithm>

#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "model/exact/windows.hpp"
#include "poet/error.hpp"

namespace poet::exact {
namespace {

constexpr std::int64_t kPlanesInTile = 4;

std::vector<Shape> weight_and_bias(Shape weight, bool has_bias) {
  const std::int64_t out = weight[0];
  std::vector<Shape> shapes = {std::move(weight)};
  if (has_bias) shapes.push_back({out});
  return shapes;
}

void expect_groups(std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (in % groups == 0 && out % groups == 0) return;
  throw InputError(fmt::format(
      "{} groups for {} input and {} output channels, expected a number that divides both", groups,
      in, out));
}

/// gX reads dY and the parameters; gW reads X, as it is or from a copy, and dY.
std::vector<GradientStep> product_steps(const Shape& in, TensorRef x, std::int64_t input_flop,
                                        std::int64_t parameter_flop) {
  return {{.of = GradientStep::Of::parameters,
           .shape = {},
           .flop = parameter_flop,
           .reads = {x, ref::dy()}},
          {.shape = in, .flop = input_flop, .reads = {ref::dy()}, .parameters = {0}}};
}

/// Both axes of conv2d; conv1d gives a height of 1.
struct Convolution {
  Attribute kernel, stride, padding, dilation;
};

ExactLayer convolution(const LayerCall& call, const Shape& image, const Convolution& window,
                       bool has_height) {
  const std::int64_t out = call.value("out_channels");
  const std::int64_t groups = call.value("groups");
  const bool has_bias = call.value("bias") != 0;
  expect_groups(image[1], out, groups);
  const auto windows = [&](std::string_view axis, std::int64_t extent,
                           std::int64_t Attribute::*side) {
    return window_count({.axis = axis,
                         .extent = extent,
                         .kernel = window.kernel.*side,
                         .stride = window.stride.*side,
                         .padding = window.padding.*side,
                         .dilation = window.dilation.*side});
  };
  Shape shape = {image[0], out};
  if (has_height) shape.push_back(windows("height", image[2], &Attribute::height));
  shape.push_back(windows("width", image[3], &Attribute::width));
  const std::int64_t positions = element_count(shape);
  const std::int64_t flop =
      checked_product({2, window.kernel.height, window.kernel.width, image[1] / groups, positions});
  const std::int64_t with_bias = has_bias ? checked_sum({flop, positions}) : flop;
  // The kernel converts a few channels of every image at a time.
  const std::int64_t planes =
      checked_product({image[0], std::min(kPlanesInTile, image[1] / groups), image[2], image[3]});
  Shape weight = {out, image[1] / groups};
  if (has_height) weight.push_back(window.kernel.height);
  weight.push_back(window.kernel.width);
  return {.nodes = {{.suffix = "",
                     .shape = std::move(shape),
                     .flop = with_bias,
                     .reads = {ref::x()},
                     .parameters = {0}}},
          .parameters = {{"", weight_and_bias(std::move(weight), has_bias)}},
          .steps = product_steps(call.input(), ref::values(ref::x(), planes), flop, with_bias)};
}

}  // namespace

// Y = N, K, (H + 2 ph - dh (kh - 1) - 1) / sh + 1, likewise W, or H / s rounded up if the padding
// is "same";  W = K, C / groups, kh, kw and a bias K;  flop = F + |Y| for the bias, F = 2 kh kw (C
// / groups) |Y|;  gX: dY, W; F;  gW: X, dY; F + |Y| for the bias
ExactLayer conv2d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, kImageLayout);
  return convolution(call, in,
                     {.kernel = call.window("kernel"),
                      .stride = call.window("stride"),
                      .padding = call.window("padding"),
                      .dilation = call.window("dilation")},
                     true);
}

// As conv2d with a height of 1.
ExactLayer conv1d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 3, kSignalLayout);
  return convolution(call, {in[0], in[1], 1, in[2]},
                     {.kernel = {1, call.value("kernel")},
                      .stride = {1, call.value("stride")},
                      .padding = {0, call.window("padding").width},
                      .dilation = {1, call.value("dilation")}},
                     false);
}

// Y = N, K, (H - 1) sh - 2 ph + dh (kh - 1) + oh + 1, likewise W;  W = C, K / groups, kh, kw and a
// bias K;  flop = F + |Y| for the bias, F = 2 kh kw (K / groups) |X|;  gX: dY, W; F;
// gW: X, dY; F + |Y| for the bias
ExactLayer conv_transpose2d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, kImageLayout);
  const std::int64_t out = call.value("out_channels");
  const std::int64_t groups = call.value("groups");
  const bool has_bias = call.value("bias") != 0;
  expect_groups(in[1], out, groups);
  const Attribute kernel = call.window("kernel");
  const auto extent = [&](std::string_view axis, std::int64_t from, std::int64_t Attribute::*side) {
    const std::int64_t result =
        checked_sum({checked_product({from - 1, call.window("stride").*side}),
                     checked_product({-2, call.window("padding").*side}),
                     checked_product({call.window("dilation").*side, kernel.*side - 1}),
                     call.window("output_padding").*side, 1});
    if (result >= 1) return result;
    throw InputError(
        fmt::format("the output's {} is {}, expected at least 1: less padding", axis, result));
  };
  Shape shape = {in[0], out, extent("height", in[2], &Attribute::height),
                 extent("width", in[3], &Attribute::width)};
  const std::int64_t flop =
      checked_product({2, kernel.height, kernel.width, out / groups, element_count(in)});
  const std::int64_t with_bias = has_bias ? checked_sum({flop, element_count(shape)}) : flop;
  std::vector<Shape> parameters = {{in[1], out / groups, kernel.height, kernel.width}};
  if (has_bias) parameters.push_back({out});
  return {.nodes = {{.suffix = "",
                     .shape = std::move(shape),
                     .flop = with_bias,
                     .reads = {ref::x()},
                     .parameters = {0}}},
          .parameters = {{"", std::move(parameters)}},
          .steps = product_steps(in, ref::x(), flop, with_bias)};
}

}  // namespace poet::exact
