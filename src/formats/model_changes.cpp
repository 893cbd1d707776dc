// What people can change about a network that does not fit, tried on its file. The text is changed
// and not the model that was read from it, so that a change is what a user would write.

#include "formats/model_changes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "formats/json/json_text.hpp"

namespace poet {
namespace {

using ModelJson = nlohmann::json;

template <std::size_t kCount>
bool has_op(const ModelJson& layer, const std::array<std::string_view, kCount>& ops) {
  const std::string op = layer.is_object() ? layer.value("op", "") : "";
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

constexpr std::array<std::string_view, 3> kActivations{"relu", "relu6", "leaky_relu"};
constexpr std::array<std::string_view, 2> kNorms{"batch_norm2d", "batch_norm1d"};
constexpr std::array<std::string_view, 7> kWeights{
    "conv2d", "conv1d", "conv_transpose2d", "linear", "attention", "lstm", "gru"};
constexpr std::array<std::string_view, 4> kByteWeights{"conv1d", "conv2d", "linear", "linear_relu"};

ModelJson with_masks(ModelJson model) {
  for (ModelJson& layer : model["layers"]) {
    if (has_op(layer, kActivations)) layer["mask"] = true;
  }
  return model;
}

ModelJson with_frozen_norms(ModelJson model) {
  for (ModelJson& layer : model["layers"]) {
    if (has_op(layer, kNorms)) layer["frozen"] = true;
  }
  return model;
}

/// What is in front of the `last` layers with weights does not train.
ModelJson with_last_layers(ModelJson model, int last) {
  ModelJson& layers = model["layers"];
  int weights = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const bool is_learning = has_op(layers[i], kWeights) || has_op(layers[i], kNorms);
    if (weights >= last && is_learning) layers[i]["trainable"] = false;
    if (has_op(layers[i], kWeights)) ++weights;
  }
  return model;
}

/// Parameters that do not train take a byte each. The reader refuses what shares them.
ModelJson with_bytes(ModelJson model) {
  for (ModelJson& layer : model["layers"]) {
    const bool is_frozen = has_op(layer, kByteWeights) && layer.value("trainable", true) == false;
    if (is_frozen && !layer.contains("weights")) layer["frozen_weights"] = "int8";
  }
  return model;
}

/// Images of half the side. What does not divide, or no longer suits a layer, is refused by the
/// reader.
ModelJson with_half_input(ModelJson model) {
  const auto halve = [](ModelJson& input) {
    if (!input.is_object() || !input["shape"].is_array() || input["shape"].size() != 4) return;
    for (std::size_t d = 2; d < 4; ++d) {
      ModelJson& extent = input["shape"][d];
      if (extent.is_number_integer()) extent = (extent.get<int>() + 1) / 2;
    }
  };
  if (model.contains("input")) halve(model["input"]);
  if (model.contains("inputs")) {
    for (ModelJson& input : model["inputs"]) halve(input);
  }
  return model;
}

}  // namespace

std::vector<ModelChange> model_changes(std::string_view text, const std::string& source) {
  const ModelJson model = parse_json(text, source);
  if (!model.is_object() || !model.contains("layers")) return {};
  std::vector<ModelChange> changes;
  const auto add = [&](const char* what, const ModelJson& changed, bool of_parameters = false) {
    if (changed == model) return;
    changes.push_back({.what = what, .text = changed.dump(), .of_parameters = of_parameters});
  };
  add("masks of activations instead of their outputs", with_masks(model));
  add("frozen batch norms", with_frozen_norms(model));
  add("only the last 3 layers with weights train", with_last_layers(model, 3));
  add("only the last layer with weights trains", with_last_layers(model, 1));
  add("masks, frozen norms, the last 3 layers",
      with_last_layers(with_frozen_norms(with_masks(model)), 3));
  add("frozen weights as bytes (int8)", with_bytes(model), true);
  add("the last 3 layers train, other weights are bytes", with_bytes(with_last_layers(model, 3)),
      true);
  add("an input of half the side", with_half_input(model));
  return changes;
}

}  // namespace poet
