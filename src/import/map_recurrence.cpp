// Recurrent layers: an LSTM over a sequence becomes a layer for each step. Its parameters stay in
// one place, so that they are counted once and their gradients are added up.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "import/layer_maps.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

/// The state that a sequence starts with: an input of the model, unless the file has data for it.
std::string first_state(LayerList& layers, const OnnxNode& node, std::size_t input,
                        const std::string& wanted, const Shape& shape) {
  const int given = node.input(input);
  if (given < 0 || layers.at(given).values) return layers.add_input(wanted, shape);
  return layers.add("reshape", wanted, {layers.name_of_tensor(given)},
                    {{"shape", list_attribute(shape)}});
}

}  // namespace

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
  const Attribute bias = number_attribute(layers.is_in_file(node.input(3)) ? 1 : 0);
  std::vector<std::string> outputs;
  for (std::int64_t t = 0; t < in[1]; ++t) {
    const std::string at = fmt::format("{}.t{}", name, t);
    const std::string part = layers.add("slice", at + ".x", {x},
                                        {{"start", number_attribute(t)},
                                         {"size", number_attribute(1)},
                                         {"axis", number_attribute(1)}});
    const std::string row =
        layers.add("reshape", at + ".row", {part}, {{"shape", list_attribute({in[0], in[2]})}});
    h = layers.add_cell(node, t == 0 ? name : at, {row, h, c}, bias, t == 0 ? std::string{} : name);
    c = h + ".c";
    outputs.push_back(
        layers.add("reshape", at + ".y", {h}, {{"shape", list_attribute({in[0], 1, width})}}));
  }
  layers.set_output(node.output(1), h);
  layers.set_output(node.output(2), c);
  layers.set_output(node.output(0), layers.add("concat", name + ".y", outputs));
}

}  // namespace poet::maps
