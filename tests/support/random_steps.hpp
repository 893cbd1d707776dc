#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "solver/search/position.hpp"
#include "support/exact_model.hpp"

namespace poet::test {

/// Draws model files: layers that read each other at random, with parameters that several of them
/// share, learned tensors, dropout, frozen layers, whose parameters may be copied, several losses,
/// and layers that are computed once, not paged or need workspace. All tensors of the forward pass
/// are 2 x 4, so that everything fits everything.
class StepDrawer {
 public:
  explicit StepDrawer(Random& random) : random_(random) {}

  std::string draw() {
    const int layers = 3 + random_.below(9);
    for (int l = 0; l < layers; ++l) add_layer();
    add_loss(tensors_.back());
    for (int more = random_.below(3); more > 0; --more) add_loss(any());
    return exact_text("[2, 4]", layers_, keys());
  }

 private:
  bool one_in(int count) { return random_.below(count) == 0; }

  template <typename List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(random_.below(static_cast<int>(list.size())))];
  }

  /// A tensor, late ones more often.
  std::string any() {
    const int size = static_cast<int>(tensors_.size());
    return tensors_[std::max(random_.below(size), random_.below(size))];
  }

  std::string keys() {
    constexpr std::array kUpdates = {"fused", "buffered", "accumulate"};
    constexpr std::array kOptimizers = {"sgd", "momentum", "adam"};
    return fmt::format(
        R"("update": "{}", "optimizer": "{}",
           "inputs": {{"side": {{"shape": [2, 4], "repeatable": {}}}, "wanted": {{"shape": [2, 4]}}}},)",
        pick(kUpdates), pick(kOptimizers), one_in(2));
  }

  void add(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
           std::string rest = "") {
    std::string list;
    for (const std::string& input : inputs) {
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", input);
    }
    layers_ += fmt::format(R"({}{{"name": "{}", "op": "{}", "inputs": [{}]{}}})",
                           layers_.empty() ? "" : ",\n", name, op, list, rest);
  }

  /// What any layer with a tensor may say.
  std::string memory_keys() {
    std::string keys;
    if (one_in(6)) keys += R"(, "recompute": false)";
    if (one_in(8)) keys += R"(, "page": false)";
    if (one_in(6)) keys += R"(, "workspace_bytes": 40)";
    return keys;
  }

  void add_tensor(const std::string& op, const std::vector<std::string>& inputs,
                  const std::string& rest = "") {
    const std::string name = fmt::format("l{}", ++count_);
    add(name, op, inputs, rest + memory_keys());
    tensors_.push_back(name);
  }

  /// A layer with parameters: its own, which it may freeze, or those of an earlier one.
  void add_trained(const std::string& op, std::vector<std::string>& owners,
                   const std::string& rest = "") {
    if (!owners.empty() && one_in(2)) {
      return add_tensor(op, {any()}, rest + fmt::format(R"(, "weights": "{}")", pick(owners)));
    }
    owners.push_back(fmt::format("l{}", count_ + 1));
    add_tensor(op, {any()}, rest + (one_in(8) ? frozen_keys() : ""));
  }

  std::string frozen_keys() {
    const char* const copied = one_in(2) ? R"(, "frozen_parameters": "copied")" : "";
    return fmt::format(R"(, "trainable": false{})", copied);
  }

  std::string learned(const char* shape) {
    std::string name = fmt::format("p{}", ++count_);
    add(name, "parameter", {}, fmt::format(R"(, "shape": {})", shape));
    return name;
  }

  void add_binary() {
    constexpr std::array kOps = {"add", "add", "sub", "mul", "div"};
    const std::string first = any();
    const std::string second = any();
    if (first != second) add_tensor(pick(kOps), {first, second});
  }

  void add_layer() {
    constexpr std::array kMaps = {"relu", "gelu", "tanh", "silu", "softmax", "dropout"};
    switch (random_.below(10)) {
      case 0:
      case 1:
      case 2:
        return add_trained("linear", linears_, R"(, "out_features": 4)");
      case 3:
        return add_trained("layer_norm", norms_);
      case 4:
      case 5:
        return add_binary();
      case 6: {
        const std::string weights = learned("[4, 4]");
        return add_tensor("matmul", {any(), weights});
      }
      case 7: {
        const std::string scale = learned("[2, 4]");
        return add_tensor(one_in(2) ? "mul" : "add", {any(), scale});
      }
      default:
        return add_tensor(pick(kMaps), {any()});
    }
  }

  void add_loss(const std::string& of) {
    add(fmt::format("loss{}", ++count_), "mse", {of}, one_in(3) ? R"(, "target": "wanted")" : "");
  }

  Random& random_;
  std::vector<std::string> tensors_{"input", "side"};
  std::vector<std::string> linears_;  // that own their parameters
  std::vector<std::string> norms_;
  std::string layers_;
  int count_ = 0;
};

inline std::string random_step(Random& random) {
  return StepDrawer(random).draw();
}

}  // namespace poet::test
