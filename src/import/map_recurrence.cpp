// Recurrent layers: an LSTM or a GRU over a sequence becomes a layer for each step. Its parameters
// stay in one place, so that they are counted once and their gradients are added up.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "import/fuse.hpp"
#include "import/layer_maps.hpp"
#include "import/layer_names.hpp"
#include "poet/error.hpp"

namespace poet::maps {
namespace {

/// The state that a sequence starts with: an input of the model, unless the file has data for it.
/// Data has an extent for directions in front.
std::string first_state(LayerList& layers, const OnnxNode& node, std::size_t input,
                        const std::string& wanted, const Shape& shape) {
  const int given = node.input(input);
  const auto known =
      given < 0 || layers.at(given).is_weight ? std::nullopt : layers.at(given).known();
  const bool is_zeros =
      known && std::all_of(known->begin(), known->end(), [](double number) { return number == 0; });
  if (given < 0 || is_zeros) return layers.add_input(wanted, shape);
  std::string name = layers.name_of_tensor(given);
  if (layers.shape(given).size() == 3 && layers.shape(given)[0] > 1) {
    name = layers.add("slice", wanted + ".direction", {name},
                      {{"start", number_attribute(node.integer("direction_index", 0))},
                       {"size", number_attribute(1)},
                       {"axis", number_attribute(0)}});
  }
  return layers.add("reshape", wanted, {name}, {{"shape", list_attribute(shape)}});
}

}  // namespace

// A layer for each step; all share the parameters of the first.
// ONNX has one node for a whole sequence. Step by step, a schedule can keep some states and compute
// others again. The limit keeps a long sequence from becoming a graph of many thousands of nodes.
void recurrence(LayerList& layers, const OnnxNode& node) {
  const Shape in = layers.shape(node.input(0));
  const std::int64_t width = layers.shape(node.output(1)).at(1);
  const std::string x = layers.name_of_tensor(node.input(0));
  const std::string name = name_of_node(node);
  const bool is_lstm = node.op == ".lstm";
  const bool is_reverse = node.integer("is_reverse", 0) != 0;
  const Shape state{in[0], width};
  std::string h = first_state(layers, node, 5, name + ".h0", state);
  std::string c = is_lstm ? first_state(layers, node, 6, name + ".c0", state) : std::string{};
  constexpr std::int64_t kMostSteps = 1000;
  if (in[1] > kMostSteps) {
    throw InputError(
        fmt::format("its sequence has {} steps, each of which becomes a layer; expected "
                    "at most {}: --shape can state a shorter one",
                    in[1], kMostSteps));
  }
  const Attribute bias = number_attribute(layers.is_in_file(node.input(3)) ? 1 : 0);
  std::vector<std::string> outputs(static_cast<std::size_t>(in[1]));
  std::string& owner = layers.owner_of_cell(node);
  for (std::int64_t i = 0; i < in[1]; ++i) {
    const std::int64_t t = is_reverse ? in[1] - 1 - i : i;
    const std::string at = fmt::format("{}.t{}", name, t);
    const std::string part = layers.add("slice", at + ".x", {x},
                                        {{"start", number_attribute(t)},
                                         {"size", number_attribute(1)},
                                         {"axis", number_attribute(1)}});
    const std::string row =
        layers.add("reshape", at + ".row", {part}, {{"shape", list_attribute({in[0], in[2]})}});
    const std::string& wanted = i == 0 ? name : at;
    if (is_lstm) {
      h = layers.add_cell(node, "lstm", wanted, {row, h, c}, {{"bias", bias}}, owner);
      c = h + ".c";
    } else {
      h = layers.add_cell(
          node, "gru", wanted, {row, h},
          {{"bias", bias}, {"reset_after", number_attribute(node.integer("reset_after", 0))}},
          owner);
    }
    if (owner.empty()) owner = h;
    outputs[static_cast<std::size_t>(t)] =
        layers.add("reshape", at + ".y", {h}, {{"shape", list_attribute({in[0], 1, width})}});
  }
  layers.set_output(node.output(1), h);
  if (is_lstm) layers.set_output(node.output(2), c);
  layers.set_output(node.output(0), layers.add("concat", name + ".y", outputs));
}

/// What is left of them is what fuse_recurrence() could not take apart.
void other_recurrence(LayerList& layers, const OnnxNode& node) {
  throw InputError(fault_of_recurrence(layers.graph(), node));
}

}  // namespace poet::maps
