// One op at a time: what it computes, what its gradients read, what they may take over. Every
// expected figure is written out from the definition of the op.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "expect_input_error.hpp"
#include "support/exact_model.hpp"

namespace poet {
namespace {

/// The layer `op` on the tensor `x`, which something trainable makes, between a stem and a loss.
/// x is N, C, H, W = 2, 4, 6, 6 behind a 1x1 convolution.
Model with_op(const std::string& op_and_attributes, const std::string& inputs = R"(["x"])",
              const std::string& before = "") {
  return exact_model(
      "[2, 3, 6, 6]",
      R"({"name": "x", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 1},)" +
          before +
          fmt::format(R"({{"name": "y", "inputs": {}, "op": {}}},)", inputs, op_and_attributes) +
          R"({"name": "loss", "op": "mse", "inputs": ["y"]})");
}

struct OpFigures {
  std::string name;
  std::string op;  ///< with its attributes
  Shape shape;
  std::int64_t flop;
  std::string gradient_reads;  ///< of x
  std::int64_t gradient_flop;
  std::string over;           ///< of y; empty for none
  std::string gradient_over;  ///< of grad(x)
  std::int64_t parameters = 0;
};

void PrintTo(const OpFigures& figures, std::ostream* out) {
  *out << figures.name;
}

constexpr std::int64_t kX = 2 * 4 * 6 * 6;

class UnaryOp : public testing::TestWithParam<OpFigures> {};

TEST_P(UnaryOp, HasTheFiguresOfItsDefinition) {
  const OpFigures& expected = GetParam();
  const Model model = with_op(expected.op);
  const ModelNode& y = node_of(model, "y");
  const ModelNode& gradient = node_of(model, "grad(x)");
  EXPECT_EQ(y.out_shape, expected.shape);
  EXPECT_EQ(y.flop, expected.flop);
  EXPECT_EQ(inputs_of(model, "y"), "x");
  EXPECT_EQ(over_of(model, "y"), expected.over);
  EXPECT_EQ(y.parameter_count, expected.parameters);
  EXPECT_EQ(gradient.out_shape, (Shape{2, 4, 6, 6}));
  EXPECT_EQ(inputs_of(model, "grad(x)"), expected.gradient_reads);
  EXPECT_EQ(gradient.flop, expected.gradient_flop);
  EXPECT_EQ(over_of(model, "grad(x)"), expected.gradient_over);
}

std::vector<OpFigures> unary_ops() {
  const Shape x = {2, 4, 6, 6};
  std::vector<OpFigures> ops = {
      {"conv2d",
       R"("conv2d", "out_channels": 8, "kernel": [3, 2], "stride": [2, 1],
        "padding": [1, 0], "groups": 2, "dilation": [1, 3])",
       {2, 8, 3, 3},
       2 * 3 * 2 * 2 * 144 + 144,
       "grad(y)",
       2 * 3 * 2 * 2 * 144,
       "",
       "",
       8 * 2 * 3 * 2 + 8},
      {"depthwise", R"("conv2d", "out_channels": 4, "kernel": 3, "padding": "same", "groups": 4,
        "bias": false)",
       x, 2 * 9 * kX, "grad(y)", 2 * 9 * kX, "", "", 4 * 9},
      {"same_with_stride",
       R"("conv2d", "out_channels": 1, "kernel": 3, "padding": "same", "stride": 4)",
       {2, 1, 2, 2},
       2 * 9 * 4 * 8 + 8,
       "grad(y)",
       2 * 9 * 4 * 8,
       "",
       "",
       37},
      {"conv_transpose2d",
       R"("conv_transpose2d", "out_channels": 3, "kernel": 2, "stride": 2)",
       {2, 3, 12, 12},
       2 * 4 * 3 * kX + 864,
       "grad(y)",
       2 * 4 * 3 * kX,
       "",
       "",
       4 * 3 * 4 + 3},
      {"batch_norm2d", R"("batch_norm2d")", x, 7 * kX, "x grad(y)", 15 * kX, "", "grad(y)", 8},
      {"batch_norm2d_frozen", R"("batch_norm2d", "frozen": true)", x, 2 * kX, "grad(y)", kX, "x",
       "grad(y)", 8},
      {"layer_norm", R"("layer_norm", "dims": 2)", x, 8 * kX, "x grad(y)", 18 * kX, "", "grad(y)",
       72},
      {"group_norm", R"("group_norm", "groups": 2)", x, 8 * kX, "x grad(y)", 18 * kX, "", "grad(y)",
       8},
      {"dropout", R"("dropout")", x, 2 * kX, "grad(y)", 2 * kX, "x", "grad(y)"},
      {"stochastic_depth", R"("stochastic_depth")", x, 2 * kX, "grad(y)", 2 * kX, "x", "grad(y)"},
      {"softmax", R"("softmax", "axis": 1)", x, 14 * kX, "y grad(y)", 4 * kX, "x", "grad(y)"},
      {"avg_pool2d",
       R"("avg_pool2d", "kernel": 3, "padding": 1, "stride": 3)",
       {2, 4, 2, 2},
       8 * 5 * 5,
       "grad(y)",
       8 * 5 * 5,
       "",
       ""},
      {"adaptive_avg_pool2d",
       R"("adaptive_avg_pool2d", "output_size": [4, 1])",
       {2, 4, 4, 1},
       8 * (6 + 4 - 2) * 6,
       "grad(y)",
       8 * 8 * 6,
       "",
       ""},
      {"global_avg_pool", R"("global_avg_pool")", {2, 4}, kX, "grad(y)", kX, "", ""},
      {"prelu", R"("prelu")", x, kX, "x grad(y)", kX, "x", "grad(y)", 1},
      {"prelu_per_channel", R"("prelu", "per_channel": true)", x, kX, "x grad(y)", kX, "x",
       "grad(y)", 4},
      {"elu", R"("elu", "alpha": 2)", x, 13 * kX, "y grad(y)", 2 * kX, "x", "grad(y)"},
      {"softplus", R"("softplus", "beta": 0.5)", x, 26 * kX, "x grad(y)", 14 * kX, "x", "grad(y)"},
      {"log_softmax", R"("log_softmax", "axis": 1)", x, 14 * kX, "y grad(y)", 13 * kX, "x",
       "grad(y)"},
      {"mean", R"("mean", "axes": [-1, 1])", {2, 6}, kX, "grad(y)", kX, "", ""},
      {"mean_kept",
       R"("mean", "axes": [2], "keep_dims": true)",
       {2, 4, 1, 6},
       kX,
       "grad(y)",
       kX,
       "",
       ""},
      {"upsample2d",
       R"("upsample2d", "scale": 2)",
       {2, 4, 12, 12},
       4 * kX,
       "grad(y)",
       4 * kX,
       "",
       ""},
      {"upsample2d_bilinear",
       R"("upsample2d", "scale": [1, 2], "mode": "bilinear")",
       {2, 4, 6, 12},
       16 * kX,
       "grad(y)",
       16 * kX,
       "",
       ""},
      {"slice",
       R"("slice", "axis": 2, "start": 1, "size": 4)",
       {2, 4, 4, 6},
       kX * 2 / 3,
       "grad(y)",
       kX,
       "",
       ""},
      {"permute", R"("permute", "order": [0, 2, 3, 1])", {2, 6, 6, 4}, kX, "grad(y)", kX, "", ""},
      {"custom",
       R"("custom", "shape": ["N", 5], "flops": 7, "saves": ["inputs", "output"],
        "grad_flops": 9)",
       {1, 5},
       7,
       "x y grad(y)",
       9,
       "",
       ""}};
  for (const char* op : {"relu", "relu6", "leaky_relu"}) {
    ops.push_back({op, fmt::format("\"{}\"", op), x, kX, "y grad(y)", kX, "x", "grad(y)"});
  }
  for (const char* op : {"sigmoid", "tanh"}) {
    ops.push_back({op, fmt::format("\"{}\"", op), x, 12 * kX, "y grad(y)", 3 * kX, "x", "grad(y)"});
  }
  for (const char* op : {"hard_sigmoid", "hard_swish"}) {
    ops.push_back({op, fmt::format("\"{}\"", op), x, 4 * kX, "x grad(y)", 5 * kX, "x", "grad(y)"});
  }
  for (const char* op : {"silu", "gelu"}) {
    ops.push_back(
        {op, fmt::format("\"{}\"", op), x, 14 * kX, "x grad(y)", 18 * kX, "x", "grad(y)"});
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(All, UnaryOp, testing::ValuesIn(unary_ops()),
                         [](const auto& instance) { return instance.param.name; });

TEST(ExactOps, MaxPoolKeepsAnIndexOfABytePerOutput) {
  const Model model = with_op(R"("max_pool2d", "kernel": 3, "stride": 2, "padding": 1)");
  EXPECT_EQ(node_of(model, "y").out_shape, (Shape{2, 4, 3, 3}));
  EXPECT_EQ(node_of(model, "y").flop, 9 * 72);
  const ModelNode& index = node_of(model, "y.index");
  EXPECT_EQ(index.bytes, 72);
  EXPECT_EQ(index.flop, 9 * 72);
  EXPECT_EQ(inputs_of(model, "y.index"), "x");
  EXPECT_EQ(inputs_of(model, "grad(x)"), "y.index grad(y)");
  EXPECT_EQ(node_of(model, "grad(x)").flop, kX + 72);
}

/// The same on a signal N, C, L = 2, 3, 9.
Model with_signal(const std::string& op_and_attributes) {
  return exact_model(
      "[2, 3, 9]",
      R"({"name": "x", "op": "tanh", "inputs": ["input"]},
                        {"name": "w", "op": "conv1d", "inputs": ["x"], "out_channels": 3,
                         "kernel": 1},)" +
          fmt::format(R"({{"name": "y", "inputs": ["w"], "op": {}}},)", op_and_attributes) +
          R"({"name": "loss", "op": "mse", "inputs": ["y"]})");
}

TEST(ExactOps, PoolsOfSignalsArePoolsOfImagesOfHeightOne) {
  const Model max = with_signal(R"("max_pool1d", "kernel": 3, "stride": 2, "padding": 1)");
  EXPECT_EQ(node_of(max, "y").out_shape, (Shape{2, 3, 5}));
  EXPECT_EQ(node_of(max, "y").flop, 3 * 30);
  EXPECT_EQ(node_of(max, "y.index").bytes, 30) << "a byte holds a place in a window";
  EXPECT_EQ(inputs_of(max, "grad(w)"), "y.index grad(y)");
  EXPECT_EQ(node_of(max, "grad(w)").flop, 54 + 30);
  const Model avg = with_signal(R"("avg_pool1d", "kernel": 2, "ceil_mode": true)");
  EXPECT_EQ(node_of(avg, "y").out_shape, (Shape{2, 3, 5}));
  EXPECT_EQ(node_of(avg, "y").flop, 54) << "each element once";
  EXPECT_EQ(inputs_of(avg, "grad(w)"), "grad(y)");
  const Model adaptive = with_signal(R"("adaptive_avg_pool1d", "output_size": 4)");
  EXPECT_EQ(node_of(adaptive, "y").out_shape, (Shape{2, 3, 4}));
  EXPECT_EQ(node_of(adaptive, "y").flop, 6 * (9 + 4 - 1));
  const Model all = with_signal(R"("global_avg_pool")");
  EXPECT_EQ(node_of(all, "y").out_shape, (Shape{2, 3}));
  EXPECT_EQ(node_of(all, "grad(w)").flop, 54);
}

TEST(ExactOps, PreluHasTheGradientOfItsSlopesInANodeOfItsOwn) {
  const Model model = with_op(R"("prelu", "per_channel": true)");
  EXPECT_EQ(inputs_of(model, "gradw(y)"), "x grad(y)");
  EXPECT_EQ(node_of(model, "gradw(y)").flop, 2 * kX);
  EXPECT_THAT(node_of(model, "grad(x)").reads_parameters, testing::ElementsAre("y"));
}

TEST(ExactOps, AMaskKeepsABitPerElementInsteadOfTheOutput) {
  for (const char* op : {"relu", "relu6", "leaky_relu"}) {
    const Model model = with_op(fmt::format(R"("{}", "mask": true)", op));
    EXPECT_EQ(node_of(model, "y").flop, kX);
    EXPECT_EQ(over_of(model, "y"), "x");
    const ModelNode& mask = node_of(model, "y.mask");
    EXPECT_EQ(mask.bytes, kX / 8);
    EXPECT_EQ(mask.flop, kX);
    EXPECT_EQ(inputs_of(model, "y.mask"), "y");
    EXPECT_EQ(inputs_of(model, "grad(x)"), "y.mask grad(y)");
    EXPECT_EQ(over_of(model, "grad(x)"), "grad(y)");
    EXPECT_EQ(node_of(model, "grad(x)").flop, kX);
  }
  const Model odd = exact_model(
      "[1, 9]", R"({"name": "x", "op": "linear", "inputs": ["input"], "out_features": 9},
         {"name": "y", "op": "relu", "inputs": ["x"], "mask": true},
         {"name": "loss", "op": "mse", "inputs": ["y"]})");
  EXPECT_EQ(node_of(odd, "y.mask").bytes, 2) << "whole bytes";
}

TEST(ExactOps, PoolsRoundUpOnlyIfAsked) {
  const std::string pool = R"("max_pool2d", "kernel": 2, "stride": 4)";
  EXPECT_EQ(node_of(with_op(pool), "y").out_shape, (Shape{2, 4, 2, 2}));
  EXPECT_EQ(node_of(with_op(R"("max_pool2d", "kernel": 3, "stride": 2)"), "y").out_shape,
            (Shape{2, 4, 2, 2}));
  EXPECT_EQ(node_of(with_op(R"("max_pool2d", "kernel": 3, "stride": 2, "ceil_mode": true)"), "y")
                .out_shape,
            (Shape{2, 4, 3, 3}));
  EXPECT_EQ(node_of(with_op(R"("max_pool2d", "kernel": 3)"), "y").out_shape, (Shape{2, 4, 2, 2}))
      << "the stride is the kernel's extent";
  // The last window of an average reaches beyond the image: it reads two rows and columns.
  const Model average = with_op(R"("avg_pool2d", "kernel": 4, "ceil_mode": true)");
  EXPECT_EQ(node_of(average, "y").flop, 8 * 6 * 6);
}

TEST(ExactOps, WindowsOfMoreThan256PositionsNeedTwoBytes) {
  const Model model = exact_model(
      "[1, 1, 40, 40]",
      R"({"name": "x", "op": "conv2d", "inputs": ["input"], "out_channels": 1, "kernel": 1},
         {"name": "y", "op": "max_pool2d", "inputs": ["x"], "kernel": 20},
         {"name": "loss", "op": "mse", "inputs": ["y"]})");
  EXPECT_EQ(node_of(model, "y.index").bytes, 2 * 4);
}

TEST(ExactOps, AWeightGradientIsALeafThatChangesTheParameters) {
  const Model model = with_op(R"("conv2d", "out_channels": 2, "kernel": 1)");
  const ModelNode& gradient = node_of(model, "gradw(y)");
  EXPECT_EQ(inputs_of(model, "gradw(y)"), "x grad(y)");
  EXPECT_EQ(gradient.bytes, 0);
  EXPECT_EQ(gradient.flop, node_of(model, "y").flop);
  EXPECT_FALSE(gradient.recompute);
  EXPECT_THAT(gradient.writes_parameters, testing::ElementsAre("y"));
  EXPECT_THAT(node_of(model, "grad(x)").reads_parameters, testing::ElementsAre("y"));
  EXPECT_GT(index_of(model, "gradw(y)"), index_of(model, "grad(x)"))
      << "it changes what that reads";
}

TEST(ExactOps, LinearCountsAllRows) {
  const Model model = exact_model(
      "[2, 5, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
                      {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 6,
                       "bias": false},
                      {"name": "loss", "op": "cross_entropy", "inputs": ["b"], "classes": 6})");
  EXPECT_EQ(node_of(model, "a").flop, 2 * 10 * 3 * 4 + 10 * 4);
  EXPECT_EQ(node_of(model, "a").parameter_count, 4 * 3 + 4);
  EXPECT_EQ(node_of(model, "b").flop, 2 * 10 * 4 * 6);
  EXPECT_EQ(node_of(model, "b").out_shape, (Shape{2, 5, 6}));
  EXPECT_EQ(node_of(model, "grad(a)").flop, 2 * 10 * 4 * 6);
  EXPECT_EQ(node_of(model, "loss").flop, 15 * 60);
  EXPECT_EQ(node_of(model, "grad(b)").flop, 16 * 60);
  EXPECT_EQ(inputs_of(model, "grad(b)"), "b loss") << "the loss stands for its own gradient";
  EXPECT_EQ(over_of(model, "grad(b)"), "b");
}

TEST(ExactOps, LinearReluHasTheGradientOfItsReluFirst) {
  const Model model = exact_model(
      "[2, 3]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
                   {"name": "b", "op": "linear_relu", "inputs": ["a"], "out_features": 4},
                   {"name": "loss", "op": "mse", "inputs": ["b"]})");
  EXPECT_EQ(node_of(model, "b").flop, 2 * 2 * 3 * 4 + 8 + 8);
  EXPECT_EQ(inputs_of(model, "grad(b.z)"), "b grad(b)");
  EXPECT_EQ(over_of(model, "grad(b.z)"), "grad(b)");
  EXPECT_EQ(inputs_of(model, "grad(a)"), "grad(b.z)");
  EXPECT_EQ(inputs_of(model, "gradw(b)"), "a grad(b.z)");
}

TEST(ExactOps, SumsGiveTheirGradientOn) {
  const Model model =
      with_op(R"("add")", R"(["x", "z"])", R"({"name": "z", "op": "tanh", "inputs": ["x"]},)");
  EXPECT_EQ(node_of(model, "y").flop, kX);
  EXPECT_EQ(over_of(model, "y"), "x") << "the gradient of tanh needs z";
  EXPECT_EQ(inputs_of(model, "grad(x by z)"), "z grad(y)") << "no node of its own in between";
  EXPECT_EQ(inputs_of(model, "accumulate(x by z)"), "grad(y) grad(x by z)");
  EXPECT_EQ(node_of(model, "accumulate(x by z)").flop, kX);
}

TEST(ExactOps, ABroadcastSideGetsASum) {
  const std::string narrow = R"({"name": "z", "op": "adaptive_avg_pool2d", "inputs": ["x"],
                                 "output_size": 1},)";
  const Model sum = with_op(R"("add")", R"(["x", "z"])", narrow);
  EXPECT_EQ(node_of(sum, "y").out_shape, (Shape{2, 4, 6, 6}));
  EXPECT_EQ(node_of(sum, "grad(z)").out_shape, (Shape{2, 4, 1, 1}));
  EXPECT_EQ(node_of(sum, "grad(z)").flop, kX);
  EXPECT_EQ(inputs_of(sum, "grad(z)"), "grad(y)");
  const Model product = with_op(R"("mul")", R"(["x", "z"])", narrow);
  EXPECT_EQ(node_of(product, "grad(z)").flop, 2 * kX);
  EXPECT_EQ(inputs_of(product, "grad(z)"), "x grad(y)");
  EXPECT_EQ(inputs_of(product, "grad(x by y)"), "z grad(y)");
  EXPECT_EQ(over_of(product, "grad(x by y)"), "grad(y)");
  EXPECT_LT(index_of(product, "grad(z)"), index_of(product, "grad(x by y)"));
}

TEST(ExactOps, DifferencesAndQuotients) {
  const std::string other = R"({"name": "z", "op": "tanh", "inputs": ["x"]},)";
  const Model difference = with_op(R"("sub")", R"(["x", "z"])", other);
  EXPECT_EQ(inputs_of(difference, "grad(z)"), "grad(y)");
  EXPECT_EQ(node_of(difference, "grad(z)").flop, kX);
  const Model quotient = with_op(R"("div")", R"(["x", "z"])", other);
  EXPECT_EQ(inputs_of(quotient, "grad(z)"), "x z grad(y)");
  EXPECT_EQ(inputs_of(quotient, "grad(x by y)"), "z grad(y)");
}

TEST(ExactOps, PartsHaveNodesAndOneGradient) {
  const Model model = with_op(R"("concat", "axis": 1)", R"(["s.1", "x", "s.0"])",
                              R"({"name": "s", "op": "split", "inputs": ["x"], "sizes": [1, 3]},)");
  EXPECT_EQ(node_of(model, "s.1").out_shape, (Shape{2, 3, 6, 6}));
  EXPECT_EQ(node_of(model, "s.1").flop, 3 * 72);
  EXPECT_EQ(node_of(model, "y").out_shape, (Shape{2, 8, 6, 6}));
  EXPECT_EQ(node_of(model, "y").flop, 2 * kX);
  EXPECT_EQ(inputs_of(model, "grad(s.1)"), "grad(y)");
  EXPECT_EQ(node_of(model, "grad(s.1)").flop, 3 * 72);
  EXPECT_EQ(inputs_of(model, "grad(x by s)"), "grad(s.1) grad(s.0)");
  EXPECT_EQ(node_of(model, "grad(x by s)").flop, kX);
}

TEST(ExactOps, ViewsAreNoNodes) {
  const Model model = with_op(R"("mean", "axes": [1])", R"(["v"])",
                              R"({"name": "f", "op": "flatten", "inputs": ["x"]},
                                 {"name": "v", "op": "reshape", "inputs": ["f"],
                                  "shape": [4, 72]},)");
  EXPECT_EQ(inputs_of(model, "y"), "x");
  EXPECT_EQ(node_of(model, "y").out_shape, (Shape{4}));
  EXPECT_EQ(node_of(model, "grad(x)").out_shape, (Shape{4, 72}));
  EXPECT_EQ(node_of(model, "y").operands.at(0).shape, (Shape{4, 72})) << "as y reads it";
  EXPECT_EQ(node_of(model, "gradw(x)").operands.at(1).shape, (Shape{2, 4, 6, 6}));
  EXPECT_EQ(model.nodes.size(), 7U);
}

TEST(ExactOps, MatmulReadsTheOtherFactor) {
  const Model model = exact_model(
      "[3, 5, 4]", R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
                      {"name": "b", "op": "linear", "inputs": ["input"], "out_features": 4},
                      {"name": "y", "op": "matmul", "inputs": ["a", "b"], "transpose_b": true},
                      {"name": "loss", "op": "mse", "inputs": ["y"]})");
  EXPECT_EQ(node_of(model, "y").out_shape, (Shape{3, 5, 5}));
  EXPECT_EQ(node_of(model, "y").flop, 2 * 3 * 5 * 4 * 5);
  EXPECT_EQ(inputs_of(model, "grad(a)"), "b grad(y)");
  EXPECT_EQ(inputs_of(model, "grad(b)"), "a grad(y)");
}

TEST(ExactOps, AttentionKeepsItsScores) {
  std::string layers;
  for (const char* name : {"q", "k", "v"}) {
    layers += fmt::format(R"({{"name": "{}", "op": "linear", "inputs": ["input"],
                               "out_features": 8}},)",
                          name);
  }
  const Model model = exact_model(
      "[2, 5, 6]", layers + R"({"name": "y", "op": "attention", "inputs": ["q", "k", "v"],
                                "heads": 2, "causal": true},
                               {"name": "loss", "op": "mse", "inputs": ["y"]})");
  const std::int64_t product = 2 * (2 * 5 * 5) * 8;
  const std::int64_t scores = 2 * 2 * 5 * 5;
  EXPECT_EQ(node_of(model, "y.scores").out_shape, (Shape{2, 2, 5, 5}));
  EXPECT_EQ(node_of(model, "y.scores").flop, product + 14 * scores);
  EXPECT_EQ(inputs_of(model, "y"), "v y.scores");
  EXPECT_EQ(node_of(model, "y").flop, product);
  EXPECT_EQ(inputs_of(model, "grad(v)"), "y.scores grad(y)");
  EXPECT_EQ(inputs_of(model, "grad(y.scores)"), "v y.scores grad(y)");
  EXPECT_EQ(node_of(model, "grad(y.scores)").flop, product + 4 * scores);
  EXPECT_EQ(over_of(model, "grad(y.scores)"), "y.scores") << "the gradient of v came before";
  EXPECT_EQ(inputs_of(model, "grad(q)"), "k grad(y.scores)");
  EXPECT_EQ(inputs_of(model, "grad(k)"), "q grad(y.scores)");
}

TEST(ExactOps, EmbeddingsReadIndicesAndHaveNoInputGradient) {
  const Model model = exact_model(
      R"(["N", 7])", R"({"name": "e", "op": "embedding", "inputs": ["input"], "vocabulary": 11,
                         "width": 3},
                        {"name": "loss", "op": "mse", "inputs": ["e"]})",
      "", 2);
  EXPECT_EQ(node_of(model, "e").out_shape, (Shape{2, 7, 3}));
  EXPECT_EQ(node_of(model, "e").flop, 42);
  EXPECT_EQ(node_of(model, "e").parameter_count, 33);
  EXPECT_EQ(inputs_of(model, "gradw(e)"), "input grad(e)");
  EXPECT_EQ(node_of(model, "gradw(e)").flop, 42);
}

TEST(ExactOps, ALearnedTensorIsNoNode) {
  const Model model = exact_model(
      R"(["N", 3, 4])", R"({"name": "x", "op": "linear", "inputs": ["input"], "out_features": 4},
                           {"name": "p", "op": "parameter", "shape": [3, 4]},
                           {"name": "y", "op": "add", "inputs": ["x", "p"]},
                           {"name": "loss", "op": "mse", "inputs": ["y"]})",
      "", 2);
  EXPECT_EQ(inputs_of(model, "y"), "x");
  EXPECT_EQ(node_of(model, "y").parameter_count, 12);
  EXPECT_THAT(node_of(model, "y").reads_parameters, testing::ElementsAre("p"));
  EXPECT_EQ(inputs_of(model, "gradw(p by y)"), "grad(y)");
  EXPECT_EQ(node_of(model, "gradw(p by y)").flop, 24);
  EXPECT_THAT(node_of(model, "gradw(p by y)").writes_parameters, testing::ElementsAre("p"));
}

TEST(ExactOps, RecurrentStepsHaveANodePerTensorAndAGradientPerParameter) {
  const std::string keys = R"("inputs": {"h0": {"shape": [2, 3]}, "c0": {"shape": [2, 3]}},)";
  const Model lstm =
      exact_model("[2, 5]", R"({"name": "a", "op": "lstm", "inputs": ["input", "h0", "c0"]},
                   {"name": "b", "op": "lstm", "inputs": ["input", "a", "a.c"]},
                   {"name": "loss", "op": "mse", "inputs": ["b"]})",
                  keys);
  std::int64_t forward = 0;
  for (const char* node : {"a.gates", "a.c", "a"}) forward += node_of(lstm, node).flop;
  EXPECT_EQ(forward, 2 * 2 * 12 * (5 + 3) + 60 * 6);
  EXPECT_EQ(node_of(lstm, "a.gates").parameter_count, 12 * 5 + 12 + 12 * 3 + 12);
  EXPECT_EQ(over_of(lstm, "grad(b.gates)"), "b.gates");
  EXPECT_EQ(inputs_of(lstm, "grad(a.c)"), "b.gates grad(b.cell)");
  EXPECT_EQ(inputs_of(lstm, "grad(a)"), "grad(b.gates)");
  EXPECT_EQ(inputs_of(lstm, "grad(a.cell)"), "a.gates a.c grad(a.c) grad(a)");
  EXPECT_EQ(inputs_of(lstm, "gradw(b.hidden)"), "a grad(b.gates)");
  const Model gru = exact_model("[2, 5]", R"({"name": "a", "op": "gru", "inputs": ["input", "h0"]},
                                             {"name": "loss", "op": "mse", "inputs": ["a"]})",
                                R"("inputs": {"h0": {"shape": [2, 3]}},)");
  EXPECT_EQ(node_of(gru, "a.gates").flop + node_of(gru, "a").flop, 2 * 2 * 9 * (5 + 3) + 38 * 6);
  EXPECT_EQ(inputs_of(gru, "gradw(a.hidden)"), "h0 a.gates grad(a.gates)");
}

TEST(ExactOps, AGruWithItsResetGateAfterTheProductHasTheSameGraph) {
  const auto gru = [](const std::string& attribute) {
    return exact_model("[2, 5]",
                       fmt::format(R"({{"name": "x", "op": "tanh", "inputs": ["input"]}},
                          {{"name": "a", "op": "gru", "inputs": ["x", "h0"]{0}}},
                          {{"name": "b", "op": "gru", "inputs": ["x", "a"]{0}}},
                          {{"name": "loss", "op": "mse", "inputs": ["b"]}})",
                                   attribute),
                       R"("inputs": {"h0": {"shape": [2, 3]}},)");
  };
  const Model before = gru("");
  const Model after = gru(R"(, "reset_after": true)");
  ASSERT_EQ(before.nodes.size(), after.nodes.size());
  for (std::size_t i = 0; i < before.nodes.size(); ++i) {
    EXPECT_EQ(before.nodes[i].name, after.nodes[i].name);
    EXPECT_EQ(before.nodes[i].flop, after.nodes[i].flop) << before.nodes[i].name;
    EXPECT_EQ(before.nodes[i].inputs, after.nodes[i].inputs) << before.nodes[i].name;
    EXPECT_EQ(before.nodes[i].reads_parameters, after.nodes[i].reads_parameters);
  }
}

TEST(ExactOps, CustomHasItsOwnFigures) {
  const Model model =
      exact_model(R"(["N", 6])",
                  R"({"name": "x", "op": "linear", "inputs": ["input"], "out_features": 6},
         {"name": "y", "op": "custom", "inputs": ["x"], "shape": ["N", 6], "flops": 10,
          "parameters": 5, "grad_flops": 20, "grad_parameter_flops": 30, "in_place": true},
         {"name": "z", "op": "custom", "inputs": ["y"], "shape": ["N", 6], "flops": 10,
          "parameters": 5, "saves": ["output"]},
         {"name": "loss", "op": "mse", "inputs": ["z"]})",
                  "", 2);
  EXPECT_EQ(node_of(model, "y").flop, 20);
  EXPECT_EQ(node_of(model, "y").out_shape, (Shape{2, 6}));
  EXPECT_EQ(over_of(model, "y"), "x");
  EXPECT_EQ(inputs_of(model, "grad(x)"), "grad(y)");
  EXPECT_EQ(node_of(model, "grad(x)").flop, 40);
  EXPECT_EQ(node_of(model, "gradw(y)").flop, 60);
  EXPECT_EQ(inputs_of(model, "grad(y)"), "z grad(z)");
  EXPECT_EQ(node_of(model, "grad(y)").flop, 20) << "as the forward pass";
  EXPECT_THAT(node_of(model, "grad(y)").writes_parameters, testing::ElementsAre("z"));
}

TEST(ExactOps, MistakesNameTheLayer) {
  const auto error = [](const std::string& op) { return input_error([&] { with_op(op); }); };
  using testing::HasSubstr;
  EXPECT_THAT(error(R"("conv2d", "out_channels": 3, "kernel": 1, "groups": 2)"),
              HasSubstr("/layers/1 (conv2d 'y'): 2 groups for 4 input and 3 output channels"));
  EXPECT_THAT(error(R"("group_norm", "groups": 3)"), HasSubstr("that 3 groups divide"));
  EXPECT_THAT(error(R"("layer_norm", "dims": 5)"), HasSubstr("expected at least 5 extents"));
  EXPECT_THAT(error(R"("softmax", "axis": 4)"), HasSubstr("the axis is 4, expected one from -4"));
  EXPECT_THAT(error(R"("permute", "order": [0, 1, 2, 2])"), HasSubstr("each of 0 to 3 once"));
  EXPECT_THAT(error(R"("reshape", "shape": ["N", 5])"), HasSubstr("expected the 288 elements"));
  EXPECT_THAT(error(R"("split", "sizes": [1, 2])"), HasSubstr("the sizes add up to 3"));
  EXPECT_THAT(error(R"("slice", "start": 3, "size": 2)"), HasSubstr("expected at most 4"));
  EXPECT_THAT(error(R"("max_pool2d", "kernel": 2, "padding": 2)"), HasSubstr("half the kernel"));
  EXPECT_THAT(error(R"("max_pool1d", "kernel": 2)"), HasSubstr("expected 3 extents (N, C, L)"));
  EXPECT_THAT(input_error([] { with_signal(R"("avg_pool1d", "kernel": 3, "padding": 2)"); }),
              HasSubstr("the padding is 2, expected at most half the kernel's 3"));
  EXPECT_THAT(input_error([] {
                exact_model("[4]", R"({"name": "y", "op": "prelu", "inputs": ["input"],
                                       "per_channel": true})");
              }),
              HasSubstr("expected channels (the second extent) for \"per_channel\": true"));
  EXPECT_THAT(error(R"("conv_transpose2d", "out_channels": 1, "kernel": 1, "padding": 4)"),
              HasSubstr("less padding"));
  EXPECT_THAT(error(R"("cross_entropy", "classes": 4)"), HasSubstr("expected the last extent"));
  EXPECT_THAT(input_error([] {
                exact_model("[1, 3]", R"({"name": "p", "op": "parameter", "shape": ["N", 3]})");
              }),
              HasSubstr("expected extents that do not depend on it"));
  EXPECT_THAT(error(R"("conv2d", "out_channels": 3, "kernel": 9)"),
              HasSubstr("the kernel's height is 9"));
}

}  // namespace
}  // namespace poet
