// Layers with matrix products, and norms. Weights have to be in the file, or passed in as such: a
// product of two tensors that are computed is `matmul`. Patterns have been joined before, so that a
// linear layer is one node here.

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "import/layer_maps.hpp"
#include "import/layer_names.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

void expect_weight_of(const LayerList& layers, int tensor, std::int64_t count) {
  if (!layers.is_in_file(tensor)) throw InputError(kComputedWeights);
  if (element_count(layers.shape(tensor)) == count) return;
  throw InputError(fmt::format("its weight '{}' has the shape {}; expected {} elements",
                               printable(layers.at(tensor).name), shape_text(layers.shape(tensor)),
                               count));
}

/// Throws unless an input is a weight with a number for each channel.
void expect_vector(const LayerList& layers, const OnnxNode& node, std::size_t input) {
  const Shape& in = layers.shape(node.input(0));
  if (in.size() < 2) throw InputError("its input has no channels; expected N, C and others");
  expect_weight_of(layers, node.input(input), in[1]);
}

}  // namespace

void linear(LayerList& layers, const OnnxNode& node) {
  std::string input = layers.name_of_tensor(node.input(0));
  const Shape& in = layers.shape(node.input(0));
  if (in.size() < 2) {
    throw InputError(
        fmt::format("its input has the shape {}; expected rows and features, which a "
                    "Reshape before it makes",
                    shape_text(in)));
  }
  layers.set_output(node.output(0),
                    layers.add_with_weight(
                        "linear", node, node.input(1), input,
                        {{"out_features", number_attribute(node.integer("out_features", 1))},
                         {"bias", number_attribute(layers.is_in_file(node.input(2)) ? 1 : 0)}}));
}

// The layer multiplies matrix by matrix: one matrix for a whole batch would be broadcast, which it
// does not do.
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
  layers.set_output(
      node.output(0),
      layers.add("matmul", name_of_node(node),
                 {layers.name_of_tensor(node.input(0)), layers.name_of_tensor(node.input(1))},
                 {{"transpose_b", number_attribute(node.integer("transpose_b", 0))}}));
}

namespace {

/// A batch norm in evaluation mode belongs to a network that is to be trained, unless others of the
/// file train (fuse_norms.cpp). Running statistics become nothing.
void batch_norm(LayerList& layers, const OnnxNode& node, const GivenAttribute& epsilon) {
  for (const std::size_t i : {1U, 2U, 3U, 4U}) expect_vector(layers, node, i);
  for (const char* const mode : {"training_mode", "is_test"}) static_cast<void>(node.has(mode));
  // ONNX states how much of the old statistics stays, layers how much of the batch comes in.
  const double momentum = 1 - shortest_decimal(node.number("momentum", 0.9));
  const bool is_image = layers.shape(node.input(0)).size() == 4;
  layers.set_output(node.output(0), layers.add_with_weight(
                                        is_image ? "batch_norm2d" : "batch_norm1d", node,
                                        node.input(1), layers.name_of_tensor(node.input(0)),
                                        {epsilon,
                                         {"momentum", real_attribute(momentum)},
                                         {"frozen", number_attribute(node.integer("frozen", 0))}}));
}

}  // namespace

void norm(LayerList& layers, const OnnxNode& node) {
  const std::string input = layers.name_of_tensor(node.input(0));
  const Shape in = layers.shape(node.input(0));
  if (!layers.is_in_file(node.input(1))) throw InputError(kComputedWeights);
  const auto add = [&](std::string_view op, std::initializer_list<GivenAttribute> attributes) {
    layers.set_output(node.output(0),
                      layers.add_with_weight(op, node, node.input(1), input, attributes));
  };
  const GivenAttribute epsilon{"epsilon", real_attribute(node.number("epsilon", 1e-5))};
  if (node.op == "BatchNormalization") return batch_norm(layers, node, epsilon);
  if (node.op == ".group_norm" || node.op == "InstanceNormalization") {
    for (const std::size_t i : {1U, 2U}) expect_vector(layers, node, i);
    const std::int64_t groups = node.op == ".group_norm" ? node.integer("groups", 1) : in.at(1);
    return add("group_norm", {{"groups", number_attribute(groups)}, epsilon});
  }
  const std::int64_t dims =
      node.op == ".layer_norm"
          ? node.integer("dims", 1)
          : static_cast<std::int64_t>(in.size() - axis_index(node.integer("axis", -1), in));
  const std::int64_t wanted = element_count(std::span(in).last(static_cast<std::size_t>(dims)));
  for (const std::size_t i : {1U, 2U}) {
    if (node.input(i) >= 0) expect_weight_of(layers, node.input(i), wanted);
  }
  add("layer_norm", {{"dims", number_attribute(dims)},
                     {"bias", number_attribute(layers.is_in_file(node.input(2)) ? 1 : 0)},
                     epsilon});
}

void attention(LayerList& layers, const OnnxNode& node) {
  layers.set_output(
      node.output(0),
      layers.add("attention", name_of_node(node),
                 {layers.name_of_tensor(node.input(0)), layers.name_of_tensor(node.input(1)),
                  layers.name_of_tensor(node.input(2))},
                 {{"heads", number_attribute(node.integer("heads", 1))},
                  {"causal", number_attribute(node.integer("causal", 0))}}));
}

}  // namespace poet::maps
