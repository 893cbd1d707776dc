// A Resize goes along one axis after the other, and along each it is a product with a matrix that
// the file's numbers give: from where an element comes, by the coordinate transformation, and with
// which weights, by the mode (https://onnx.ai/onnx/operators/onnx__Resize.html). If a layer
// `upsample2d` has the same matrices, it is one. Else each is a `linear` layer that does not train.

#include <algorithm>
#include <cmath>

#include "import/lower.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

using Rows = std::vector<std::vector<double>>;  ///< by element of the output, then of the input

/// What a node says about one axis.
struct ResizedAxis {
  std::int64_t in = 0, out = 0;
  double scale = 1;
  double start = 0, end = 1;  ///< of the region of interest, as shares
};

struct ResizeMode {
  std::string mode, coordinates, rounding;
  double cubic = -0.75;
  bool excludes_outside = false;
  double outside = 0;
};

/// Where an element of the output is in the input.
double coordinate(const ResizeMode& how, const ResizedAxis& axis, double x) {
  const auto in = static_cast<double>(axis.in);
  const auto out = static_cast<double>(axis.out);
  if (how.coordinates == "asymmetric") return x / axis.scale;
  if (how.coordinates == "align_corners") return out == 1 ? 0 : x * (in - 1) / (out - 1);
  if (how.coordinates == "pytorch_half_pixel" && out == 1) return 0;
  if (how.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  if (how.coordinates == "tf_crop_and_resize") {
    return out == 1 ? 0.5 * (axis.start + axis.end) * (in - 1)
                    : axis.start * (in - 1) + x * (axis.end - axis.start) * (in - 1) / (out - 1);
  }
  // What the scale leaves over is left out at both ends alike.
  const double left = how.coordinates == "half_pixel_symmetric" ? in - out / axis.scale : 0;
  return left / 2 + (x + 0.5) / axis.scale - 0.5;
}

double rounded(const std::string& rounding, double x) {
  if (rounding == "floor") return std::floor(x);
  if (rounding == "ceil") return std::ceil(x);
  if (rounding == "round_prefer_ceil") return std::floor(x + 0.5);
  return std::ceil(x - 0.5);
}

/// The weight of a neighbour at this distance: Keys (1981) for cubic ones.
double weight_at(const ResizeMode& how, double distance) {
  const double d = std::fabs(distance);
  if (how.mode == "linear") return std::max(0.0, 1 - d);
  const double a = how.cubic;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

std::vector<double> row_of(const ResizeMode& how, const ResizedAxis& axis, std::int64_t x) {
  std::vector<double> row(static_cast<std::size_t>(axis.in), 0.0);
  const auto last = static_cast<double>(axis.in - 1);
  const double from = coordinate(how, axis, static_cast<double>(x));
  const auto add = [&](double place, double weight) {
    row[static_cast<std::size_t>(std::clamp(place, 0.0, last))] += weight;
  };
  if (how.mode == "nearest") {
    add(rounded(how.rounding, from), 1);
    return row;
  }
  const int reach = how.mode == "linear" ? 1 : 2;
  double sum = 0;
  for (int step = 1 - reach; step <= reach; ++step) {
    const double place = std::floor(from) + step;
    const bool is_outside = place < 0 || place > last;
    const double weight = how.excludes_outside && is_outside ? 0 : weight_at(how, from - place);
    sum += weight;
    if (weight != 0) add(place, weight);
  }
  if (how.excludes_outside && sum != 0) {
    for (double& weight : row) weight /= sum;
  }
  return row;
}

Rows rows_of(const ResizeMode& how, const ResizedAxis& axis) {
  Rows rows;
  for (std::int64_t x = 0; x < axis.out; ++x) rows.push_back(row_of(how, axis, x));
  return rows;
}

/// Whether the layer `upsample2d` computes the same.
bool is_of_layer(const ResizeMode& how, const ResizedAxis& axis) {
  if (how.mode == "cubic" || axis.out % axis.in != 0) return false;
  const bool is_linear = how.mode == "linear";
  const ResizeMode layer{.mode = how.mode,
                         .coordinates = is_linear ? "half_pixel" : "asymmetric",
                         .rounding = "floor"};
  const std::int64_t scale = axis.out / axis.in;
  const ResizedAxis whole{.in = axis.in, .out = axis.out, .scale = static_cast<double>(scale)};
  const Rows wanted = rows_of(layer, whole);
  const Rows found = rows_of(how, axis);
  for (std::size_t x = 0; x < wanted.size(); ++x) {
    for (std::size_t i = 0; i < wanted[x].size(); ++i) {
      if (std::fabs(wanted[x][i] - found[x][i]) > 1e-6) return false;
    }
  }
  return true;
}

/// A product along one axis, which is the last one meanwhile.
int resized(GraphBuilder& b, int x, std::size_t axis, const Rows& rows) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  const auto out = static_cast<std::int64_t>(rows.size());
  const int weight = b.constant({out, static_cast<std::int64_t>(rows[0].size())}, std::move(flat));
  x = b.swapped(x, axis);
  Shape shape = b.shape(x);
  shape.back() = out;
  return b.swapped(b.add(".linear", {x, weight}, std::move(shape),
                         {{"out_features", integer_of(out)}, {"fixed", integer_of(1)}}),
                   axis);
}

/// Before opset 11 there was one coordinate transformation, and nearest elements were rounded down.
ResizeMode mode_of(const OnnxGraph& graph, const OnnxNode& node) {
  constexpr int kFirstWithModes = 11;
  const bool is_old = node.op == "Upsample" || graph.opset < kFirstWithModes;
  const auto text = [&](const char* key, const char* otherwise) {
    return node.has(key) ? node.text(key) : std::string(otherwise);
  };
  return {
      .mode = text("mode", "nearest"),
      .coordinates = text("coordinate_transformation_mode", is_old ? "asymmetric" : "half_pixel"),
      .rounding = text("nearest_mode", is_old ? "floor" : "round_prefer_floor"),
      .cubic = node.number("cubic_coeff_a", -0.75),
      .excludes_outside = node.integer("exclude_outside", 0) != 0,
      .outside = node.number("extrapolation_value", 0)};
}

/// Scales stand in another input before opset 11, and in an attribute before opset 9.
std::vector<ResizedAxis> axes_of(const GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const Shape in = b.shape(node.input(0));
  const Shape out = b.shape(node.output(0));
  const bool is_old = node.inputs.size() <= 2;
  const auto known = [&](std::size_t input) {
    const int tensor = node.input(input);
    return tensor < 0 ? std::nullopt : b.graph().at(tensor).known();
  };
  auto scales = known(is_old ? 1 : 2);
  if (node.has("scales")) scales = node.attributes.at("scales").numbers;
  const auto regions = is_old ? std::nullopt : known(1);
  static_cast<void>(node.input(3));  // sizes, which the shape of the output has
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < in.size(); ++i) {
    ResizedAxis axis{.in = in[i], .out = out.at(i)};
    axis.scale = static_cast<double>(out[i]) / static_cast<double>(in[i]);
    if (scales && scales->size() == in.size()) axis.scale = (*scales)[i];
    if (regions && regions->size() == 2 * in.size()) {
      axis.start = (*regions)[i];
      axis.end = (*regions)[i + in.size()];
    }
    axes.push_back(axis);
  }
  return axes;
}

/// Whether scales and regions are known, if the node has some: extents alone do not say them.
bool has_known_scales(const GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const std::size_t end = std::min<std::size_t>(3, node.inputs.size());
  for (std::size_t i = 1; i < end; ++i) {
    if (node.input(i) >= 0 && !b.graph().at(node.input(i)).known()) return false;
  }
  return true;
}

/// Whether all elements come from within, as the layers have no other number for what is outside.
bool is_within(const ResizeMode& how, const ResizedAxis& axis) {
  if (how.coordinates != "tf_crop_and_resize") return true;
  return std::min(axis.start, axis.end) >= 0 && std::max(axis.start, axis.end) <= 1;
}

}  // namespace

std::string fault_of_resize(const OnnxGraph& graph, const OnnxNode& node) {
  const ResizeMode how = mode_of(graph, node);
  const auto is_one_of = [](const std::string& text, std::initializer_list<const char*> known) {
    return std::ranges::find(known, text) != known.end();
  };
  if (!is_one_of(how.mode, {"nearest", "linear", "cubic"})) {
    return "its mode is not nearest, linear or cubic";
  }
  if (!is_one_of(how.coordinates,
                 {"asymmetric", "align_corners", "half_pixel", "half_pixel_symmetric",
                  "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize"})) {
    return "its coordinate_transformation_mode is not one of opsets 9 to 19";
  }
  if (!is_one_of(how.rounding, {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"})) {
    return "its nearest_mode is not one of opsets 11 to 19";
  }
  return "it takes elements from outside of its input, changes a batch, or has scales that depend "
         "on data; expected numbers of the file and places within the input";
}

void lower_resize(GraphBuilder& builder) {
  const OnnxNode& node = builder.node();
  if ((node.op != "Resize" && node.op != "Upsample") || node.input(0) < 0) return;
  const Shape in = builder.shape(node.input(0));
  const ResizeMode how = mode_of(builder.graph(), node);
  const std::string fault = fault_of_resize(builder.graph(), node);
  if (!fault.starts_with("it takes") || in.empty() || element_count(in) == 0) return;
  const bool is_known = has_known_scales(builder);
  if (!is_known && how.coordinates == "tf_crop_and_resize") return;
  const std::vector<ResizedAxis> axes = axes_of(builder);
  bool is_layer = in.size() == 4;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    constexpr std::int64_t kMost = std::int64_t{1} << 11;
    const bool stays = axes[i].in == axes[i].out && axes[i].scale == 1;
    if (!is_within(how, axes[i]) || axes[i].out < 1 || axes[i].out > kMost || axes[i].in > kMost)
      return;
    if (i == 0 && !stays) return;
    is_layer = is_layer && (i < 2 ? stays : is_of_layer(how, axes[i]));
  }
  if (is_layer) {
    builder.add_like(node.output(0), ".upsample2d", {node.input(0)},
                     {{"scale", list_of({axes[2].out / in[2], axes[3].out / in[3]})},
                      {"mode", integer_of(how.mode == "linear" ? 1 : 0)}});
    return;
  }
  if (!is_known) return;
  int x = node.input(0);
  for (std::size_t i = axes.size(); i-- > 1;) {
    const bool stays = axes[i].in == axes[i].out && is_of_layer(how, axes[i]);
    if (!stays) x = resized(builder, x, i, rows_of(how, axes[i]));
  }
  if (x == node.input(0)) builder.add_like(x, "Reshape", {x});
}

}  // namespace poet
