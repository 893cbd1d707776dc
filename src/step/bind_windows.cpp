// Convolutions, pools and upsampling: what slides over an image. A signal is an image of height 1,
// so that one kernel serves both.

#include <algorithm>

#include "model/exact/windows.hpp"
#include "step/kernels.hpp"
#include "step/layer_node.hpp"

namespace poet {
namespace {

/// Height and width of N, C, H, W; a signal N, C, L has a height of 1.
struct Extents {
  std::int32_t height, width;
};

Extents extents(const Shape& shape) {
  return {shape.size() == 4 ? narrow(shape[2]) : 1, narrow(shape.back())};
}

/// A window's attribute along both axes; one number means both for an image, the width for a
/// signal.
Extents window(const LayerNode& node, std::string_view name, std::int32_t height_of_signal) {
  if (node.x().size() == 3) return {height_of_signal, node.value(name)};
  const Attribute& both = node.attribute(name);
  return {narrow(both.height), narrow(both.width)};
}

/// What stands before the first element: "same" splits what the windows reach beyond the image.
std::int32_t padding_before(std::int64_t padding, std::int32_t extent, std::int32_t windows,
                            std::int32_t kernel, std::int32_t stride, std::int32_t dilation) {
  if (padding != exact::kSamePadding) return narrow(padding);
  const std::int32_t reach = (windows - 1) * stride + dilation * (kernel - 1) + 1;
  return std::max(reach - extent, 0) / 2;
}

/// A transposed convolution is the gradient of a convolution with respect to its image, so image
/// and map change places.
poet_conv2d_spec convolution_spec(const LayerNode& node) {
  const bool is_transposed = node.op() == "conv_transpose2d";
  const Shape& image = is_transposed ? node.y() : node.x();
  const Shape& map = is_transposed ? node.x() : node.y();
  const Extents in = extents(image);
  const Extents out = extents(map);
  const Extents kernel = window(node, "kernel", 1);
  const Extents stride = window(node, "stride", 1);
  const Extents dilation = window(node, "dilation", 1);
  const Attribute& padding = node.attribute("padding");
  const std::int64_t above = node.op() == "conv1d" ? 0 : padding.height;
  return {.batch = narrow(image[0]),
          .channels = narrow(image[1]),
          .height = in.height,
          .width = in.width,
          .filters = narrow(map[1]),
          .map_height = out.height,
          .map_width = out.width,
          .kernel_height = kernel.height,
          .kernel_width = kernel.width,
          .stride_height = stride.height,
          .stride_width = stride.width,
          .pad_top = padding_before(above, in.height, out.height, kernel.height, stride.height,
                                    dilation.height),
          .pad_left = padding_before(padding.width, in.width, out.width, kernel.width, stride.width,
                                     dilation.width),
          .dilation_height = dilation.height,
          .dilation_width = dilation.width,
          .groups = node.value("groups"),
          .has_bias = node.has_bias() ? 1 : 0};
}

bool is_adaptive(std::string_view op) {
  return op == "adaptive_avg_pool2d" || op == "adaptive_avg_pool1d";
}

bool is_average(std::string_view op) {
  return op == "avg_pool2d" || op == "avg_pool1d";
}

// Windows of an adaptive pool follow from both extents, so it has neither kernel nor stride. A pool
// without a stride goes on by its kernel.
poet_pool2d_spec pool_spec(const LayerNode& node) {
  const Extents in = extents(node.x());
  const Extents out = extents(node.y());
  poet_pool2d_spec spec{.planes = product(node.x(), 0, 2),
                        .height = in.height,
                        .width = in.width,
                        .out_height = out.height,
                        .out_width = out.width};
  if (is_adaptive(node.op())) return spec;
  const Extents kernel = window(node, "kernel", 1);
  const Extents stride = node.flag("stride") ? window(node, "stride", 1) : kernel;
  const Extents padding = window(node, "padding", 0);
  spec.kernel_height = kernel.height;
  spec.kernel_width = kernel.width;
  spec.stride_height = stride.height;
  spec.stride_width = stride.width;
  spec.pad_top = padding.height;
  spec.pad_left = padding.width;
  if (is_average(node.op())) spec.count_include_pad = node.value("count_include_pad");
  return spec;
}

}  // namespace

// A transposed convolution calls kernels of its own, as the roles of operands change too.
Calls bind_convolution(const LayerNode& node) {
  const poet_conv2d_spec spec = convolution_spec(node);
  const bool is_transposed = node.op() == "conv_transpose2d";
  if (node.is_forward()) {
    return {call(is_transposed ? kKernelOf<poet_conv_transpose2d> : kKernelOf<poet_conv2d>, spec,
                 {node.in(0), node.weight(), node.bias()})};
  }
  if (node.step() == 0 && node.reads_bytes(0)) {
    return {call(kKernelOf<poet_conv2d_gradw_of_bytes>, {spec, node.copy(0)},
                 {node.in(0), node.in(1), node.tile()})};
  }
  if (node.step() == 0) {
    return {
        call(is_transposed ? kKernelOf<poet_conv_transpose2d_gradw> : kKernelOf<poet_conv2d_gradw>,
             spec, node.all())};
  }
  return {call(is_transposed ? kKernelOf<poet_conv_transpose2d_grad> : kKernelOf<poet_conv2d_grad>,
               spec, {node.in(0), node.weight()})};
}

// The second node of a maximum is its index within the window: one byte is enough for 256
// positions, and two for more.
Calls bind_pool(const LayerNode& node) {
  const poet_pool2d_spec spec = pool_spec(node);
  const bool is_forward = node.is_forward();
  if (is_adaptive(node.op())) {
    return {call(
        is_forward ? kKernelOf<poet_adaptive_avg_pool2d> : kKernelOf<poet_adaptive_avg_pool2d_grad>,
        spec, node.all())};
  }
  if (is_average(node.op())) {
    return {call(is_forward ? kKernelOf<poet_avg_pool2d> : kKernelOf<poet_avg_pool2d_grad>, spec,
                 node.all())};
  }
  const bool is_wide = std::int64_t{spec.kernel_height} * spec.kernel_width > 256;
  if (!is_forward) {
    return {call(is_wide ? kKernelOf<poet_max_pool2d_grad_wide> : kKernelOf<poet_max_pool2d_grad>,
                 spec, node.all())};
  }
  if (node.output() == 0) return {call(kKernelOf<poet_max_pool2d>, spec, node.all())};
  return {call(is_wide ? kKernelOf<poet_max_pool2d_index_wide> : kKernelOf<poet_max_pool2d_index>,
               spec, node.all())};
}

Calls bind_upsample(const LayerNode& node) {
  const Extents in = extents(node.x());
  const Extents scale = window(node, "scale", 1);
  const poet_upsample2d_spec spec{.planes = product(node.x(), 0, 2),
                                  .height = in.height,
                                  .width = in.width,
                                  .scale_height = scale.height,
                                  .scale_width = scale.width};
  const bool is_bilinear = node.flag("mode");
  if (node.is_forward()) {
    return {
        call(is_bilinear ? kKernelOf<poet_upsample2d_bilinear> : kKernelOf<poet_upsample2d_nearest>,
             spec, node.all())};
  }
  return {call(is_bilinear ? kKernelOf<poet_upsample2d_bilinear_grad>
                           : kKernelOf<poet_upsample2d_nearest_grad>,
               spec, node.all())};
}

}  // namespace poet
