#pragma once

#include <cstddef>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace poet::test {

/// The model file with every second layer that has parameters frozen, and these parameters copied
/// before they are used: the first, third, ... for `from` = 0, the others for 1.
inline nlohmann::json with_copies(const std::string& text, std::size_t from) {
  static const std::set<std::string> kOps = {
      "conv1d",       "conv2d",     "conv_transpose2d", "linear", "linear_relu", "batch_norm1d",
      "batch_norm2d", "layer_norm", "group_norm",       "prelu",  "embedding",   "parameter",
      "lstm",         "gru",        "attention_qkv",    "custom"};
  nlohmann::json model = nlohmann::json::parse(text);
  std::size_t count = 0;
  for (nlohmann::json& layer : model.at("layers")) {
    if (!kOps.contains(layer.at("op").get<std::string>()) || layer.contains("weights")) continue;
    if (layer.at("op") == "custom" && layer.value("parameters", 0) == 0) continue;
    if (count++ % 2 != from) continue;
    layer["trainable"] = false;
    layer["frozen_parameters"] = "copied";
  }
  return model;
}

/// The same model with the frozen layers read in place.
inline nlohmann::json without_copies(nlohmann::json model) {
  for (nlohmann::json& layer : model.at("layers")) layer.erase("frozen_parameters");
  return model;
}

}  // namespace poet::test
