#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "golden/reference.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

std::string our_op(const std::string& reference_op) {
  static const std::map<std::string, std::string> names = {
      {"InputLayer", "input"},
      {"Conv2dLayer", "conv2d"},
      {"BatchNorm2d", "batch_norm2d"},
      {"ReLULayer", "relu"},
      {"DropoutLayer", "dropout"},
      {"FlattenLayer", "flatten"},
      {"SkipAddLayer", "add"},
      {"MaxPool2d", "max_pool2d"},
      {"AvgPool2d", "avg_pool2d"},
      {"LinearLayer", "linear"},
      {"LinearLayerReLU", "linear_relu"},
      {"CrossEntropyLoss", "cross_entropy_loss"},
      {"QueryKeyValueMatrix", "attention_qkv"},
      {"QKTMatrix", "attention_scores"},
      {"QKTVMatrix", "attention_context"},
      {"GradientLayer", "gradient"},
  };
  return names.at(reference_op);
}

class BuiltinModel : public testing::TestWithParam<std::string> {};

TEST_P(BuiltinModel, IsThePublishedGraphNodeForNode) {
  const Model model = load_model(GetParam());
  const Platform platform = load_platform("m0");
  const Graph graph = cost_graph(model, &platform);
  const nlohmann::json nodes = reference("graphs/" + GetParam() + ".json").at("nodes");
  ASSERT_EQ(model.nodes.size(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    SCOPED_TRACE("node " + std::to_string(i) + " " + model.nodes[i].name);
    const nlohmann::json& expected = nodes[i];
    const ModelNode& node = model.nodes[i];
    EXPECT_EQ(node.op, our_op(expected.at("op")));
    EXPECT_EQ(node.out_shape, expected.at("out_shape").get<Shape>());
    EXPECT_EQ(node.flop, expected.at("flop").get<std::int64_t>());
    EXPECT_EQ(node.parameter_count, expected.at("param_count").get<std::int64_t>());
    EXPECT_EQ(node.inputs, expected.at("inputs").get<std::vector<int>>());
    EXPECT_EQ(node.backward, expected.at("backward").get<bool>());
    EXPECT_EQ(graph.nodes[i].bytes, expected.at("ram_bytes").get<Bytes>());
  }
}

TEST_P(BuiltinModel, IsNamedLikeItsFileAndItsNodesAreAllNamedApart) {
  const Model model = load_model(GetParam());
  EXPECT_EQ(model.name, GetParam());
  EXPECT_EQ(model.source, "built-in");
  EXPECT_EQ(model.backward, Backward::poet_chain);
  std::set<std::string> names;
  for (const ModelNode& node : model.nodes) names.insert(node.name);
  EXPECT_EQ(names.size(), model.nodes.size());
}

/// The models that POET published.
std::vector<std::string> poet_models() {
  return {"bert",     "linear",      "resnet18", "resnet18_cifar",
          "resnet50", "transformer", "vgg16",    "vgg16_cifar"};
}

TEST(BuiltinModels, HaveAReferenceIfTheirBackwardPassIsPoets) {
  std::vector<std::string> models;
  for (const std::string& name : builtin_models()) {
    if (load_model(name).backward == Backward::poet_chain) models.push_back(name);
  }
  EXPECT_EQ(models, poet_models());
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinModel, testing::ValuesIn(poet_models()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace poet
