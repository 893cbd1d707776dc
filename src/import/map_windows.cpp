// Windows of convolutions and pools. ONNX states padding for both ends of each axis; layers have
// one number for both, or "same". Uneven padding is accepted if it is what "same" comes to, which
// is how TensorFlow pads. Numbers of the file are bounded before they are
// multiplied, since a damaged file may hold any.

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "import/layer_maps.hpp"
#include "import/layer_names.hpp"
#include "import/lower.hpp"
#include "model/exact/windows.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

using List = std::vector<std::int64_t>;

/// The window of a convolution or a pool, one entry for each axis.
struct WindowShape {
  List kernel, stride, padding, dilation;
  bool is_same = false;  ///< the output is as large as the input, but for strides
  List same_padding{};   ///< what that comes to along each axis, both ends together
};

/// Products of two such numbers do not overflow.
void expect_small(const List& list, const char* key) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t number : list) {
    if (number < -kMost || number > kMost) {
      throw InputError(fmt::format("its {} has {}; expected at most {}", key, number, kMost));
    }
  }
}

List list_or(const OnnxNode& node, const char* key, std::size_t rank, std::int64_t otherwise) {
  List list = node.integers(key);
  if (list.empty()) list.assign(rank, otherwise);
  if (list.size() != rank) {
    throw InputError(fmt::format("its {} has {} entries; expected {}", key, list.size(), rank));
  }
  expect_small(list, key);
  return list;
}

/// As many windows as strides fit into the input.
List same_padding(const WindowShape& window, const Shape& in) {
  List padding;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const std::int64_t stride = std::max<std::int64_t>(1, window.stride[i]);
    const std::int64_t steps = (in[i + 2] - 1) / stride;
    padding.push_back(std::max<std::int64_t>(
        0, steps * stride + window.dilation[i] * (window.kernel[i] - 1) + 1 - in[i + 2]));
  }
  return padding;
}

bool is_odd(std::int64_t number) {
  return number % 2 != 0;
}

/// SAME_UPPER: the odd element at the end.
bool is_same_padding(const WindowShape& window, const List& pads) {
  const std::size_t rank = window.kernel.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t all = window.same_padding[i];
    if (pads[i] != all / 2 || pads[i + rank] != all - all / 2) return false;
  }
  return true;
}

// What both ends cannot share has been padded before (lower_padding.cpp), but for "same" of
// convolutions, whose odd element is at the end, and for means with a partial window.
WindowShape window_of(const OnnxNode& node, const Shape& in, List kernel) {
  if (in.size() < 3 || kernel.size() != in.size() - 2 || kernel.size() > 2) {
    throw InputError(
        fmt::format("its input has the shape {} and its window {} axes; expected N, C and one or "
                    "two extents, and a window over these",
                    shape_text(in), kernel.size()));
  }
  const std::size_t rank = kernel.size();
  expect_small(kernel, "kernel");
  const List stated = node.integers("kernel_shape");
  if (!stated.empty() && stated != kernel) {
    throw InputError(fmt::format("its kernel_shape is [{}], its weight has [{}]; expected the same",
                                 fmt::join(stated, ", "), fmt::join(kernel, ", ")));
  }
  WindowShape window{.kernel = std::move(kernel)};
  window.stride = list_or(node, "strides", rank, 1);
  window.dilation = list_or(node, "dilations", rank, 1);
  window.padding.assign(rank, 0);
  window.same_padding = same_padding(window, in);
  const std::string automatic = node.text("auto_pad");
  if (automatic == "SAME_LOWER" || automatic == "SAME_UPPER") {
    window.is_same = true;
    return window;
  }
  const List pads = automatic == "VALID" ? List(2 * rank, 0) : list_or(node, "pads", 2 * rank, 0);
  bool is_even = true;
  for (std::size_t i = 0; i < rank; ++i) {
    window.padding[i] = pads[i];
    is_even = is_even && pads[i] == pads[i + rank];
  }
  if (is_even) return window;
  window.is_same = is_same_padding(window, pads);
  if (!window.is_same) {
    throw InputError(
        fmt::format("its padding is [{}]; expected as much at the end as at the beginning of each "
                    "axis, or as much as keeps the extents, with the odd element at the end",
                    fmt::join(pads, ", ")));
  }
  return window;
}

Attribute attribute(const List& list) {
  return window_attribute(list.front(), list.back());
}

Attribute padding_of(const WindowShape& window) {
  return window.is_same ? window_attribute(exact::kSamePadding, exact::kSamePadding)
                        : attribute(window.padding);
}

/// The pads as numbers, for ops that know no "same".
Attribute plain_padding(const WindowShape& window) {
  if (!window.is_same) return attribute(window.padding);
  if (std::ranges::any_of(window.same_padding, is_odd)) {
    throw InputError(fmt::format(
        "its padding is [{}] in all along the axes, which both ends cannot share "
        "evenly; expected even numbers, by another kernel or extent, or a Pad of its own "
        "before it",
        fmt::join(window.same_padding, ", ")));
  }
  List half;
  for (const std::int64_t all : window.same_padding) half.push_back(all / 2);
  return attribute(half);
}

const Shape& weight_shape(const LayerList& layers, const OnnxNode& node) {
  const int weight = node.input(1);
  if (weight < 0 || layers.at(weight).is_data()) {
    throw InputError(kComputedWeights);
  }
  if (layers.shape(weight).size() < 3) {
    throw InputError(fmt::format("its weights have the shape {}; expected channels and a window",
                                 shape_text(layers.shape(weight))));
  }
  return layers.shape(weight);
}

bool has_bias(const LayerList& layers, const OnnxNode& node) {
  if (node.input(2) >= 0 && layers.at(node.input(2)).is_data()) throw InputError(kComputedWeights);
  return node.input(2) >= 0;
}

}  // namespace

void convolution(LayerList& layers, const OnnxNode& node) {
  const Shape& weight = weight_shape(layers, node);
  const WindowShape window =
      window_of(node, layers.shape(node.input(0)), {weight.begin() + 2, weight.end()});
  const std::string input = layers.name_of_tensor(node.input(0));
  const Attribute bias = number_attribute(has_bias(layers, node) ? 1 : 0);
  layers.set_output(node.output(0),
                    layers.add_with_weight(window.kernel.size() == 1 ? "conv1d" : "conv2d", node,
                                           node.input(1), input,
                                           {{"out_channels", number_attribute(weight[0])},
                                            {"kernel", attribute(window.kernel)},
                                            {"stride", attribute(window.stride)},
                                            {"padding", padding_of(window)},
                                            {"groups", number_attribute(node.integer("group", 1))},
                                            {"dilation", attribute(window.dilation)},
                                            {"bias", bias}}));
}

// Its weight has the filters second, by group: the number of channels is their product with the
// groups.
void transposed_convolution(LayerList& layers, const OnnxNode& node) {
  const Shape& weight = weight_shape(layers, node);
  const WindowShape window =
      window_of(node, layers.shape(node.input(0)), {weight.begin() + 2, weight.end()});
  if (window.kernel.size() != 2) {
    throw InputError(
        "its window has one axis; expected two, such as a ConvTranspose2d of height 1 between two "
        "Reshape");
  }
  // What "same" comes to is another number here, for which layers have no word.
  if (window.is_same) {
    throw InputError(fmt::format(
        "found {}; expected pads that are even at both ends, and output_padding for what "
        "is left, as torch.onnx.export writes them",
        node.has("auto_pad") ? "auto_pad " + printable(node.text("auto_pad")) : "uneven pads"));
  }
  if (node.has("output_shape")) {
    throw InputError("found output_shape; expected pads and output_padding, which say the same");
  }
  const std::int64_t groups = node.integer("group", 1);
  layers.set_output(
      node.output(0),
      layers.add_with_weight(
          "conv_transpose2d", node, node.input(1), layers.name_of_tensor(node.input(0)),
          {{"out_channels", number_attribute(checked_product({weight[1], groups}))},
           {"kernel", attribute(window.kernel)},
           {"stride", attribute(window.stride)},
           {"padding", plain_padding(window)},
           {"output_padding", attribute(list_or(node, "output_padding", 2, 0))},
           {"groups", number_attribute(groups)},
           {"dilation", attribute(window.dilation)},
           {"bias", number_attribute(has_bias(layers, node) ? 1 : 0)}}));
}

// Layers have no dilated pools, and dilation changes what is read: a note would not do.
void pool(LayerList& layers, const OnnxNode& node) {
  const WindowShape window =
      window_of(node, layers.shape(node.input(0)), node.integers("kernel_shape"));
  if (std::any_of(window.dilation.begin(), window.dilation.end(), [](auto d) { return d != 1; })) {
    throw InputError(fmt::format("its windows are dilated by [{}]; expected a dilation of 1",
                                 fmt::join(window.dilation, ", ")));
  }
  static_cast<void>(node.integer("storage_order", 0));  // of the indices
  const std::string input = layers.name_of_tensor(node.input(0));
  const std::string name = name_of_node(node);
  const Attribute ceil = number_attribute(node.integer("ceil_mode", 0));
  const Attribute kernel = attribute(window.kernel);
  const Attribute stride = attribute(window.stride);
  const bool is_max = node.op == "MaxPool";
  const bool is_signal = window.kernel.size() == 1;
  layers.set_output(node.output(0),
                    is_max ? layers.add(is_signal ? "max_pool1d" : "max_pool2d", name, {input},
                                        {{"kernel", kernel},
                                         {"stride", stride},
                                         {"padding", plain_padding(window)},
                                         {"ceil_mode", ceil}})
                           : layers.add(is_signal ? "avg_pool1d" : "avg_pool2d", name, {input},
                                        {{"kernel", kernel},
                                         {"stride", stride},
                                         {"padding", plain_padding(window)},
                                         {"ceil_mode", ceil},
                                         {"count_include_pad", number_attribute(node.integer(
                                                                   "count_include_pad", 0))}}));
}

void global_pool(LayerList& layers, const OnnxNode& node) {
  const Shape& in = layers.shape(node.input(0));
  const bool is_signal = in.size() == 3;
  if (!is_signal) expect_rank(in, 4, "N, C, H, W, or 3: N, C, L");
  const std::string input = layers.name_of_tensor(node.input(0));
  const std::string name = name_of_node(node);
  const Attribute all = window_attribute(in[2], in.back());
  layers.set_output(
      node.output(0),
      node.op == "GlobalMaxPool"
          ? layers.add(is_signal ? "max_pool1d" : "max_pool2d", name, {input}, {{"kernel", all}})
          : layers.add(is_signal ? "adaptive_avg_pool1d" : "adaptive_avg_pool2d", name, {input},
                       {{"output_size", window_attribute(1, 1)}}));
}

/// By whole numbers, as lower_resize.cpp has found.
void upsample(LayerList& layers, const OnnxNode& node) {
  const List scale = node.integers("scale");
  layers.set_output(
      node.output(0),
      layers.add("upsample2d", name_of_node(node), {layers.name_of_tensor(node.input(0))},
                 {{"scale", window_attribute(scale.at(0), scale.at(1))},
                  {"mode", number_attribute(node.integer("mode", 0))}}));
}

void other_resize(LayerList& layers, const OnnxNode& node) {
  throw InputError(node.fault.empty() ? fault_of_resize(layers.graph(), node)
                                      : "no layer has " + node.fault);
}

}  // namespace poet::maps
