// The built-in models as training steps that are computed as they are. The figures are those of an
// independent prototype of the same rules, in another language.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"

namespace poet {
namespace {

struct ExactFigures {
  std::string model;
  int nodes, edges;
  Bytes peak_bytes, smallest_bytes;
  Joules joules;  ///< on m4, by FLOP counts that leave biases and some element-wise work out
};

void PrintTo(const ExactFigures& figures, std::ostream* out) {
  *out << figures.model;
}

class ExactModel : public testing::TestWithParam<ExactFigures> {};

TEST_P(ExactModel, HasTheKnownNodesEdgesAndBytes) {
  const ExactFigures& expected = GetParam();
  const Platform platform = load_platform("m4");
  const Model model = load_model(expected.model, 1, Backward::exact);
  const Graph graph = cost_graph(model, &platform);
  const int edges = std::accumulate(
      graph.nodes.begin(), graph.nodes.end(), 0,
      [](int sum, const Node& node) { return sum + static_cast<int>(node.inputs.size()); });
  EXPECT_EQ(graph.size(), expected.nodes);
  EXPECT_EQ(edges, expected.edges);
  const Baseline base = baseline(graph);
  EXPECT_EQ(base.peak_ram_bytes, expected.peak_bytes);
  EXPECT_EQ(working_set(graph).bytes, expected.smallest_bytes);
  EXPECT_NEAR(base.energy_joules, expected.joules, 0.01 * expected.joules);
}

TEST_P(ExactModel, WritesEachParameterOnceAndReadsItBefore) {
  const Model model = load_model(GetParam().model, 1, Backward::exact);
  ASSERT_FALSE(model.parameters.empty());
  for (const Parameters& parameters : model.parameters) {
    int writers = 0;
    for (const ModelNode& node : model.nodes) {
      const auto is_ours = [&](const std::string& name) { return name == parameters.name; };
      const bool reads =
          std::any_of(node.reads_parameters.begin(), node.reads_parameters.end(), is_ours);
      EXPECT_TRUE(!reads || writers == 0) << node.name << " reads " << parameters.name;
      writers += static_cast<int>(
          std::count_if(node.writes_parameters.begin(), node.writes_parameters.end(), is_ours));
    }
    EXPECT_EQ(writers, 1) << parameters.name;
    EXPECT_TRUE(parameters.is_trained);
  }
}

INSTANTIATE_TEST_SUITE_P(
    BuiltIn, ExactModel,
    testing::Values(ExactFigures{"linear", 32, 44, 5696, 3176, 0.000421},
                    ExactFigures{"vgg16_cifar", 99, 135, 1356328, 786432, 3.431},
                    ExactFigures{"resnet18_cifar", 150, 219, 1536256, 196608, 0.3996},
                    ExactFigures{"resnet18", 143, 211, 16698688, 6422528, 18.07},
                    ExactFigures{"resnet50", 399, 579, 70400320, 6969600, 35.85},
                    ExactFigures{"transformer", 22, 36, 37748736, 36175872, 38.59},
                    ExactFigures{"bert", 253, 432, 350748672, 36175872, 497.4}),
    [](const auto& instance) { return instance.param.model; });

struct PublishedCount {
  std::string model;
  std::int64_t parameters;
  std::int64_t rounding = 0;  ///< of the published figure
};

void PrintTo(const PublishedCount& count, std::ostream* out) {
  *out << count.model;
}

class PublishedModel : public testing::TestWithParam<PublishedCount> {};

TEST_P(PublishedModel, HasTheParametersOfItsPublication) {
  const Model model = load_model(GetParam().model);
  EXPECT_EQ(model.name, GetParam().model);
  EXPECT_EQ(model.backward, Backward::exact);
  const std::int64_t count = std::accumulate(
      model.nodes.begin(), model.nodes.end(), std::int64_t{0},
      [](std::int64_t sum, const ModelNode& node) { return sum + node.parameter_count; });
  EXPECT_NEAR(static_cast<double>(count), static_cast<double>(GetParam().parameters),
              static_cast<double>(GetParam().rounding));
  std::int64_t listed = 0;
  for (const Parameters& parameters : model.parameters) listed += parameters.count;
  EXPECT_EQ(listed, count);
}

// docs/model-format.md has the sources. Running statistics of normalisations are no parameters.
INSTANTIATE_TEST_SUITE_P(BuiltIn, PublishedModel,
                         testing::Values(PublishedCount{"mobilenet_v2_100_224", 3504872},
                                         PublishedCount{"mobilenet_v2_035_96", 1660000, 20000},
                                         PublishedCount{"mobilenet_v2_035_128", 1660000, 20000},
                                         PublishedCount{"mobilenet_v2_035_224", 1660000, 20000},
                                         PublishedCount{"mcunet_vww", 430000, 5000},
                                         PublishedCount{"ds_cnn", 24908 - 9 * 2 * 64},
                                         PublishedCount{"unet_small", 7763041},
                                         PublishedCount{"vit_tiny", 5717416},
                                         PublishedCount{"gpt2_tiny", 10646784 + 256 * 384}),
                         [](const auto& instance) { return instance.param.model; });

}  // namespace
}  // namespace poet
