// Layers of which some parameters train (model/exact/train_parts.cpp), by every subset of the
// parameters of every layer of small models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "expect_input_error.hpp"
#include "model/parameters.hpp"
#include "support/exact_model.hpp"
#include "support/tiny_steps.hpp"

namespace poet::test {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::IsEmpty;

/// The parameters of a layer that could train one by one.
std::vector<std::string> tensors_of_layer(const ordered_json& layer) {
  std::vector<std::string> names;
  if (layer.contains("weights") || layer.value("frozen", false)) return names;
  for (const LayerTensor& each : tensors_of_op(layer.at("op").get<std::string>())) {
    const bool has_it = layer.value("bias", true) || !each.name.starts_with("bias");
    if (each.group != kStatistics && !each.name.empty() && has_it) names.emplace_back(each.name);
  }
  return names;
}

/// All that a node is, but for what it may be computed over.
auto facts_of(const ModelNode& node) {
  return std::tie(node.name, node.op, node.out_shape, node.parameter_count, node.flop, node.inputs,
                  node.backward, node.bytes, node.in_place, node.recompute, node.reads_parameters,
                  node.writes_parameters, node.adds_to, node.in_place_choices);
}

/// Nodes that give a gradient to some parameters, as writers or adders, or for an update.
std::int64_t trained_count(const Model& model) {
  std::set<std::string> written;
  for (const ModelNode& node : model.nodes) {
    written.insert(node.writes_parameters.begin(), node.writes_parameters.end());
  }
  std::int64_t count = 0;
  for (const Parameters& each : model.parameters) {
    EXPECT_EQ(each.is_trained, written.contains(each.name)) << each.name;
    if (each.is_trained) count += each.count;
  }
  return count;
}

/// Runs `act` with the models of every subset of the parameters of every layer, with the layer, the
/// subset, and whether it is whole.
template <typename Act>
int for_each_subset(const std::string& update, const Act& act) {
  int subsets = 0;
  for (const Tiny& tiny : tiny_steps()) {
    ordered_json document = ordered_json::parse(tiny.text);
    document["update"] = update;
    for (ordered_json& layer : document.at("layers")) {
      const std::vector<std::string> names = tensors_of_layer(layer);
      if (names.empty() || layer.contains("trainable")) continue;
      const Model whole = parse_model(document.dump(), tiny.name, 1);
      for (unsigned chosen = 1; chosen < 1U << names.size(); ++chosen) {
        std::vector<std::string> subset;
        for (std::size_t i = 0; i < names.size(); ++i) {
          if ((chosen >> i & 1U) != 0) subset.push_back(names[i]);
        }
        layer["trainable"] = subset;
        act(whole, parse_model(document.dump(), tiny.name, 1), layer,
            subset.size() == names.size());
        ++subsets;
      }
      layer.erase("trainable");
    }
  }
  return subsets;
}

TEST(TrainParts, AllParametersByNameAreTheGraphOfTheWholeLayer) {
  const int subsets = for_each_subset(
      "fused", [](const Model& whole, const Model& model, const ordered_json& layer, bool is_all) {
        if (!is_all) return;
        ASSERT_EQ(model.nodes.size(), whole.nodes.size()) << layer;
        for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
          EXPECT_EQ(facts_of(model.nodes[i]), facts_of(whole.nodes[i])) << layer;
        }
        ASSERT_EQ(model.parameters.size(), whole.parameters.size()) << layer;
      });
  EXPECT_GT(subsets, 100);
}

TEST(TrainParts, OnlyNamedParametersHaveGradients) {
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    for_each_subset(
        update, [](const Model& whole, const Model& model, const ordered_json& layer, bool is_all) {
          const std::string name = layer.at("name");
          std::int64_t left = 0;  // of this layer, in parameters of their own
          for (const Parameters& each : model.parameters) {
            if (!each.name.starts_with(name + ".") || each.is_trained) continue;
            left += each.count;
            for (const ordered_json& trained : layer.at("trainable")) {
              EXPECT_NE(each.name, name + "." + trained.get<std::string>());
            }
          }
          EXPECT_EQ(left > 0, !is_all) << layer;
          EXPECT_EQ(trained_count(model), trained_count(whole) - left) << layer;
          std::int64_t counted = 0, counted_whole = 0;
          for (const ModelNode& node : model.nodes) counted += node.parameter_count;
          for (const ModelNode& node : whole.nodes) counted_whole += node.parameter_count;
          EXPECT_EQ(counted, counted_whole) << layer;
        });
  }
}

TEST(TrainParts, ABiasAloneDoesNotKeepTheInput) {
  int seen = 0;
  for_each_subset(
      "fused", [&](const Model& whole, const Model& model, const ordered_json& layer, bool is_all) {
        const std::string name = layer.at("name"), op = layer.at("op");
        const bool follows_batches = op.starts_with("batch_norm");
        if (is_all || follows_batches || op == "gru") return;
        for (const ModelNode& node : model.nodes) {
          if (!node.name.starts_with(fmt::format("gradw({}.bias", name))) continue;
          ++seen;
          for (const int input : node.inputs) EXPECT_TRUE(model.nodes[input].backward) << layer;
          // What earlier layers of a sequence gave is added.
          const std::int64_t sums =
              static_cast<std::int64_t>(node.operands.size() - 1) * node.out_shape[0];
          EXPECT_EQ(node.flop, element_count(node.operands.front().shape) + sums) << layer;
          EXPECT_THAT(node.reads_parameters, IsEmpty());
        }
        EXPECT_LT(model.nodes.size(), whole.nodes.size() + 3) << layer;
      });
  EXPECT_GT(seen, 20);
}

TEST(TrainParts, AWeightAloneCostsNoSumForTheBias) {
  const Model model = exact_model("[2, 3]", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4, "trainable": ["weight"]},
      {"name": "n", "op": "layer_norm", "inputs": ["a"], "trainable": ["weight"]},
      {"name": "loss", "op": "mse", "inputs": ["n"]})");
  EXPECT_EQ(node_of(model, "gradw(a.weight)").flop, 2 * 2 * 3 * 4);
  EXPECT_EQ(inputs_of(model, "gradw(a.weight)"), "input grad(a)");
  EXPECT_THAT(node_of(model, "grad(a)").writes_parameters, testing::ElementsAre("n.weight"));
}

TEST(TrainParts, TheOwnerOfSharedParametersSaysWhichTrain) {
  const Model model = exact_model("[2, 4]", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4, "trainable": ["bias"]},
      {"name": "t", "op": "tanh", "inputs": ["a"]},
      {"name": "b", "op": "linear", "inputs": ["t"], "out_features": 4, "weights": "a"},
      {"name": "c", "op": "linear", "inputs": ["b"], "out_features": 4, "weights": "b"},
      {"name": "loss", "op": "mse", "inputs": ["c"]})");
  EXPECT_EQ(inputs_of(model, "gradw(a.bias by c)"), "grad(c)");
  EXPECT_EQ(inputs_of(model, "gradw(a.bias by b)"), "gradw(a.bias by c) grad(b)");
  EXPECT_EQ(inputs_of(model, "gradw(a.bias)"), "gradw(a.bias by b) grad(a)");
  EXPECT_EQ(trained_count(model), 4);
}

TEST(TrainParts, NamesThatNoParameterHasAreErrorsWithTheirPlace) {
  const auto error = [](const std::string& layer) {
    return input_error([&] {
      exact_model("[2, 3, 4]",
                  R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
          {"name": "b", "inputs": ["a"], )" +
                      layer + R"(}, {"name": "loss", "op": "mse", "inputs": ["b"]})");
    });
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("op": "linear", "out_features": 4, "trainable": ["gamma"])",
       "/layers/1/trainable/0: found 'gamma'; expected weight or bias"},
      {R"("op": "linear", "out_features": 4, "bias": false, "trainable": ["weight", "bias"])",
       "/layers/1/trainable/1: found 'bias'; expected weight"},
      {R"("op": "linear", "out_features": 4, "trainable": ["bias", "bias"])",
       "/layers/1/trainable/1: found 'bias' again; expected it once"},
      {R"("op": "linear", "out_features": 4, "trainable": [])",
       "/layers/1/trainable: found an array of 0, expected false, or at least one tensor that "
       "trains"},
      {R"("op": "linear", "out_features": 4, "trainable": "bias")",
       "/layers/1/trainable: found a string (\"bias\"), expected true, false or a list of the "
       "tensors that "
       "train"},
      {R"("op": "relu", "trainable": ["weight"])",
       "/layers/1/trainable/0: found 'weight'; expected true or false for this relu"},
      {R"("op": "batch_norm1d", "frozen": true, "trainable": ["bias"])",
       "/layers/1/trainable/0: found 'bias'; expected true or false for this batch_norm1d"},
      {R"("op": "linear", "out_features": 4, "weights": "a", "trainable": ["bias"])",
       "/layers/1: \"trainable\": found a list beside \"weights\"; expected it in the layer"},
      {R"("op": "linear", "out_features": 4, "frozen_weights": "int8", "trainable": ["bias"])",
       "/layers/1: \"frozen_weights\": found in a layer that is trained"},
      {R"("op": "linear", "out_features": 4, "frozen_parameters": "copied", "trainable": ["bias"])",
       "/layers/1: \"frozen_parameters\": found in a layer that is trained"}};
  for (const auto& [layer, message] : cases) EXPECT_THAT(error(layer), HasSubstr(message)) << layer;
}

}  // namespace
}  // namespace poet::test
