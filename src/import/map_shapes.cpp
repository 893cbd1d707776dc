// Ops that change shapes and compute nothing. Extents are known numbers here; with_open_batch()
// finds out which of them are the batch. `Reshape`, `Squeeze` and `Unsqueeze` all become the shape
// that they come to: which of them it was makes no difference to a tensor whose bytes stay where
// they are.

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "import/layer_maps.hpp"
#include "import/layer_names.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

using List = std::vector<std::int64_t>;

// Opsets moved these lists from attributes to inputs one op at a time; both are looked at.
List known_list(const LayerList& layers, const OnnxNode& node, std::size_t input, const char* key) {
  const int tensor = node.input(input);
  if (tensor < 0) return node.integers(key);
  if (!layers.at(tensor).values) {
    throw InputError(fmt::format("its {} depend on data; expected numbers of the file", key));
  }
  const std::vector<double>& values = *layers.at(tensor).values;
  List list;
  for (const double value : values) {
    list.push_back(whole_number(value));
  }
  return list;
}

std::string add_slice(LayerList& layers, const std::string& name, const std::string& input,
                      std::int64_t start, std::int64_t size, std::size_t axis) {
  return layers.add("slice", name, {input},
                    {{"start", number_attribute(start)},
                     {"size", number_attribute(size)},
                     {"axis", number_attribute(static_cast<std::int64_t>(axis))}});
}

void expect_extents(const LayerList& layers, const OnnxNode& node) {
  const Shape& out = layers.shape(node.output(0));
  if (std::all_of(out.begin(), out.end(), [](std::int64_t extent) { return extent > 0; })) return;
  throw InputError(
      fmt::format("its output has the shape {}; expected extents from 1", shape_text(out)));
}

}  // namespace

/// `flatten` states no extents, so it suits every batch size; `reshape` states all.
void reshape(LayerList& layers, const OnnxNode& node) {
  node.read_all();  // the shape of the output says the rest
  expect_extents(layers, node);
  const std::string input = layers.name_of_tensor(node.input(0));
  const std::string name = name_of_node(node);
  const Shape& in = layers.shape(node.input(0));
  const Shape& out = layers.shape(node.output(0));
  const bool is_flat = out.size() == 2 && in.size() > 2 && in[0] == out[0];
  if (out.empty()) {
    throw InputError(fmt::format(
        "it makes a single number of the shape {}; expected extents, such as 1", shape_text(in)));
  }
  layers.set_output(node.output(0), is_flat ? layers.add("flatten", name, {input})
                                            : layers.add("reshape", name, {input},
                                                         {{"shape", list_attribute(out)}}));
}

// Without an order ONNX reverses all extents.
void transpose(LayerList& layers, const OnnxNode& node) {
  List order = node.integers("perm");
  if (order.empty()) {
    order.resize(layers.shape(node.input(0)).size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  layers.set_output(node.output(0), layers.add("permute", name_of_node(node),
                                               {layers.name_of_tensor(node.input(0))},
                                               {{"order", list_attribute(std::move(order))}}));
}

void concat(LayerList& layers, const OnnxNode& node) {
  node.read_all();
  std::vector<std::string> inputs;
  for (const int tensor : node.inputs) inputs.push_back(layers.name_of_tensor(tensor));
  const std::size_t axis = axis_index(node.integer("axis", 1), layers.shape(node.output(0)));
  layers.set_output(node.output(0),
                    layers.add("concat", name_of_node(node), std::move(inputs),
                               {{"axis", number_attribute(static_cast<std::int64_t>(axis))}}));
}

// Sizes come from the shapes of the parts: which attribute or input has them depends on the opset.
void split(LayerList& layers, const OnnxNode& node) {
  node.read_all();  // the shape of the output says the rest
  const std::size_t axis = axis_index(node.integer("axis", 0), layers.shape(node.input(0)));
  List sizes;
  for (const int tensor : node.outputs) {
    if (tensor < 0) {
      throw InputError("one of its outputs has no name; expected a name for each part");
    }
    sizes.push_back(layers.shape(tensor).at(axis));
  }
  const std::string input = layers.name_of_tensor(node.input(0));
  const std::string name =
      layers.add("split", name_of_node(node), {input},
                 {{"sizes", list_attribute(std::move(sizes))},
                  {"axis", number_attribute(static_cast<std::int64_t>(axis))}});
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    layers.set_output(node.outputs[i], fmt::format("{}.{}", name, i));
  }
}

/// A layer cuts along one axis, so a slice along several becomes as many layers. An end beyond the
/// tensor means its end: sizes are taken from the output, whose shape libonnx has inferred.
void slice(LayerList& layers, const OnnxNode& node) {
  node.read_all();  // the shape of the output says the rest
  expect_extents(layers, node);
  const Shape in = layers.shape(node.input(0));
  const List starts = known_list(layers, node, 1, "starts");
  List axes = known_list(layers, node, 3, "axes");
  const List steps = known_list(layers, node, 4, "steps");
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step != 1; })) {
    throw InputError(fmt::format("it takes elements in steps of [{}]; expected steps of 1",
                                 fmt::join(steps, ", ")));
  }
  if (axes.size() != starts.size()) {
    throw InputError(fmt::format("it has {} starts and {} axes; expected as many of both",
                                 starts.size(), axes.size()));
  }
  std::string name = layers.name_of_tensor(node.input(0));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_index(axes[i], in);
    const std::int64_t size = layers.shape(node.output(0)).at(axis);
    if (size == in[axis]) continue;
    if (size > in[axis]) {
      throw InputError(
          fmt::format("it takes {} of {} elements along axis {}; expected a part of them", size,
                      in[axis], axis));
    }
    const std::int64_t start = starts[i] < 0 ? starts[i] + in[axis] : starts[i];
    name = add_slice(layers, name_of_node(node), name,
                     std::clamp<std::int64_t>(start, 0, in[axis] - size), size, axis);
  }
  layers.set_output(node.output(0), name);
}

/// Gather has two meanings in exports: a lookup in a table of weights, which is an embedding, and a
/// choice of elements by known indices. Of the latter, neighbours are a slice, and an index without
/// an extent of its own takes the axis away.
void gather(LayerList& layers, const OnnxNode& node) {
  const OnnxTensor& table = layers.at(node.input(0));
  const OnnxTensor& indices = layers.at(node.input(1));
  const Shape& in = table.shape;
  if (table.is_weight && indices.is_data()) {
    if (in.size() != 2 || node.integer("axis", 0) != 0) {
      throw InputError(
          fmt::format("it looks up along axis {} of weights of the shape {}; expected axis 0 of a "
                      "table with two "
                      "extents",
                      node.integer("axis", 0), shape_text(in)));
    }
    layers.set_output(
        node.output(0),
        layers.add_with_weight(
            "embedding", node, node.input(0), layers.name_of_tensor(node.input(1)),
            {{"vocabulary", number_attribute(in[0])}, {"width", number_attribute(in[1])}}));
    return;
  }
  const List wanted = known_list(layers, node, 1, "indices");
  const std::size_t axis = axis_index(node.integer("axis", 0), in);
  const bool is_row =
      !wanted.empty() && std::adjacent_find(wanted.begin(), wanted.end(), [](auto a, auto b) {
                           return a == std::numeric_limits<std::int64_t>::max() || b != a + 1;
                         }) == wanted.end();
  if (!is_row) {
    throw InputError(
        fmt::format("it picks {} elements that are not one after the other along axis {}; expected "
                    "neighbours, which are a slice",
                    wanted.size(), axis));
  }
  const std::int64_t start = wanted[0] < 0 ? wanted[0] + in[axis] : wanted[0];
  const auto size = static_cast<std::int64_t>(wanted.size());
  if (start < 0 || start > in[axis] - size) {
    throw InputError(
        fmt::format("it picks element {} of {} along axis {}; expected one that is there",
                    wanted[0], in[axis], axis));
  }
  const std::string input = layers.name_of_tensor(node.input(0));
  std::string name = name_of_node(node);
  const Shape& out = layers.shape(node.output(0));
  if (size != in[axis])
    name = add_slice(layers, name, input, start, size, axis);
  else
    name = input;
  Shape part = in;
  part[axis] = size;
  if (part != out) {
    if (out.empty()) {
      throw InputError(fmt::format(
          "it picks a single number of the shape {}; expected extents, such as an index "
          "of the shape [1]",
          shape_text(in)));
    }
    name = layers.add("reshape", name_of_node(node) + ".shape", {name},
                      {{"shape", list_attribute(out)}});
  }
  layers.set_output(node.output(0), name);
}

// Every op that may read a repeated tensor repeats it by itself.
void expand(LayerList& layers, const OnnxNode& node) {
  node.read_all();  // the shape of the output says the rest
  if (layers.shape(node.input(0)) != layers.shape(node.output(0))) {
    throw InputError(fmt::format(
        "it repeats data of the shape {} to {}; expected a weight, or the data itself where add, "
        "sub, "
        "mul and div repeat it by themselves",
        shape_text(layers.shape(node.input(0))), shape_text(layers.shape(node.output(0)))));
  }
  layers.set_output(node.output(0), layers.name_of_tensor(node.input(0)));
}

}  // namespace poet::maps
