// Ops that work element by element. A number that the layer does not have is stated in it if the
// costs are the same, and refused if it would be another layer.

#include <fmt/format.h>

#include "import/layer_maps.hpp"
#include "import/layer_names.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

std::string_view activation_of(const OnnxNode& node) {
  static const std::map<std::string_view, std::string_view> ops = {{"Relu", "relu"},
                                                                   {"Sigmoid", "sigmoid"},
                                                                   {"Tanh", "tanh"},
                                                                   {"HardSigmoid", "hard_sigmoid"},
                                                                   {"HardSwish", "hard_swish"},
                                                                   {"Softplus", "softplus"}};
  return node.op.starts_with('.') ? std::string_view(node.op).substr(1) : ops.at(node.op);
}

void add_unary(LayerList& layers, const OnnxNode& node, std::string_view op,
               std::initializer_list<GivenAttribute> attributes = {}) {
  layers.set_output(node.output(0), layers.add(op, name_of_node(node),
                                               {layers.name_of_tensor(node.input(0))}, attributes));
}

/// Before opset 12 the rate is an attribute.
double rate_of(const LayerList& layers, const OnnxNode& node) {
  const auto known = [&](std::size_t input, const char* what) {
    const std::optional<double> number = layers.at(node.input(input)).number();
    if (number) return *number;
    throw InputError(
        fmt::format("its {} depends on data; expected a number of the file, or --set "
                    "for an input of the graph",
                    what));
  };
  if (node.input(2) >= 0) static_cast<void>(known(2, "training_mode"));
  static_cast<void>(node.integer("seed", 0));
  return node.input(1) < 0 ? node.number("ratio", 0.5) : known(1, "ratio");
}

void add_leaky_relu(LayerList& layers, const OnnxNode& node) {
  const double slope = node.number("alpha", 0.01);
  const bool has_kernel = slope >= 0;
  add_unary(layers, node, "leaky_relu",
            {{"slope", has_kernel ? real_attribute(slope) : real_attribute(0.01)}});
  if (!has_kernel) {
    layers.differs(fmt::format("its slope is {}, the layer's 0.01", shortest_decimal(slope)));
  }
}

void add_elu(LayerList& layers, const OnnxNode& node) {
  const double alpha = node.number("alpha", 1);
  const bool has_kernel = alpha >= 0;
  add_unary(layers, node, "elu", {{"alpha", real_attribute(has_kernel ? alpha : 1)}});
  if (!has_kernel) {
    layers.differs(fmt::format("its alpha is {}, the layer's 1", shortest_decimal(alpha)));
  }
}

void add_dropout(LayerList& layers, const OnnxNode& node) {
  const double rate = rate_of(layers, node);
  const bool has_kernel = rate >= 0 && rate < 1;
  add_unary(layers, node, "dropout", {{"rate", real_attribute(has_kernel ? rate : 0.1)}});
  if (!has_kernel) {
    layers.differs(fmt::format("its rate is {}, the layer's 0.1", shortest_decimal(rate)));
  }
}

}  // namespace

void activation(LayerList& layers, const OnnxNode& node) {
  if (node.op == "LeakyRelu") return add_leaky_relu(layers, node);
  if (node.op == "Elu") return add_elu(layers, node);
  if (node.op == "Dropout") return add_dropout(layers, node);
  // Nodes of other slopes have been replaced before (lower_elementwise.cpp).
  if (node.op == "HardSigmoid") node.read_all();
  add_unary(layers, node, activation_of(node));
}

// Limits were attributes before opset 11, and have been inputs since.
void clip(LayerList& layers, const OnnxNode& node) {
  const auto limit = [&](std::size_t input, const char* key) -> std::optional<double> {
    if (node.input(input) >= 0) return layers.at(node.input(input)).number();
    if (node.has(key)) return node.number(key, 0);
    return std::nullopt;
  };
  const auto low = limit(1, "min");
  const auto high = limit(2, "max");
  if (low == 0.0 && high == 6.0) return add_unary(layers, node, "relu6");
  if (low == 0.0 && !high) return add_unary(layers, node, "relu");
  const auto shown = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("none");
  };
  throw InputError(
      fmt::format("it clips to the limits {} and {}; expected numbers of the file, the "
                  "second above the first",
                  shown(low), shown(high)));
}

void binary(LayerList& layers, const OnnxNode& node) {
  static const std::map<std::string_view, std::string_view> ops = {
      {"Add", "add"}, {"Sub", "sub"}, {"Mul", "mul"}, {"Div", "div"}};
  layers.set_output(node.output(0), layers.add(ops.at(node.op), name_of_node(node),
                                               {layers.name_of_tensor(node.input(0)),
                                                layers.name_of_tensor(node.input(1))}));
}

/// Before opset 13, a softmax went over all extents from its axis on, and the usual axis was 1;
/// since then it goes over one extent, usually the last. Over all extents is left what begins with
/// the batch.
void softmax(LayerList& layers, const OnnxNode& node) {
  const Shape& in = layers.shape(node.input(0));
  const bool is_old = layers.graph().opset < 13;
  const std::int64_t axis = node.integer("axis", is_old ? 1 : -1);
  if (is_old && axis_index(axis, in) + 1 != in.size()) {
    throw InputError(fmt::format(
        "it goes over all extents of {} from axis {} on, as before opset 13; expected a later axis",
        shape_text(in), axis));
  }
  layers.set_output(
      node.output(0),
      layers.add(node.op == "LogSoftmax" ? "log_softmax" : "softmax", name_of_node(node),
                 {layers.name_of_tensor(node.input(0))}, {{"axis", number_attribute(axis)}}));
}

/// One slope, or one for each channel: slopes of any other shape have become arithmetic.
void prelu(LayerList& layers, const OnnxNode& node) {
  const int slope = node.input(1);
  if (slope < 0 || layers.at(slope).is_data()) throw InputError(kComputedWeights);
  const std::int64_t count = element_count(layers.shape(slope));
  layers.set_output(node.output(0), layers.add_with_weight(
                                        "prelu", node, slope, layers.name_of_tensor(node.input(0)),
                                        {{"per_channel", number_attribute(count != 1 ? 1 : 0)}}));
}

void mean(LayerList& layers, const OnnxNode& node) {
  std::vector<std::int64_t> axes = node.integers("axes");
  const Shape& in = layers.shape(node.input(0));
  // The mean of a single number.
  if (in.empty()) return layers.set_output(node.output(0), layers.name_of_tensor(node.input(0)));
  if (axes.empty()) {
    for (std::size_t i = 0; i < in.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  const std::string input = layers.name_of_tensor(node.input(0));
  layers.set_output(
      node.output(0),
      layers.add("mean", name_of_node(node), {input},
                 {{"axes", list_attribute(std::move(axes))},
                  {"keep_dims", number_attribute(node.integer("keepdims", 1) != 0 ? 1 : 0)}}));
}

}  // namespace poet::maps
