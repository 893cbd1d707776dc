// How layers become one graph: order, sums of gradients, updates, shared and frozen parameters,
// inputs, in place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "expect_input_error.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "support/exact_model.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> backward_names(const Model& model) {
  std::vector<std::string> names;
  for (const ModelNode& node : model.nodes) {
    if (node.backward) names.push_back(node.name);
  }
  return names;
}

const std::string kTwoLayers =
    R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
       {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 3},
       {"name": "loss", "op": "mse", "inputs": ["b"]})";

TEST(ExactGraph, AFusedUpdateComesAfterWhatReadsTheParameters) {
  const Model model = exact_model("[1, 3]", kTwoLayers);
  EXPECT_THAT(backward_names(model), ElementsAre("grad(b)", "grad(a)", "gradw(b)", "gradw(a)"));
  EXPECT_EQ(model.update, Update::fused);
}

TEST(ExactGraph, ABufferedUpdateLetsTheInputGoFirst) {
  const Model model = exact_model("[1, 3]", kTwoLayers, R"("update": "buffered",)");
  EXPECT_THAT(backward_names(model),
              ElementsAre("grad(b)", "gradw(b)", "grad(a)", "update(b)", "gradw(a)", "update(a)"));
  EXPECT_FALSE(node_of(model, "gradw(b)").bytes) << "as many as the parameters, on any platform";
  EXPECT_EQ(node_of(model, "gradw(b)").out_shape, (Shape{12}));
  EXPECT_THAT(node_of(model, "gradw(b)").writes_parameters, IsEmpty());
  EXPECT_EQ(inputs_of(model, "update(b)"), "gradw(b)");
  EXPECT_EQ(node_of(model, "update(b)").bytes, 0);
  EXPECT_EQ(node_of(model, "update(b)").flop, 2 * 12);
  EXPECT_THAT(node_of(model, "update(b)").writes_parameters, ElementsAre("b"));
}

TEST(ExactGraph, AccumulatedGradientsAreNoTensorsOfTheStep) {
  const Model model =
      exact_model("[1, 3]", kTwoLayers, R"("update": "accumulate", "optimizer": "adam",)");
  EXPECT_THAT(backward_names(model),
              ElementsAre("grad(b)", "gradw(b)", "grad(a)", "gradw(a)", "update(b)", "update(a)"));
  EXPECT_EQ(node_of(model, "gradw(b)").bytes, 0);
  EXPECT_FALSE(node_of(model, "gradw(b)").recompute) << "it would be added twice";
  EXPECT_EQ(node_of(model, "update(b)").flop, 12 * 12);
}

TEST(ExactGraph, OptimizersCostTheirFlops) {
  const std::int64_t product = 2 * 3 * 3 + 3;
  const auto flop = [](const std::string& optimizer) {
    const Model model =
        exact_model("[1, 3]", kTwoLayers, fmt::format(R"("optimizer": "{}",)", optimizer));
    return node_of(model, "gradw(b)").flop;
  };
  EXPECT_EQ(flop("sgd"), product) << "its products are added to the parameters themselves";
  EXPECT_EQ(flop("momentum"), product + 4 * 12);
  EXPECT_EQ(flop("adam"), product + 12 * 12);
}

TEST(ExactGraph, GradientsOfOneTensorAddUpInTheOrderInWhichTheyArise) {
  const Model model = exact_model(
      "[1, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
                   {"name": "b", "op": "tanh", "inputs": ["a"]},
                   {"name": "c", "op": "gelu", "inputs": ["a"]},
                   {"name": "d", "op": "mul", "inputs": ["b", "c"]},
                   {"name": "e", "op": "sub", "inputs": ["d", "a"]},
                   {"name": "loss", "op": "mse", "inputs": ["e"]})");
  EXPECT_THAT(backward_names(model),
              ElementsAre("grad(e)", "grad(a by e)", "grad(c)", "grad(b)", "grad(a by c)",
                          "accumulate(a by c)", "grad(a by b)", "accumulate(a by b)", "gradw(a)"));
  EXPECT_EQ(inputs_of(model, "accumulate(a by b)"), "accumulate(a by c) grad(a by b)");
  EXPECT_EQ(over_of(model, "accumulate(a by b)"), "accumulate(a by c)");
  EXPECT_EQ(inputs_of(model, "gradw(a)"), "input accumulate(a by b)");
}

TEST(ExactGraph, FrozenLayersHaveNoWeightGradientsAndNothingGoesBelowTheLastTrainable) {
  const auto layers = [](const char* a, const char* b) {
    return fmt::format(
        R"({{"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3, "trainable": {}}},
           {{"name": "r", "op": "relu", "inputs": ["a"]}},
           {{"name": "b", "op": "linear", "inputs": ["r"], "out_features": 3, "trainable": {}}},
           {{"name": "loss", "op": "mse", "inputs": ["b"]}})",
        a, b);
  };
  EXPECT_THAT(backward_names(exact_model("[1, 3]", layers("false", "true"))),
              ElementsAre("grad(b)", "gradw(b)"));
  EXPECT_THAT(backward_names(exact_model("[1, 3]", layers("true", "false"))),
              ElementsAre("grad(b)", "grad(r)", "grad(a)", "gradw(a)"));
  EXPECT_THAT(backward_names(exact_model("[1, 3]", layers("false", "false"))), IsEmpty());
  const Model frozen = exact_model("[1, 3]", layers("false", "true"));
  ASSERT_EQ(frozen.parameters.size(), 2U);
  EXPECT_FALSE(frozen.parameters[0].is_trained);
  EXPECT_TRUE(frozen.parameters[1].is_trained);
}

constexpr const char* kCopied = R"(, "trainable": false, "frozen_parameters": "copied")";

TEST(ExactGraph, FrozenParametersMayBeCopiedByANodeOfTheirOwn) {
  const auto layers = [](const char* of_b) {
    return fmt::format(
        R"({{"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3}},
           {{"name": "b", "op": "linear", "inputs": ["a"], "out_features": 5, "page": false,
             "recompute": false, "workspace_bytes": 8{}}},
           {{"name": "loss", "op": "mse", "inputs": ["b"]}})",
        of_b);
  };
  const Model model = exact_model("[1, 3]", layers(kCopied));
  const ModelNode& copy = node_of(model, "copy(b)");
  EXPECT_EQ(copy.op, "copy");
  EXPECT_EQ(copy.out_shape, Shape{3 * 5 + 5});
  EXPECT_EQ(copy.parameter_count, 3 * 5 + 5);
  EXPECT_EQ(copy.flop, 0);
  EXPECT_TRUE(copy.recompute && copy.page && !copy.backward);
  EXPECT_EQ(copy.workspace_bytes, 0);
  EXPECT_THAT(copy.inputs, IsEmpty());
  EXPECT_THAT(copy.reads_parameters, ElementsAre("b"));
  EXPECT_EQ(index_of(model, "copy(b)") + 1, index_of(model, "b"));
  EXPECT_EQ(inputs_of(model, "b"), "a copy(b)");
  EXPECT_EQ(inputs_of(model, "grad(a)"), "copy(b) grad(b)");
  for (const ModelNode& node : model.nodes) {
    const bool reads_b =
        std::count(node.reads_parameters.begin(), node.reads_parameters.end(), "b");
    EXPECT_EQ(reads_b, node.name == "copy(b)") << node.name;
  }
  // The same parameters, the same nodes but for the copy.
  const Model in_place = exact_model("[1, 3]", layers(R"(, "trainable": false)"));
  EXPECT_EQ(in_place.nodes.size() + 1, model.nodes.size());
  EXPECT_THAT(node_of(in_place, "grad(a)").reads_parameters, ElementsAre("b"));
  EXPECT_EQ(in_place.parameters.size(), model.parameters.size());
  const Model stated = exact_model("[1, 3]", layers(R"(, "trainable": false,
                                                       "frozen_parameters": "in_place")"));
  EXPECT_EQ(stated.nodes.size(), in_place.nodes.size());
  const Model halves =
      exact_model("[1, 3]", layers(kCopied), R"("dtype": {"parameters": "fp16"},)");
  EXPECT_EQ(node_of(halves, "copy(b)").bytes, 2 * (3 * 5 + 5));
}

TEST(ExactGraph, ACopyIsOfEachGroupOfParametersAndForAllThatReadThem) {
  const Model model = exact_model("[1, 3]", fmt::format(R"(
      {{"name": "fixed", "op": "parameter", "inputs": [], "shape": [1, 2]{0}}},
      {{"name": "w", "op": "linear", "inputs": ["input"], "out_features": 2}},
      {{"name": "cell", "op": "lstm", "inputs": ["w", "fixed", "fixed"]{0}}},
      {{"name": "next", "op": "lstm", "inputs": ["w", "cell", "cell.c"], "weights": "cell"}},
      {{"name": "norm", "op": "batch_norm1d", "inputs": ["next"], "frozen": true,
        "frozen_parameters": "copied"}},
      {{"name": "loss", "op": "mse", "inputs": ["norm"]}})",
                                                        kCopied));
  EXPECT_EQ(inputs_of(model, "cell.gates"), "w copy(fixed) copy(cell.input) copy(cell.hidden)");
  EXPECT_EQ(inputs_of(model, "next.gates"), "w copy(cell.input) copy(cell.hidden) cell");
  EXPECT_EQ(inputs_of(model, "norm"), "next copy(norm)");
  EXPECT_EQ(inputs_of(model, "grad(next)"), "copy(norm) grad(norm)");
}

// A file of a training step serves a forward pass as well, where each parameter is read once.
TEST(ExactGraph, AForwardPassReadsParametersInPlace) {
  const std::string layers = fmt::format(
      R"({{"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3{}}},
         {{"name": "loss", "op": "mse", "inputs": ["a"]}})",
      kCopied);
  const Model forward = parse_model(exact_text("[1, 3]", layers), "m", 1, Backward::none);
  EXPECT_EQ(forward.nodes.size(), 3U);
  EXPECT_THAT(node_of(forward, "a").reads_parameters, ElementsAre("a"));
  EXPECT_THAT(
      input_error([&] { exact_model("[1, 3]", layers, R"("backward": "none",)"); }),
      HasSubstr("/layers/0: \"frozen_parameters\": found in a file of a forward pass, which "
                "reads each parameter once; expected it with \"backward\": \"exact\""));
  EXPECT_THAT(
      input_error([&] { parse_model(exact_text("[1, 3]", layers), "m", 1, Backward::poet_chain); }),
      HasSubstr("poet-chain, which does not know the layer 'a'"));
}

TEST(ExactGraph, ANormalisationUpdatesItsParametersInItsOneGradientNode) {
  const Model model =
      exact_model("[2, 3, 4, 4]", R"({"name": "n0", "op": "batch_norm2d", "inputs": ["input"]},
                         {"name": "n1", "op": "batch_norm2d", "inputs": ["n0"]},
                         {"name": "loss", "op": "mse", "inputs": ["n1"]})");
  EXPECT_THAT(backward_names(model), ElementsAre("grad(n1)", "grad(n0)", "gradw(n0)"));
  EXPECT_FALSE(node_of(model, "grad(n0)").recompute);
  EXPECT_THAT(node_of(model, "grad(n0)").writes_parameters, ElementsAre("n1"));
  EXPECT_EQ(node_of(model, "gradw(n0)").bytes, 0) << "the input has no gradient";
}

TEST(ExactGraph, OneGradientNodeThatUpdatesComesAfterWhatElseReadsTheParameters) {
  for (const char* const update : {"fused", "buffered"}) {
    const Model model = exact_model(
        "[1, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
                     {"name": "b", "op": "linear", "inputs": ["input"], "out_features": 3},
                     {"name": "c", "op": "custom", "inputs": ["a", "b"], "shape": [1, 3],
                      "flops": 9, "parameters": 3},
                     {"name": "loss", "op": "mse", "inputs": ["c"]})",
        fmt::format(R"("update": "{}",)", update));
    EXPECT_LT(index_of(model, "grad(b)"), index_of(model, "grad(a)")) << update;
    EXPECT_THAT(node_of(model, "grad(b)").reads_parameters, ElementsAre("c"));
    EXPECT_THAT(node_of(model, "grad(a)").writes_parameters, ElementsAre("c"));
  }
}

TEST(ExactGraph, ANormalisationOfALearnedTensorUpdatesBothInOneNode) {
  const Model model =
      exact_model("[1, 3]", R"({"name": "p", "op": "parameter", "inputs": [], "shape": [1, 3]},
                   {"name": "n", "op": "layer_norm", "inputs": ["p"]},
                   {"name": "s", "op": "add", "inputs": ["n", "input"]},
                   {"name": "loss", "op": "mse", "inputs": ["s"]})");
  EXPECT_THAT(backward_names(model), ElementsAre("grad(s)", "gradw(p by n)"));
  EXPECT_THAT(node_of(model, "gradw(p by n)").reads_parameters, ElementsAre("n", "p"));
  EXPECT_THAT(node_of(model, "gradw(p by n)").writes_parameters, ElementsAre("n", "p"));
  for (const Parameters& parameters : model.parameters) EXPECT_TRUE(parameters.is_trained);
}

TEST(ExactGraph, ANormalisationOfAFixedTensorUpdatesOnlyItsOwnParameters) {
  const Model model = exact_model("[1, 3]", R"(
      {"name": "p", "op": "parameter", "inputs": [], "shape": [1, 3], "trainable": false},
      {"name": "n", "op": "layer_norm", "inputs": ["p"]},
      {"name": "s", "op": "add", "inputs": ["n", "input"]},
      {"name": "loss", "op": "mse", "inputs": ["s"]})");
  EXPECT_THAT(backward_names(model), ElementsAre("grad(s)", "gradw(n)"));
  EXPECT_THAT(node_of(model, "gradw(n)").writes_parameters, ElementsAre("n"));
}

// Each gradient reads the other factor as it was before the step.
TEST(ExactGraph, OneFactorOfALearnedProductWaitsForTheOther) {
  const Model model =
      exact_model("[2, 2]", R"({"name": "a", "op": "parameter", "inputs": [], "shape": [2, 1]},
                   {"name": "b", "op": "parameter", "inputs": [], "shape": [1, 2]},
                   {"name": "ab", "op": "matmul", "inputs": ["a", "b"]},
                   {"name": "s", "op": "add", "inputs": ["ab", "input"]},
                   {"name": "loss", "op": "mse", "inputs": ["s"]})");
  EXPECT_THAT(backward_names(model),
              ElementsAre("grad(s)", "gradw(a by ab)", "gradw(b by ab)", "update(a)"));
  EXPECT_THAT(node_of(model, "gradw(a by ab)").writes_parameters, IsEmpty());
  EXPECT_THAT(node_of(model, "gradw(b by ab)").writes_parameters, ElementsAre("b"));
}

TEST(ExactGraph, ALearnedFirstStateIsUpdatedAfterAllThatReadIt) {
  const Model model =
      exact_model("[1, 3]", R"({"name": "h", "op": "parameter", "inputs": [], "shape": [1, 2]},
                   {"name": "c", "op": "parameter", "inputs": [], "shape": [1, 2]},
                   {"name": "l", "op": "lstm", "inputs": ["input", "h", "c"]},
                   {"name": "loss", "op": "mse", "inputs": ["l"]})");
  EXPECT_LT(index_of(model, "grad(l.gates)"), index_of(model, "gradw(c by l)"));
  EXPECT_THAT(node_of(model, "update(h)").writes_parameters, ElementsAre("h"));
}

TEST(ExactGraph, SharedParametersAreUpdatedOnceAfterTheirLastReader) {
  const Model model = exact_model(
      "[1, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
                   {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 3,
                    "weights": "a"},
                   {"name": "loss", "op": "mse", "inputs": ["b"]})");
  EXPECT_THAT(backward_names(model),
              ElementsAre("grad(b)", "gradw(a by b)", "grad(a)", "gradw(a)", "update(a)"));
  ASSERT_EQ(model.parameters.size(), 1U);
  EXPECT_EQ(model.parameters[0].count, 12);
  EXPECT_EQ(node_of(model, "b").parameter_count, 0) << "they count once";
  EXPECT_EQ(inputs_of(model, "gradw(a)"), "input gradw(a by b) grad(a)");
  EXPECT_EQ(over_of(model, "gradw(a)"), "gradw(a by b)");
  EXPECT_THAT(node_of(model, "grad(a)").reads_parameters, ElementsAre("a"));
}

TEST(ExactGraph, TiedEmbeddingsShareTheirTable) {
  const Model model = exact_model(
      R"(["N", 4])", R"({"name": "e", "op": "embedding", "inputs": ["input"], "vocabulary": 9,
                         "width": 3},
                        {"name": "h", "op": "linear", "inputs": ["e"], "out_features": 9,
                         "bias": false, "weights": "e"},
                        {"name": "loss", "op": "cross_entropy", "inputs": ["h"], "classes": 9})");
  EXPECT_EQ(model.parameters.size(), 1U);
  EXPECT_EQ(inputs_of(model, "gradw(e)"), "input gradw(e by h) grad(e)");
}

TEST(ExactGraph, InputsComeOnceUnlessTheyCanBeHadAgain) {
  const Model model = exact_model(
      "[1, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
                   {"name": "loss", "op": "cross_entropy", "inputs": ["a"], "classes": 3,
                    "target": "label"})",
      R"("inputs": {"label": {"shape": [1], "dtype": "int32", "repeatable": true}},)");
  EXPECT_FALSE(node_of(model, "input").recompute);
  EXPECT_TRUE(node_of(model, "input").page);
  EXPECT_TRUE(node_of(model, "label").recompute);
  EXPECT_EQ(node_of(model, "label").bytes, 4);
  EXPECT_EQ(inputs_of(model, "loss"), "label a");
  EXPECT_EQ(inputs_of(model, "grad(a)"), "label a loss");
}

TEST(ExactGraph, AnInputThatNobodyNeedsAfterwardsIsTakenOverFirst) {
  const std::string layers =
      R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
         {"name": "b", "op": "linear", "inputs": ["input"], "out_features": 3},
         {"name": "c", "op": "add", "inputs": ["a", "b"]},
         {"name": "d", "op": "gelu", "inputs": ["a"]},
         {"name": "e", "op": "mul", "inputs": ["c", "d"]},
         {"name": "loss", "op": "mse", "inputs": ["e"]})";
  EXPECT_EQ(over_of(exact_model("[1, 3]", layers), "c"), "b") << "gelu reads a afterwards";
  const std::string wish = R"("op": "add", "in_place": )";
  const auto with = [&](const std::string& value) {
    std::string text = layers;
    text.replace(text.find(R"("op": "add")"), 11, wish + value);
    return exact_model("[1, 3]", text);
  };
  EXPECT_EQ(over_of(with(R"("a")"), "c"), "a");
  EXPECT_EQ(over_of(with("false"), "c"), "");
  EXPECT_EQ(over_of(with("true"), "c"), "b");
}

TEST(ExactGraph, KernelsThatOverwriteTheirInputDoSoInTheGradientToo) {
  const auto with = [](const std::string& in_place) {
    return exact_model("[1, 3, 4, 4]",
                       R"({"name": "x", "op": "conv2d", "inputs": ["input"], "out_channels": 4,
                           "kernel": 1},
         {"name": "y", "op": "conv2d", "inputs": ["x"], "out_channels": 4, "kernel": 3,
          "padding": 1, "groups": 4, "trainable": false, )" +
                           in_place + R"("bias": false},
         {"name": "z", "op": "conv2d", "inputs": ["y"], "out_channels": 8, "kernel": 3,
          "padding": 1, )" +
                           in_place + R"("bias": false},
         {"name": "loss", "op": "mse", "inputs": ["z"]})");
  };
  const Model stated = with(R"("in_place": true, )");
  EXPECT_EQ(over_of(stated, "y"), "x");
  EXPECT_EQ(over_of(stated, "grad(x)"), "grad(y)");
  EXPECT_EQ(over_of(stated, "z"), "") << "other bytes";
  EXPECT_EQ(over_of(stated, "grad(y)"), "") << "other bytes";
  EXPECT_EQ(over_of(with(""), "y"), "") << "a convolution alone does not promise it";
  EXPECT_EQ(over_of(with(""), "grad(x)"), "");
  EXPECT_EQ(over_of(with(R"("in_place": false, )"), "grad(x)"), "");
}

TEST(ExactGraph, ElementSizesFollowTheFile) {
  const Model model = exact_model(
      "[1, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
                   {"name": "r", "op": "relu", "inputs": ["a"], "dtype": "fp16"},
                   {"name": "b", "op": "linear", "inputs": ["r"], "out_features": 3},
                   {"name": "loss", "op": "mse", "inputs": ["b"]})",
      R"("dtype": {"activations": "int8", "gradients": "fp32"}, "update": "buffered",)");
  EXPECT_EQ(node_of(model, "a").bytes, 3);
  EXPECT_EQ(node_of(model, "r").bytes, 6);
  EXPECT_EQ(over_of(model, "r"), "") << "other bytes";
  EXPECT_EQ(node_of(model, "grad(a)").bytes, 12);
  EXPECT_EQ(node_of(model, "grad(r)").bytes, 6) << "the gradient of a tensor of that layer";
  EXPECT_EQ(node_of(model, "gradw(a)").bytes, 12 * 4);
  const Platform platform = load_platform("m4");
  EXPECT_EQ(cost_graph(model, &platform).nodes[index_of(model, "a")].bytes, 4) << "aligned";
}

TEST(ExactGraph, AttributesOfALayerReachItsNodes) {
  const Model model =
      exact_model("[1, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3,
                    "recompute": false, "page": false, "workspace_bytes": 40},
                   {"name": "loss", "op": "mse", "inputs": ["a"]})");
  const Platform platform = load_platform("m4");
  const Graph graph = cost_graph(model, &platform);
  const Node& node = graph.nodes[1];
  EXPECT_FALSE(node.recompute);
  EXPECT_FALSE(node.page);
  EXPECT_EQ(node.workspace_bytes, 40);
  EXPECT_EQ(graph.nodes[index_of(model, "gradw(a)")].workspace_bytes, 40);
}

TEST(ExactGraph, NeedsALoss) {
  const std::string layers =
      R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3})";
  EXPECT_EQ(input_error([&] { exact_model("[1, 3]", layers); }),
            "tiny.json: /layers: found no loss, expected a last layer that makes one number, such "
            "as cross_entropy, or \"backward\": \"none\"");
  const Model forward = exact_model("[1, 3]", layers, R"("backward": "none",)");
  EXPECT_EQ(forward.nodes.size(), 2U);
  EXPECT_EQ(forward.nodes[1].flop, 2 * 9 + 3) << "exact counts";
}

TEST(ExactGraph, SeveralLossesAddUp) {
  const Model model = exact_model(
      "[1, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
                   {"name": "l1", "op": "mse", "inputs": ["a"]},
                   {"name": "l2", "op": "cross_entropy", "inputs": ["a"], "classes": 3},
                   {"name": "sum", "op": "add", "inputs": ["l1", "l2"]})");
  EXPECT_THAT(backward_names(model),
              ElementsAre("grad(a by l2)", "grad(a by l1)", "accumulate(a by l1)", "gradw(a)"));
  EXPECT_EQ(inputs_of(model, "grad(a by l2)"), "a sum");
}

TEST(AskedBackward, ReplacesWhatTheFileSays) {
  EXPECT_EQ(load_model("linear").nodes.size(), 27U);
  const Model exact = load_model("linear", 1, Backward::exact);
  EXPECT_EQ(exact.backward, Backward::exact);
  EXPECT_EQ(exact.nodes.size(), 32U);
  EXPECT_EQ(exact.sha256, load_model("linear").sha256);
  const Model chain = parse_model(exact_text("[1, 3]", kTwoLayers.substr(0, kTwoLayers.rfind("{")) +
                                                           R"({"name": "loss", "op": "relu",
                                                               "inputs": ["b"]})"),
                                  "t", 1, Backward::poet_chain);
  EXPECT_EQ(chain.nodes.size(), 7U);
}

TEST(AskedBackward, IsRefusedWhereThereIsNone) {
  EXPECT_THAT(input_error([] {
                parse_model(exact_text("[1, 3]", kTwoLayers), "t", 1, Backward::poet_chain);
              }),
              HasSubstr("poet-chain, which does not know the layer 'loss' (mse)"));
  EXPECT_THAT(input_error([] {
                parse_model(R"({"format": "poet-model", "version": 1, "name": "own", "nodes": [
      {"name": "a", "bytes": 8, "runtime_seconds": 1, "energy_joules": 2, "inputs": []}]})",
                            "t", 1, Backward::exact);
              }),
              HasSubstr("measured costs, which have no backward pass but their own"));
  EXPECT_THAT(input_error([] {
                parse_model(exact_text("[1, 3]",
                                       R"({"name": "a", "op": "linear", "inputs": ["input"],
                                           "out_features": 3, "bias": false})",
                                       R"("backward": "poet-chain",)"),
                            "t");
              }),
              HasSubstr("does not know the bias of the layer 'a' (linear)"));
}

}  // namespace
}  // namespace poet
