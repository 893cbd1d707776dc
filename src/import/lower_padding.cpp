// Padding as a concatenation with a parameter of one sample, which a layer repeats for each. Layers
// pad both ends of an axis alike, or convolutions "same"; what is uneven is padded before the
// window, as by Keras. Padding below 0 is a slice.

#include <algorithm>

#include "import/lower.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

using List = std::vector<std::int64_t>;
enum class Fill { number, edge, reflect };

std::int64_t cut(std::int64_t pad) {
  return std::max<std::int64_t>(0, -pad);
}

/// What stands before or after the elements of an axis, the nearest to them last.
std::vector<int> border(GraphBuilder& b, int x, std::size_t axis, std::int64_t count, bool is_end,
                        Fill fill, double number) {
  Shape shape = b.shape(x);
  std::vector<int> parts;
  if (fill == Fill::number && count > 0) {
    shape[axis] = count;
    if (axis > 0) shape[0] = 1;
    const auto all = static_cast<std::size_t>(element_count(shape));
    parts.push_back(b.constant(std::move(shape), std::vector<double>(all, number)));
    return parts;
  }
  for (std::int64_t i = 1; i <= count; ++i) {
    const std::int64_t distance = fill == Fill::edge ? 0 : i;
    parts.push_back(b.slice(x, axis, is_end ? shape[axis] - 1 - distance : distance, 1));
  }
  return parts;
}

/// A tensor with so many elements more at the beginning and at the end of each of its last axes.
int padded(GraphBuilder& b, int x, const List& begins, const List& ends, Fill fill, double number) {
  const std::size_t first = b.shape(x).size() - begins.size();
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t axis = first + i;
    if (begins[i] < 0 || ends[i] < 0) {
      const std::int64_t left = b.shape(x)[axis] - cut(begins[i]) - cut(ends[i]);
      x = b.slice(x, axis, cut(begins[i]), left);
    }
    if (begins[i] <= 0 && ends[i] <= 0) continue;
    std::vector<int> parts = border(b, x, axis, begins[i], false, fill, number);
    std::reverse(parts.begin(), parts.end());
    parts.push_back(x);
    for (const int part : border(b, x, axis, ends[i], true, fill, number)) parts.push_back(part);
    Shape shape = b.shape(x);
    shape[axis] += cut(-begins[i]) + cut(-ends[i]);
    x = b.add("Concat", std::move(parts), std::move(shape),
              {{"axis", integer_of(static_cast<std::int64_t>(axis))}});
  }
  return x;
}

void lower_pad(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const int x = node.input(0);
  const Shape in = b.shape(x);
  const List pads = whole_numbers(b.graph(), node, 1, "pads");
  const std::string mode = node.text("mode");
  const auto value = node.input(2) >= 0 ? b.graph().at(node.input(2)).number()
                                        : std::optional(node.number("value", 0));
  const Fill fill = mode == "edge" ? Fill::edge : mode == "reflect" ? Fill::reflect : Fill::number;
  if (pads.size() != 2 * in.size() || !value ||
      (fill == Fill::number && !mode.empty() && mode != "constant")) {
    return;
  }
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(in.size());
  const List begins(pads.begin(), middle);
  const List ends(middle, pads.end());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int64_t left = in[i] - cut(begins[i]) - cut(ends[i]);
    const std::int64_t most = fill == Fill::reflect ? left - 1 : std::int64_t{1} << 20;
    if (left < 1 || begins[i] > most || ends[i] > most || (i == 0 && begins[i] + ends[i] != 0))
      return;
  }
  if (padded(b, x, begins, ends, fill, std::clamp(*value, kHidden, -kHidden)) == x) {
    b.add_like(x, "Reshape", {x});
  }
}

/// As many elements as there have to be along an axis for "same": as many windows as strides fit
/// in.
std::int64_t same_padding(const GraphBuilder& b, std::int64_t kernel, std::size_t i) {
  const List strides = b.node().integers("strides");
  const List dilations = b.node().integers("dilations");
  const std::int64_t stride = i < strides.size() ? strides[i] : 1;
  const std::int64_t dilation = i < dilations.size() ? dilations[i] : 1;
  const std::int64_t extent = b.shape(b.node().input(0))[i + 2];
  const std::int64_t reach = checked_sum({checked_product({dilation, kernel - 1}), 1});
  return std::max<std::int64_t>(0, checked_sum({(extent - 1) / stride * stride, reach, -extent}));
}

/// Whether these pads are "same" of a convolution, the odd element at the end.
bool is_same(const GraphBuilder& b, const List& kernel, const List& begins, const List& ends) {
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const std::int64_t all = same_padding(b, kernel[i], i);
    if (begins[i] != all / 2 || ends[i] != all - all / 2) return false;
  }
  return true;
}

/// The pads of a window as numbers: what auto_pad comes to, or those that the node states.
bool find_pads(GraphBuilder& b, const List& kernel, List& begins, List& ends) {
  const OnnxNode& node = b.node();
  const std::size_t rank = kernel.size();
  const std::string automatic = node.text("auto_pad");
  const List stated = node.integers("pads");
  if (!stated.empty() && stated.size() != 2 * rank) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") {
      const bool is_none = stated.empty() || automatic == "VALID";
      begins.push_back(is_none ? 0 : stated[i]);
      ends.push_back(is_none ? 0 : stated[i + rank]);
      continue;
    }
    const std::int64_t all = same_padding(b, kernel[i], i);
    begins.push_back(automatic == "SAME_UPPER" ? all / 2 : all - all / 2);
    ends.push_back(all - begins.back());
  }
  return true;
}

/// By what a mean over a padded window is too small if it should be one of the elements that are
/// there.
int shares_of_windows(GraphBuilder& b, const List& kernel, const List& begins) {
  const Shape in = b.shape(b.node().input(0));
  Shape shape = b.shape(b.node().output(0));
  const List strides = b.node().integers("strides");
  shape[0] = shape[1] = 1;
  std::vector<double> shares(static_cast<std::size_t>(element_count(shape)), 1.0);
  for (std::size_t at = 0; at < shares.size(); ++at) {
    auto rest = static_cast<std::int64_t>(at);
    for (std::size_t i = kernel.size(); i-- > 0;) {
      const std::int64_t start =
          rest % shape[i + 2] * (i < strides.size() ? strides[i] : 1) - begins[i];
      rest /= shape[i + 2];
      const std::int64_t there =
          std::min(start + kernel[i], in[i + 2]) - std::max<std::int64_t>(0, start);
      shares[at] *=
          static_cast<double>(kernel[i]) / static_cast<double>(std::max<std::int64_t>(1, there));
    }
  }
  return b.constant(std::move(shape), std::move(shares));
}

/// Windows get pads that a layer has: as many at both ends, or "same" of a convolution.
void lower_window(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const bool is_conv = node.op == "Conv";
  const Shape in = b.shape(node.input(0));
  if (in.size() < 3 || (is_conv && node.input(1) < 0)) return;
  List kernel = node.integers("kernel_shape");
  if (is_conv) {
    const Shape weight = b.shape(node.input(1));
    if (weight.size() != in.size()) return;
    kernel.assign(weight.begin() + 2, weight.end());
  }
  List begins;
  List ends;
  if (kernel.size() + 2 != in.size() || !find_pads(b, kernel, begins, ends)) return;
  const bool has_cut = std::ranges::any_of(begins, cut) || std::ranges::any_of(ends, cut);
  const bool is_mean = node.op == "AveragePool";
  if ((begins == ends && !has_cut) || (is_conv && is_same(b, kernel, begins, ends))) return;
  if (is_mean && node.integer("ceil_mode", 0) != 0) return;
  const int x =
      padded(b, node.input(0), begins, ends, Fill::number, node.op == "MaxPool" ? kHidden : 0.0);
  node.read_all();
  GraphBuilder::Attributes attributes;
  for (const auto& [key, value] : node.attributes) {
    if (key != "pads" && key != "auto_pad") attributes.emplace_back(key, value);
  }
  std::vector<int> inputs = node.inputs;
  inputs[0] = x;
  const int out = b.add_like(node.output(0), node.op, std::move(inputs), attributes);
  if (!is_mean || node.integer("count_include_pad", 0) != 0) return;
  b.add_like(out, "Mul", {out, shares_of_windows(b, kernel, begins)});
}

/// The attributes of a window over signals, for a window over images of height 1.
GraphBuilder::Attributes over_images(const OnnxNode& node) {
  GraphBuilder::Attributes attributes;
  for (const auto& [key, value] : node.attributes) {
    OnnxAttribute both = value;
    const std::int64_t filler = key == "pads" || key == "output_padding" ? 0 : 1;
    for (std::size_t i = value.integers.size(); i-- > 0;) {
      both.integers.insert(both.integers.begin() + static_cast<std::ptrdiff_t>(i), filler);
    }
    attributes.emplace_back(key, std::move(both));
  }
  return attributes;
}

void lower_transposed_signal(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const int weight = node.input(1);
  if (b.shape(weight).size() != 3 || node.has("output_shape")) return;
  const auto as_image = [](Shape shape) {
    shape.insert(shape.begin() + 2, 1);
    return shape;
  };
  node.read_all();
  const int image = b.add("Reshape", {node.input(0)}, as_image(b.shape(node.input(0))));
  std::vector<int> inputs = node.inputs;
  inputs[0] = image;
  inputs[1] = b.in_shape(weight, as_image(b.shape(weight)));
  const int made = b.add("ConvTranspose", std::move(inputs), as_image(b.shape(node.output(0))),
                         over_images(node));
  b.add("Reshape", {made}, b.shape(node.output(0)));
}

/// A transposed convolution without padding, of which the ends are cut off. What the file states of
/// the output says how much there is to cut; the odd element goes at the end for SAME_UPPER alone.
void lower_transposed(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const Shape in = b.shape(node.input(0));
  const Shape out = b.shape(node.output(0));
  const Shape weight = b.shape(node.input(1));
  const std::string automatic = node.text("auto_pad");
  const bool is_stated = node.has("output_shape") || automatic.starts_with("SAME");
  const List pads = node.integers("pads");
  if (weight.size() != 4 || in.size() != 4 || (!is_stated && pads.size() != 4)) return;
  Shape full = out;
  List begins;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto entry = [&](const char* key, std::int64_t otherwise) {
      const List list = node.integers(key);
      return i < list.size() ? list[i] : otherwise;
    };
    const std::int64_t reach = checked_product({entry("dilations", 1), weight[i + 2] - 1});
    full[i + 2] = checked_sum({checked_product({entry("strides", 1), in[i + 2] - 1}), reach, 1,
                               entry("output_padding", 0)});
    // "Same" then adds elements, of which the shapes that libonnx infers know nothing; or it is not
    // the same to all whether output_padding makes the output larger.
    const bool is_stretched = automatic.starts_with("SAME") &&
                              (reach + 1 < entry("strides", 1) || entry("output_padding", 0) != 0);
    const std::int64_t rest = full[i + 2] - out[i + 2];
    const bool is_open = is_stated && rest % 2 != 0 && !automatic.starts_with("SAME");
    if (rest < 0 || is_open || is_stretched) return;
    begins.push_back(!is_stated ? pads[i] : automatic == "SAME_UPPER" ? rest / 2 : rest - rest / 2);
    if (begins[i] < 0 || begins[i] > rest) return;
  }
  const bool is_even = !is_stated && pads[0] == pads[2] && pads[1] == pads[3];
  if (is_even) return;
  node.read_all();
  GraphBuilder::Attributes attributes;
  for (const auto& [key, value] : node.attributes) {
    const bool is_replaced = key == "pads" || key == "auto_pad" || key == "output_shape";
    if (!is_replaced) attributes.emplace_back(key, value);
  }
  int x = b.add("ConvTranspose", node.inputs, full, attributes);
  for (std::size_t i = 0; i < 2; ++i) {
    if (out[i + 2] != full[i + 2]) x = b.slice(x, i + 2, begins[i], out[i + 2]);
  }
}

}  // namespace

void lower_padding(GraphBuilder& builder) {
  const std::string& op = builder.node().op;
  if (builder.node().input(0) < 0) return;
  if (op == "Pad") lower_pad(builder);
  if (op == "Conv" || op == "MaxPool" || op == "AveragePool") lower_window(builder);
  if (op != "ConvTranspose" || builder.node().input(1) < 0) return;
  const bool is_signal = builder.shape(builder.node().input(0)).size() == 3;
  if (builder.graph().at(builder.node().input(1)).is_data()) return;
  is_signal ? lower_transposed_signal(builder) : lower_transposed(builder);
}

}  // namespace poet
