// Layers with matrix products, norms and states. Weights have to be in the file, or passed in as
// such: a product of two tensors that are computed is `matmul`.

#include <fmt/format.h>

#include "import/layer_maps.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

bool is_flag(const LayerList& layers, int tensor) {
  return tensor >= 0 && !layers.at(tensor).is_data();
}

/// The state that a sequence starts with: an input of the model, unless the file has data for it.
std::string first_state(LayerList& layers, const OnnxNode& node, std::size_t input,
                        const std::string& wanted, const Shape& shape) {
  const int given = node.input(input);
  if (given < 0 || layers.at(given).values) return layers.add_input(wanted, shape);
  return layers.add("reshape", wanted, {layers.name_of_tensor(given)},
                    {{"shape", list_attribute(shape)}});
}

}  // namespace

void linear(LayerList& layers, const OnnxNode& node) {
  std::string input = layers.name_of_tensor(node.input(0));
  const Shape& in = layers.shape(node.input(0));
  if (in.size() < 2) {
    throw InputError(fmt::format("its input has the shape {}; expected rows", shape_text(in)));
  }
  layers.set_output(
      node.output(0),
      layers.add_with_weight("linear", node, node.input(1), input,
                             {{"out_features", number_attribute(node.integer("out_features", 1))},
                              {"bias", number_attribute(is_flag(layers, node.input(2)) ? 1 : 0)}}));
}

void matmul(LayerList& layers, const OnnxNode& node) {
  const Shape& a = layers.shape(node.input(0));
  const Shape& b = layers.shape(node.input(1));
  const auto batches = [](const Shape& shape) {
    return std::vector<std::int64_t>(shape.begin(), shape.end() - 2);
  };
  if (a.size() < 2 || b.size() < 2 || batches(a) != batches(b)) {
    throw InputError(
        fmt::format("its inputs have the shapes {} and {}; expected as many matrices "
                    "of the second as of the first",
                    shape_text(a), shape_text(b)));
  }
  layers.set_output(node.output(0), layers.add("matmul", layers.name_of_node(node),
                                               {layers.name_of_tensor(node.input(0)),
                                                layers.name_of_tensor(node.input(1))}));
}

void norm(LayerList& layers, const OnnxNode& node) {
  const std::string input = layers.name_of_tensor(node.input(0));
  const Shape& in = layers.shape(node.input(0));
  if (node.input(1) < 0 || layers.at(node.input(1)).is_data()) {
    throw InputError("its weights are computed; expected weights of the file");
  }
  const auto add = [&](std::string_view op, std::initializer_list<GivenAttribute> attributes) {
    layers.set_output(node.output(0),
                      layers.add_with_weight(op, node, node.input(1), input, attributes));
  };
  if (node.op == "BatchNormalization")
    return add(in.size() == 4 ? "batch_norm2d" : "batch_norm1d", {});
  if (node.op == ".group_norm") {
    return add("group_norm", {{"groups", number_attribute(node.integer("groups", 1))}});
  }
  const std::int64_t dims =
      node.op == ".layer_norm"
          ? node.integer("dims", 1)
          : static_cast<std::int64_t>(in.size() - axis_index(node.integer("axis", -1), in));
  add("layer_norm", {{"dims", number_attribute(dims)},
                     {"bias", number_attribute(is_flag(layers, node.input(2)) ? 1 : 0)}});
}

void attention(LayerList& layers, const OnnxNode& node) {
  layers.set_output(
      node.output(0),
      layers.add("attention", layers.name_of_node(node),
                 {layers.name_of_tensor(node.input(0)), layers.name_of_tensor(node.input(1)),
                  layers.name_of_tensor(node.input(2))},
                 {{"heads", number_attribute(node.integer("heads", 1))},
                  {"causal", number_attribute(node.integer("causal", 0))}}));
}

// A layer for each step; all share the parameters of the first.
// ONNX has one node for a whole sequence. Step by step, a schedule can keep some states and compute
// others again. The limit keeps a long sequence from becoming a graph of many thousands of nodes.
void recurrence(LayerList& layers, const OnnxNode& node) {
  const Shape in = layers.shape(node.input(0));
  const std::int64_t width = layers.shape(node.output(1)).at(1);
  const std::string x = layers.name_of_tensor(node.input(0));
  const std::string name = layers.name_of_node(node);
  const Shape state{in[0], width};
  std::string h = first_state(layers, node, 5, name + ".h0", state);
  std::string c = first_state(layers, node, 6, name + ".c0", state);
  constexpr std::int64_t kMostSteps = 1000;
  if (in[1] > kMostSteps) {
    throw InputError(fmt::format("it has {} steps; expected at most {}", in[1], kMostSteps));
  }
  const Attribute bias = number_attribute(is_flag(layers, node.input(3)) ? 1 : 0);
  std::vector<std::string> outputs;
  for (std::int64_t t = 0; t < in[1]; ++t) {
    const std::string at = fmt::format("{}.t{}", name, t);
    const std::string part = layers.add("slice", at + ".x", {x},
                                        {{"start", number_attribute(t)},
                                         {"size", number_attribute(1)},
                                         {"axis", number_attribute(1)}});
    const std::string row =
        layers.add("reshape", at + ".row", {part}, {{"shape", list_attribute({in[0], in[2]})}});
    h = layers.add_cell(t == 0 ? name : at, {row, h, c}, bias, t == 0 ? std::string{} : name);
    c = h + ".c";
    outputs.push_back(
        layers.add("reshape", at + ".y", {h}, {{"shape", list_attribute({in[0], 1, width})}}));
  }
  layers.set_output(node.output(1), h);
  layers.set_output(node.output(2), c);
  layers.set_output(node.output(0), layers.add("concat", name + ".y", outputs));
}

}  // namespace poet::maps
