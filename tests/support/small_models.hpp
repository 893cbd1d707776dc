#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/contents_of.hpp"

namespace poet::test {

/// A model file in parts.
struct SmallModel {
  std::string name;
  std::string inputs;
  std::string layers;
};

inline void PrintTo(const SmallModel& model, std::ostream* out) {
  *out << model.name;
}

/// Small models with all ops of model files, each with all kinds of updates: images, activations
/// whose inputs have both signs, sequences, signals, and learned tensors in every place, with
/// parameters that several layers use or only some may change.
inline std::vector<SmallModel> small_models() {
  const auto file = nlohmann::ordered_json::parse(contents_of(POET_TEST_DATA "/small_models.json"));
  // What stands between the brackets.
  const auto members = [](const nlohmann::ordered_json& of) {
    const std::string text = of.dump();
    return text.substr(1, text.size() - 2);
  };
  std::vector<SmallModel> all;
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    for (const auto& [name, model] : file.items()) {
      all.push_back({fmt::format("{}_{}", name, update),
                     fmt::format(R"("update": "{}", {},)", update, members(model.at("inputs"))),
                     members(model.at("layers"))});
    }
  }
  return all;
}

/// The model file.
inline std::string text_of(const SmallModel& model) {
  return fmt::format(R"({{"format": "poet-model", "version": 2, "name": "{}", {} "layers": [{}]}})",
                     model.name, model.inputs, model.layers);
}

}  // namespace poet::test
