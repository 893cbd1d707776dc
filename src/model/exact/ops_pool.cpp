// Pools and upsampling. The gradient of a maximum needs to know where each maximum was. Reading X
// again would keep all of X in RAM; an index takes a byte for each element of Y, which is a fourth
// of Y and for windows of 2 x 2 a sixteenth of X. It is a node of its own, so that a schedule may
// also compute it late.

#include <numeric>

#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "model/exact/windows.hpp"
#include "poet/error.hpp"

namespace poet::exact {
namespace {

/// Windows whose positions a pool's index still numbers in one byte.
constexpr std::int64_t kMaxByteWindow = 256;

struct PoolAxes {
  Shape image;  ///< N, C, H, W; a signal N, C, L has a height of 1
  WindowAxis height;
  WindowAxis width;
};

// More padding would leave windows that read nothing but padding, which PyTorch refuses as well.
PoolAxes image_axes(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, kImageLayout);
  const Attribute kernel = call.window("kernel");
  const Attribute stride = call.value("stride") == 0 ? kernel : call.window("stride");
  const Attribute padding = call.window("padding");
  if (2 * padding.height > kernel.height || 2 * padding.width > kernel.width) {
    throw InputError(
        fmt::format("the padding is [{}, {}], expected at most half the kernel's [{}, {}]",
                    padding.height, padding.width, kernel.height, kernel.width));
  }
  const auto axis = [&](std::string_view name, std::int64_t extent,
                        std::int64_t Attribute::*side) -> WindowAxis {
    return {.axis = name,
            .extent = extent,
            .kernel = kernel.*side,
            .stride = stride.*side,
            .padding = padding.*side,
            .ceil_mode = call.value("ceil_mode") != 0};
  };
  return {in, axis("height", in[2], &Attribute::height), axis("width", in[3], &Attribute::width)};
}

PoolAxes signal_axes(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 3, kSignalLayout);
  const std::int64_t kernel = call.value("kernel");
  const std::int64_t stride = call.value("stride");
  const std::int64_t padding = call.value("padding");
  if (2 * padding > kernel) {
    throw InputError(
        fmt::format("the padding is {}, expected at most half the kernel's {}", padding, kernel));
  }
  return {{in[0], in[1], 1, in[2]},
          {.axis = "height"},
          {.axis = "length",
           .extent = in[2],
           .kernel = kernel,
           .stride = stride == 0 ? kernel : stride,
           .padding = padding,
           .ceil_mode = call.value("ceil_mode") != 0}};
}

/// In the layout of X.
Shape pooled(const Shape& in, const PoolAxes& axes) {
  if (in.size() == 3) return {in[0], in[1], window_count(axes.width)};
  return {in[0], in[1], window_count(axes.height), window_count(axes.width)};
}

/// An average needs nothing for its gradient but dY; it takes as many FLOPs as the forward pass.
ExactLayer average(const Shape& in, Shape out, std::int64_t flop) {
  return {.nodes = {{.suffix = "", .shape = std::move(out), .flop = flop, .reads = {ref::x()}}},
          .steps = {{.shape = in, .flop = flop, .reads = {ref::dy()}}}};
}

ExactLayer maximum(const Shape& in, const PoolAxes& axes) {
  const Shape out = pooled(in, axes);
  const std::int64_t window = checked_product({axes.height.kernel, axes.width.kernel});
  const std::int64_t flop = checked_product({window, element_count(out)});
  return {.nodes = {{.suffix = "", .shape = out, .flop = flop, .reads = {ref::x()}},
                    {.suffix = "index",
                     .shape = out,
                     .flop = flop,
                     .reads = {ref::x()},
                     .element_bytes = window > kMaxByteWindow ? 2 : 1}},
          .steps = {{.shape = in,
                     .flop = checked_sum({element_count(in), element_count(out)}),
                     .reads = {ref::y(1), ref::dy()}}}};
}

ExactLayer average_of_windows(const Shape& in, const PoolAxes& axes) {
  return average(
      in, pooled(in, axes),
      checked_product({in[0], in[1], elements_read(axes.height), elements_read(axes.width)}));
}

/// Two windows share an element if their number does not divide the extent.
std::int64_t read_adaptively(std::int64_t extent, std::int64_t windows) {
  return checked_sum({extent, windows, -std::gcd(extent, windows)});
}

}  // namespace

// Y = N, C, (H + 2 ph - kh) / sh + 1, likewise W, rounded up with ceil_mode;  flop = kh kw |Y|.
// The index, a node of its own that reads X: where each maximum was, one byte or two for windows of
// more than 256 positions;  flop = kh kw |Y|.  gX: index; |X| + |Y|
ExactLayer max_pool2d(const LayerCall& call) {
  return maximum(call.input(), image_axes(call));
}

// As max_pool2d with a height of 1.
ExactLayer max_pool1d(const LayerCall& call) {
  return maximum(call.input(), signal_axes(call));
}

// Y as max_pool2d;  flop = the elements that all windows read, padding apart;  gX: dY; the same.
// count_include_pad changes what a sum is divided by, and no count.
ExactLayer avg_pool2d(const LayerCall& call) {
  return average_of_windows(call.input(), image_axes(call));
}

// As avg_pool2d with a height of 1.
ExactLayer avg_pool1d(const LayerCall& call) {
  return average_of_windows(call.input(), signal_axes(call));
}

// Y = N, C, output_size;  flop = the elements that all windows read, H + oh - gcd(H, oh) along an
// axis;  gX: dY; the same
ExactLayer adaptive_avg_pool2d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, kImageLayout);
  const Attribute size = call.window("output_size");
  return average(in, {in[0], in[1], size.height, size.width},
                 checked_product({in[0], in[1], read_adaptively(in[2], size.height),
                                  read_adaptively(in[3], size.width)}));
}

// As adaptive_avg_pool2d with a height of 1.
ExactLayer adaptive_avg_pool1d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 3, kSignalLayout);
  const std::int64_t size = call.value("output_size");
  return average(in, {in[0], in[1], size},
                 checked_product({in[0], in[1], read_adaptively(in[2], size)}));
}

// X = N, C, H, W or N, C, L;  Y = N, C;  flop = |X|;  gX: dY; |X|
ExactLayer global_avg_pool(const LayerCall& call) {
  const Shape& in = call.input();
  if (in.size() != 3) expect_rank(in, 4, "N, C, H, W, or 3: N, C, L");
  return average(in, {in[0], in[1]}, element_count(in));
}

// Y = X without `axes`, or with extents of 1 there;  flop = |X|;  gX: dY; |X|
ExactLayer mean(const LayerCall& call) {
  const Shape& in = call.input();
  const bool keep = call.value("keep_dims") != 0;
  std::vector<bool> is_mean(in.size(), false);
  for (const std::int64_t axis : call.list("axes")) is_mean[axis_index(axis, in)] = true;
  Shape out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!is_mean[i]) out.push_back(in[i]);
    if (is_mean[i] && keep) out.push_back(1);
  }
  if (out.empty()) out.push_back(1);
  return average(in, std::move(out), element_count(in));
}

// Y = N, C, H scale, W scale;  flop = |Y| if nearest, 8 |Y| if bilinear;  gX: dY; the same
ExactLayer upsample2d(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 4, kImageLayout);
  const Attribute scale = call.window("scale");
  Shape out = {in[0], in[1], checked_product({in[2], scale.height}),
               checked_product({in[3], scale.width})};
  const bool is_bilinear = call.value("mode") != 0;
  const std::int64_t flop = checked_product({is_bilinear ? 8 : 1, element_count(out)});
  return average(in, std::move(out), flop);
}

}  // namespace poet::exact
