#include "poet/model.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "expect_input_error.hpp"
#include "model/model_spec.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A model file with this input shape and these layers.
std::string model_text(const std::string& shape, const std::string& layers,
                       const std::string& backward = "none") {
  return fmt::format(R"({{"format": "poet-model", "version": 1, "name": "tiny",
      "backward": "{}", "input": {{"shape": {}}}, "layers": [{}]}})",
                     backward, shape, layers);
}

/// The node of a single layer on an input of this shape.
ModelNode layer(const std::string& shape, const std::string& op_and_attributes) {
  const std::string text = model_text(
      shape, fmt::format(R"({{"name": "x", "inputs": ["input"], "op": {}}})", op_and_attributes));
  return parse_model(text, "tiny.json").nodes.at(1);
}

TEST(Layers, Conv2dCountsTheInputsExtentInItsFlops) {
  const ModelNode node = layer("[2, 3, 9, 7]", R"("conv2d", "out_channels": 5, "kernel": [3, 2],
                                                "stride": 2, "padding": [1, 0])");
  EXPECT_THAT(node.out_shape, ElementsAre(2, 5, 5, 3));
  EXPECT_EQ(node.parameter_count, 5 * 3 * 3 * 2 + 5);
  EXPECT_EQ(node.flop, 2 * 3 * 2 * (2 * 3 * 9 * 7) * 5 + 2 * 5 * 5 * 3);
}

TEST(Layers, OneNumberStandsForBothSidesAndStrideAndPaddingHaveDefaults) {
  const ModelNode node = layer("[1, 3, 9, 7]", R"("conv2d", "out_channels": 5, "kernel": 3)");
  EXPECT_THAT(node.out_shape, ElementsAre(1, 5, 7, 5));
}

TEST(Layers, PoolsCountTheirWindows) {
  const ModelNode node = layer("[1, 3, 9, 7]", R"("max_pool2d", "kernel": [3, 2], "stride": 2)");
  EXPECT_THAT(node.out_shape, ElementsAre(1, 3, 4, 3));
  EXPECT_EQ(node.flop, 2 * 3 * 2 * (3 * 4 * 3));
  EXPECT_EQ(layer("[1, 3, 9, 7]", R"("avg_pool2d", "kernel": [3, 2], "stride": 2)").flop,
            node.flop);
}

TEST(Layers, GlobalAvgPoolKeepsBatchAndChannels) {
  const ModelNode node = layer("[2, 3, 4, 5]", R"("global_avg_pool")");
  EXPECT_THAT(node.out_shape, ElementsAre(2, 3));
  EXPECT_EQ(node.flop, 2 * 2 * 3 * 4 * 5);
}

TEST(Layers, ActivationsKeepTheShape) {
  EXPECT_EQ(layer("[2, 3]", R"("relu")").flop, 6);
  EXPECT_EQ(layer("[2, 3]", R"("dropout")").flop, 6);
  EXPECT_EQ(layer("[2, 3]", R"("sigmoid")").flop, 4 * 6);
  EXPECT_EQ(layer("[2, 3]", R"("tanh")").flop, 100 * 6);
  EXPECT_THAT(layer("[2, 3]", R"("tanh")").out_shape, ElementsAre(2, 3));
}

TEST(Layers, BatchNormHasFourParametersAChannel) {
  const ModelNode node = layer("[2, 3, 4, 5]", R"("batch_norm2d")");
  EXPECT_EQ(node.parameter_count, 12);
  EXPECT_EQ(node.flop, 2 * 120);
}

TEST(Layers, FlattenKeepsTheFirstExtent) {
  EXPECT_THAT(layer("[2, 3, 4, 5]", R"("flatten")").out_shape, ElementsAre(2, 60));
}

TEST(Layers, LinearDoesNotMultiplyItsFlopsByTheRows) {
  const ModelNode node = layer("[7, 3]", R"("linear", "out_features": 5)");
  EXPECT_THAT(node.out_shape, ElementsAre(7, 5));
  EXPECT_EQ(node.parameter_count, 4 * 5);
  EXPECT_EQ(node.flop, 2 * 20 + 5);
  EXPECT_EQ(layer("[7, 3]", R"("linear_relu", "out_features": 5)").flop, 2 * 20 + 5 + 7 * 5);
}

TEST(Layers, LossHasTheShapeOfItsClasses) {
  const ModelNode node = layer("[7, 3]", R"("cross_entropy_loss", "classes": 3)");
  EXPECT_THAT(node.out_shape, ElementsAre(3));
  EXPECT_EQ(node.flop, 7 * 3 * 3);
}

TEST(Layers, AddOfOneTensorToItselfIsOneEdge) {
  const std::string text =
      model_text("[4]", R"({"name": "sum", "op": "add", "inputs": ["input", "input"]})");
  EXPECT_THAT(parse_model(text, "tiny.json").nodes.at(1).inputs, ElementsAre(0));
}

TEST(Batch, ScalesShapesAndFlopsAsTheFormulasSay) {
  const Model model = load_model("resnet18_cifar", 4);
  const auto find = [&](const std::string& name) {
    for (const ModelNode& node : model.nodes) {
      if (node.name == name) return node;
    }
    return ModelNode{};
  };
  EXPECT_EQ(model.batch_size, 4);
  EXPECT_THAT(find("input").out_shape, ElementsAre(4, 3, 32, 32));
  const ModelNode conv = find("conv1");
  EXPECT_THAT(conv.out_shape, ElementsAre(4, 16, 32, 32));
  EXPECT_EQ(conv.flop, 2 * 9 * (4 * 3 * 32 * 32) * 16 + 4 * 16 * 32 * 32);
  EXPECT_EQ(conv.parameter_count, 448);
  EXPECT_THAT(find("block3.conv1").out_shape, ElementsAre(4, 32, 16, 16));
  const ModelNode dense = find("fc");
  EXPECT_THAT(dense.out_shape, ElementsAre(4, 10));
  EXPECT_EQ(dense.flop, 2 * 65 * 10 + 10);  // the rows do not count
  EXPECT_THAT(find("loss").out_shape, ElementsAre(10));
  EXPECT_EQ(find("loss").flop, 4 * 10 * 10);
  EXPECT_EQ(find("grad(loss)").flop, 2 * dense.flop);
}

TEST(Batch, IsRefusedWhereItMeansNothing) {
  EXPECT_THAT(input_error([] { load_model("bert", 2); }), HasSubstr("no batch dimension"));
  EXPECT_THAT(input_error([] { load_model("linear", 0); }), HasSubstr("expected at least 1"));
  EXPECT_THROW(load_model("linear", -3), InputError);
  EXPECT_NO_THROW(load_model("bert", 1));
  EXPECT_THROW(load_model("linear", std::int64_t{1} << 60U), InputError);
}

TEST(Backward, IsAChainInListOrder) {
  const std::string layers = R"js({"name": "a", "op": "sigmoid", "inputs": ["input"]},
                                  {"name": "grad(a)", "op": "relu", "inputs": ["a"]})js";
  const Model model = parse_model(model_text("[2, 3]", layers, "poet-chain"), "tiny.json");
  ASSERT_EQ(model.nodes.size(), 5U);
  EXPECT_EQ(model.nodes[3].name, "grad(grad(a))");
  EXPECT_THAT(model.nodes[3].inputs, ElementsAre(1, 2));
  EXPECT_EQ(model.nodes[3].flop, 2 * 4 * 6);
  EXPECT_EQ(model.nodes[4].name, "grad(a)'");  // the layer above has the plain name
  EXPECT_THAT(model.nodes[4].inputs, ElementsAre(0, 1, 3));
  EXPECT_EQ(model.nodes[4].flop, 0);
  EXPECT_TRUE(model.nodes[4].backward);
}

TEST(Backward, CanBeNone) {
  const Model model =
      parse_model(model_text("[2]", R"({"name": "a", "op": "relu", "inputs": ["input"]})"), "t");
  EXPECT_EQ(model.nodes.size(), 2U);
  EXPECT_EQ(model.backward, Backward::none);
}

TEST(MeasuredGraph, KeepsWhatTheFileSays) {
  const Model model =
      parse_model(R"({"format": "poet-model", "version": 1, "name": "own", "nodes": [
      {"name": "a", "bytes": 8, "runtime_seconds": 0.5, "energy_joules": 2, "inputs": []},
      {"name": "b", "op": "fft", "bytes": 16, "runtime_seconds": 1, "energy_joules": 3,
       "page_in_energy_joules": 0.25, "page_out_energy_joules": 0.75,
       "inputs": ["a", "a"], "backward": true}]})",
                  "own.json");
  EXPECT_EQ(model.backward, Backward::explicit_nodes);
  ASSERT_EQ(model.nodes.size(), 2U);
  EXPECT_FALSE(model.nodes[0].measured->page_in_energy_joules.has_value());
  EXPECT_EQ(model.nodes[1].op, "fft");
  EXPECT_EQ(model.nodes[1].measured->page_out_energy_joules, 0.75);
  EXPECT_THAT(model.nodes[1].inputs, ElementsAre(0));
  EXPECT_TRUE(model.nodes[1].backward);
}

TEST(MeasuredGraph, RefusesOtherBatchSizes) {
  EXPECT_THAT(input_error([] {
                parse_model(R"({"format": "poet-model", "version": 1, "name": "own", "nodes": [
      {"name": "a", "bytes": 8, "runtime_seconds": 0.5, "energy_joules": 2, "inputs": []}]})",
                            "own.json", 2);
              }),
              HasSubstr("measured costs"));
}

TEST(Sizes, AMillionLayersAreRefusedByTheirNumber) {
  std::string layers = "{}";
  for (int i = 1; i < 1'000'000; ++i) layers += ",{}";
  EXPECT_THAT(input_error([&] { parse_model(model_text("[2]", layers), "t.json"); }),
              HasSubstr("/layers: found an array of 1000000, expected at most 100000 entries"));
}

TEST(Sizes, TheBackwardPassCountsToo) {
  std::string layers;
  for (int i = 0; i < 60'000; ++i) {
    layers += fmt::format(R"({}{{"name": "l{}", "op": "relu", "inputs": ["input"]}})",
                          i == 0 ? "" : ",", i);
  }
  EXPECT_NO_THROW(parse_model(model_text("[2]", layers), "t.json"));
  EXPECT_THAT(input_error([&] { parse_model(model_text("[2]", layers, "poet-chain"), "t.json"); }),
              HasSubstr("more than 100000 nodes"));
}

TEST(LoadModel, NamesTheBuiltInThatWasMeant) {
  EXPECT_EQ(input_error([] { load_model("resnet18_cifr"); }),
            "unknown model 'resnet18_cifr'; did you mean 'resnet18_cifar'? (--list-models shows "
            "all)");
  EXPECT_EQ(input_error([] { load_model("alexnet"); }),
            "unknown model 'alexnet' (--list-models shows all)");
}

TEST(LoadModel, TakesAPathForAPath) {
  EXPECT_THAT(input_error([] { load_model("linear.json"); }), HasSubstr("No such file"));
  EXPECT_THAT(input_error([] { load_model("./linear"); }), HasSubstr("No such file"));
}

TEST(LoadModel, HashesTheFileAsItLiesOnDisk) {
  const std::string path = std::string(POET_TEST_DATA) + "/../../models/linear.json";
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(load_model("linear").sha256, sha256_hex(bytes));
  EXPECT_EQ(load_model(path).sha256, load_model("linear").sha256);
  EXPECT_EQ(load_model(path).source, path);
}

}  // namespace
}  // namespace poet
