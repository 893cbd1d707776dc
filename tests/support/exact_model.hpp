#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "poet/model.hpp"

namespace poet {

/// A model file of version 2 with these layers, and other keys such as `"update": "buffered",`.
inline std::string exact_text(const std::string& shape, const std::string& layers,
                              const std::string& keys = "") {
  return fmt::format(R"({{"format": "poet-model", "version": 2, "name": "tiny", {}
 "input": {{"shape": {}}}, "layers": [{}]}})",
                     keys, shape, layers);
}

/// Such a model. Layers that read `w`, the output of a linear layer, have gradients to give.
inline Model exact_model(const std::string& shape, const std::string& layers,
                         const std::string& keys = "", std::int64_t batch_size = 1) {
  return parse_model(exact_text(shape, layers, keys), "tiny.json", batch_size);
}

inline int index_of(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].name == name) return static_cast<int>(i);
  }
  std::string names;
  for (const ModelNode& node : model.nodes) names += " " + node.name;
  throw std::runtime_error("no node " + name + " among" + names);
}

inline const ModelNode& node_of(const Model& model, const std::string& name) {
  return model.nodes[index_of(model, name)];
}

/// The names of a node's inputs, with blanks between.
inline std::string inputs_of(const Model& model, const std::string& name) {
  std::string names;
  for (const int input : node_of(model, name).inputs) {
    names += (names.empty() ? "" : " ") + model.nodes[input].name;
  }
  return names;
}

/// The name of the input that the node may take over; empty for none.
inline std::string over_of(const Model& model, const std::string& name) {
  const std::optional<int> over = node_of(model, name).in_place;
  return over ? model.nodes[*over].name : "";
}

}  // namespace poet
