#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/contents_of.hpp"
#include "support/exact_model.hpp"

namespace poet::test {

/// A small model file.
struct Tiny {
  std::string name;
  std::string text;
};

inline std::ostream& operator<<(std::ostream& out, const Tiny& tiny) {
  return out << tiny.name;
}

/// Every op, in models of which a gradient of parameters in front of the op tells whether its own
/// is right. The comparison with PyTorch reads them as well.
inline std::vector<Tiny> tiny_steps() {
  std::vector<Tiny> steps;
  for (const auto& model :
       nlohmann::ordered_json::parse(contents_of(POET_TEST_DATA "/tiny_steps.json"))) {
    steps.push_back({model.at("name"), model.dump()});
  }
  return steps;
}

/// The end of most models: a loss of five classes.
inline std::string classified(const std::string& layers, const std::string& last) {
  return layers + R"(, {"name": "flat", "op": "flatten", "inputs": [")" + last + R"("]},
    {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 5},
    {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 5})";
}

/// Shared parameters, a normalisation, and a learned tensor in a product.
inline std::string trained_text(const std::string& keys) {
  return exact_text("[3, 4]", R"(
    {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
    {"name": "n", "op": "batch_norm1d", "inputs": ["a"]},
    {"name": "b", "op": "linear", "inputs": ["n"], "out_features": 4, "weights": "a"},
    {"name": "p", "op": "parameter", "inputs": [], "shape": [4, 5]},
    {"name": "c", "op": "matmul", "inputs": ["b", "p"]},
    {"name": "loss", "op": "cross_entropy", "inputs": ["c"], "classes": 5})",
                    keys);
}

}  // namespace poet::test
