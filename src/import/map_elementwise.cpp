// Ops that work element by element. A slope or a limit that the layer does not have is noted if the
// costs are the same, and refused if it would be another layer. A schedule depends on shapes, costs
// and what gradients read, and on no number of a formula.

#include <cmath>

#include <fmt/format.h>

#include "import/layer_maps.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

std::string_view activation_of(const OnnxNode& node) {
  static const std::map<std::string_view, std::string_view> ops = {
      {"Relu", "relu"},      {"LeakyRelu", "leaky_relu"},     {"Sigmoid", "sigmoid"},
      {"Tanh", "tanh"},      {"HardSigmoid", "hard_sigmoid"}, {"HardSwish", "hard_swish"},
      {"Dropout", "dropout"}};
  return node.op.starts_with('.') ? std::string_view(node.op).substr(1) : ops.at(node.op);
}

void add_unary(LayerList& layers, const OnnxNode& node, std::string_view op) {
  layers.set_output(node.output(0), layers.add(op, layers.name_of_node(node),
                                               {layers.name_of_tensor(node.input(0))}));
}

bool differs(double found, double usual) {
  return std::fabs(found - usual) > 1e-3 * usual;
}

}  // namespace

void activation(LayerList& layers, const OnnxNode& node) {
  if (node.op == "LeakyRelu" && differs(node.number("alpha", 0.01), 0.01)) {
    layers.note(
        fmt::format("leaky_relu with a slope of {} is taken for one with 0.01, which costs "
                    "the same",
                    node.number("alpha", 0.01)));
  }
  if (node.op == "HardSigmoid" && differs(node.number("alpha", 0.2), 1.0 / 6)) {
    layers.note(
        fmt::format("hard_sigmoid with a slope of {} is taken for one with 1/6, which "
                    "costs the same",
                    node.number("alpha", 0.2)));
  }
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
  throw InputError("it clips to other limits; expected 0 and 6, which is relu6");
}

void binary(LayerList& layers, const OnnxNode& node) {
  static const std::map<std::string_view, std::string_view> ops = {
      {"Add", "add"}, {"Sub", "sub"}, {"Mul", "mul"}, {"Div", "div"}};
  layers.set_output(node.output(0), layers.add(ops.at(node.op), layers.name_of_node(node),
                                               {layers.name_of_tensor(node.input(0)),
                                                layers.name_of_tensor(node.input(1))}));
}

/// Before opset 13, a softmax went over all extents from its axis on, and the usual axis was 1;
/// since then it goes over one extent, usually the last.
void softmax(LayerList& layers, const OnnxNode& node) {
  const Shape& in = layers.shape(node.input(0));
  const bool is_old = layers.graph().opset < 13;
  const std::int64_t axis = node.integer("axis", is_old ? 1 : -1);
  if (is_old && axis_index(axis, in) + 1 != in.size()) {
    throw InputError("it is one over several extents; expected one over the last");
  }
  layers.set_output(node.output(0), layers.add("softmax", layers.name_of_node(node),
                                               {layers.name_of_tensor(node.input(0))},
                                               {{"axis", number_attribute(axis)}}));
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
      layers.add("mean", layers.name_of_node(node), {input},
                 {{"axes", list_attribute(std::move(axes))},
                  {"keep_dims", number_attribute(node.integer("keepdims", 1) != 0 ? 1 : 0)}}));
}

}  // namespace poet::maps
