// Small ONNX files, as layers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "formats/write_inputs.hpp"
#include "import/import.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"
#include "support/onnx_text.hpp"

namespace poet::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json imported(const std::string& bytes, const ImportRequest& request = {}) {
  const std::string text = layers_json(import_onnx(bytes, "net.onnx", request).spec);
  // What is written can be read, for every batch size that it allows.
  const json document = json::parse(text);
  const Model model = parse_model(text, "written");
  EXPECT_EQ(model.backward, Backward::exact);
  return document;
}

json import_text(const std::string& text, const ImportRequest& request = {}) {
  return imported(onnx_bytes(text), request);
}

std::vector<std::string> ops(const json& document) {
  std::vector<std::string> list;
  for (const json& layer : document.at("layers")) list.push_back(layer.at("op"));
  return list;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an InputError";
  return {};
}

TEST(Import, MakesLayersOfASmallNetwork) {
  const json document = import_text(kSmallOnnx);
  EXPECT_EQ(document.at("name"), "net");
  EXPECT_EQ(document.at("input").at("shape"), json({"N", 3, 8, 8}));
  ASSERT_THAT(ops(document), ElementsAre("conv2d", "batch_norm2d", "relu", "adaptive_avg_pool2d",
                                         "flatten", "linear", "cross_entropy"));
  const json& conv = document["layers"][0];
  EXPECT_EQ(conv.at("out_channels"), 4);
  EXPECT_EQ(conv.at("stride"), 2);
  EXPECT_EQ(conv.at("padding"), 1);
  EXPECT_EQ(conv.at("bias"), false);
  EXPECT_EQ(document["layers"][5].at("out_features"), 5);
  EXPECT_EQ(document["layers"][6].at("classes"), 5);
  const Model model = parse_model(document.dump(), "written", 3);
  std::int64_t parameters = 0;
  for (const ModelNode& node : model.nodes) parameters += node.parameter_count;
  EXPECT_EQ(parameters, 4 * 27 + 8 + 25);
}

TEST(Import, TakesTheExtentsOfTheFileOrOfTheUser) {
  const char* const text = "net (float[N,C] x) => (float[N,C] y) { y = Relu(x) }";
  EXPECT_THAT(error_of([&] { import_text(text); }),
              AllOf(HasSubstr("net.onnx: "), HasSubstr("'x'"), HasSubstr("extent 1"),
                    HasSubstr("--shape x=")));
  EXPECT_EQ(import_text(text, {.shapes = {{"x", {2, 6}}}}).at("input").at("shape"), json({2, 6}));
  EXPECT_EQ(import_text(text, {.shapes = {{"", {2, 6}}}}).at("input").at("shape"), json({2, 6}));
  EXPECT_THAT(error_of([&] { import_text(text, {.shapes = {{"z", {2}}}}); }), HasSubstr("'z'"));
}

TEST(Import, RefusesWhatLibonnxDoesNotCheck) {
  const auto refused = [](const char* text) { return error_of([&] { import_text(text); }); };
  EXPECT_THAT(refused("n (float[N,4] x, int64[9007199254740992] s) => (float[N,4] y) { y = "
                      "Expand(x, s) }"),
              AllOf(HasSubstr("(Expand)"), HasSubstr("9007199254740992 extents")));
  EXPECT_THAT(refused("n (float[N,4,8] x, float[4] w) => (float[N,4] y) { y = "
                      "ConvTranspose<kernel_shape=[3]>(x, w) }"),
              AllOf(HasSubstr("(ConvTranspose)"), HasSubstr("weight has too few extents")));
  EXPECT_THAT(refused("n (float[N,4] x) => (float[N,4] y) { y = GroupNormalization(x) }"),
              HasSubstr("up to opset 17"));
}

TEST(Import, ComputesShapesThatFollowFromShapes) {
  const json document = import_text(R"(
net (float[N,4,6] x) => (float[N,24] y) {
  shape = Shape(x)
  zero = Constant<value = int64[1] {0}>()
  batch = Gather(shape, zero)
  rest = Constant<value = int64[1] {-1}>()
  both = Concat<axis=0>(batch, rest)
  y = Reshape(x, both)
})");
  EXPECT_THAT(ops(document), ElementsAre("flatten", "cross_entropy"));
}

TEST(Import, FindsALayerNormInNineNodes) {
  onnx::ModelProto model = onnx_model(R"(
net (float[N,4,6] x, float[6] g, float[6] b) => (float[N,4,6] y) {
  m = ReduceMean<axes=[-1]>(x)
  d = Sub(x, m)
  two = Constant<value = float {2}>()
  p = Pow(d, two)
  v = ReduceMean<axes=[-1]>(p)
  e = Constant<value = float {0.00001}>()
  ve = Add(v, e)
  s = Sqrt(ve)
  n = Div(d, s)
  ng = Mul(n, g)
  y = Add(ng, b)
})");
  // Names as PyTorch has them say which inputs are weights.
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.mutable_input(1)->set_name("norm.weight");
  graph.mutable_input(2)->set_name("norm.bias");
  graph.mutable_node(9)->set_input(1, "norm.weight");
  graph.mutable_node(10)->set_input(1, "norm.bias");
  const json document = imported(model.SerializeAsString());
  ASSERT_THAT(ops(document), ElementsAre("layer_norm", "mse"));
  EXPECT_EQ(document["layers"][0].at("name"), "norm");
}

TEST(Import, FindsActivationsInTheirNodes) {
  const json document = import_text(R"(
net (float[N,8] x) => (float[N,8] y) {
  root = Constant<value = float {1.4142135}>()
  one = Constant<value = float {1}>()
  half = Constant<value = float {0.5}>()
  q = Div(x, root)
  e = Erf(q)
  s = Add(e, one)
  p = Mul(x, s)
  gelu = Mul(p, half)
  gate = Sigmoid(gelu)
  silu = Mul(gelu, gate)
  hard = HardSigmoid<alpha=0.16666667>(silu)
  swish = Mul(silu, hard)
  low = Constant<value = float {0}>()
  high = Constant<value = float {6}>()
  y = Clip(swish, low, high)
})");
  EXPECT_THAT(ops(document), ElementsAre("gelu", "silu", "hard_swish", "relu6", "cross_entropy"));
}

TEST(Import, FindsAttentionBetweenTwoProducts) {
  const json document = import_text(R"(
net (float[N,5,8] x) => (float[N,5,8] y) {
  parts = Constant<value = int64[4] {0, 5, 2, 4}>()
  whole = Constant<value = int64[3] {0, 5, 8}>()
  scale = Constant<value = float {2}>()
  q = Reshape(x, parts)
  qt = Transpose<perm=[0,2,1,3]>(q)
  kt = Transpose<perm=[0,2,3,1]>(q)
  product = MatMul(qt, kt)
  scores = Div(product, scale)
  weights = Softmax<axis=-1>(scores)
  context = MatMul(weights, qt)
  moved = Transpose<perm=[0,2,1,3]>(context)
  y = Reshape(moved, whole)
})");
  ASSERT_THAT(ops(document), ElementsAre("attention", "mse"));
  EXPECT_EQ(document["layers"][0].at("heads"), 2);
  EXPECT_EQ(document["layers"][0].at("inputs"), json({"input", "input", "input"}));
}

std::vector<json> layers_of(const json& document, const std::string& op) {
  std::vector<json> found;
  for (const json& layer : document.at("layers")) {
    if (layer.at("op") == op) found.push_back(layer);
  }
  return found;
}

TEST(Import, UnrollsAGruWithItsResetGateOnEitherSideOfTheProduct) {
  for (const bool is_after : {false, true}) {
    const json document = import_text(fmt::format(R"(
net (float[3,N,4] x, float[1,15,4] w, float[1,15,5] r, float[1,30] b) => (float[3,1,N,5] y) {{
  y = GRU<hidden_size=5, linear_before_reset={}>(x, w, r, b)
}})",
                                                  is_after ? 1 : 0),
                                      {.shapes = {{"x", {3, 2, 4}}}});
    const std::vector<json> cells = layers_of(document, "gru");
    ASSERT_EQ(cells.size(), 3U);
    EXPECT_EQ(cells[0].value("reset_after", false), is_after);
    EXPECT_EQ(cells[2].at("weights"), cells[0].at("name"));
    EXPECT_EQ(cells[2].at("inputs")[1], cells[1].at("name"));
    EXPECT_EQ(document.at("inputs").size(), 1U);  // the first state
  }
}

TEST(Import, UnrollsBothDirectionsOfARecurrence) {
  const json document = import_text(R"(
net (float[3,2,4] x, float[2,20,4] w, float[2,20,5] r, float[2,40] b, int32[2] lengths,
     float[2,2,5] h, float[2,2,5] c) => (float[2,2,5] last) {
  steps, last, cells = LSTM<hidden_size=5, direction="bidirectional">(x, w, r, b, lengths, h, c)
})",
                                    {.numbers = {{"lengths", 3}, {"c", 0}}});
  const std::vector<json> cells = layers_of(document, "lstm");
  ASSERT_EQ(cells.size(), 6U);
  EXPECT_EQ(cells[1].at("weights"), cells[0].at("name"));
  EXPECT_FALSE(cells[3].contains("weights")) << "the reverse direction has its own";
  EXPECT_EQ(cells[4].at("weights"), cells[3].at("name"));
  EXPECT_EQ(cells[3].at("inputs")[0], "reverse.t2.row") << "it begins at the end";
  EXPECT_EQ(cells[5].at("inputs")[0], "reverse.t0.row");
  const json last = document.at("layers")[document.at("layers").size() - 2];
  EXPECT_EQ(last.at("op"), "concat");
  EXPECT_EQ(last.at("axis"), 0);
}

TEST(Import, SaysWhatOfARecurrenceNoLayerHas) {
  const auto error = [](const std::string& attributes, const std::string& more) {
    return error_of([&] {
      import_text(fmt::format(R"(
net (float[3,2,4] x, float[1,20,4] w, float[1,20,5] r, float[1,40] b, int32[2] lengths,
     float[1,2,5] h, float[1,2,5] c, float[1,15] p) => (float[3,1,2,5] y) {{
  y = LSTM<hidden_size=5{}>(x, w, r, b{})
}})",
                              attributes, more));
    });
  };
  EXPECT_THAT(error(", clip=3.0", ""), HasSubstr("LSTM (node without a name): it clips its gates"));
  EXPECT_THAT(error("", ", lengths"), HasSubstr("--set gives a graph's input of lengths"));
  EXPECT_THAT(error(", input_forget=1", ""), HasSubstr("found input_forget 1; expected 0"));
  EXPECT_THAT(error("", ", , h, c, p"), HasSubstr("it has peepholes (P); expected none"));
}

TEST(Import, PoolsSignals) {
  const json document = import_text(R"(
net (float[N,3,20] x) => (float[N,3,1] y) {
  a = MaxPool<kernel_shape=[3], strides=[2], pads=[1,1]>(x)
  b = AveragePool<kernel_shape=[2], strides=[2]>(a)
  c = AveragePool<kernel_shape=[3], auto_pad="SAME_UPPER">(b)
  d = GlobalMaxPool(x)
  e = Add(c, d)
  y = GlobalAveragePool(e)
})");
  ASSERT_THAT(ops(document), ElementsAre("max_pool1d", "avg_pool1d", "avg_pool1d", "max_pool1d",
                                         "add", "adaptive_avg_pool1d", "mse"));
  const json& layers = document.at("layers");
  EXPECT_EQ(layers[0].at("padding"), 1);
  EXPECT_EQ(layers[1].at("count_include_pad"), false);
  EXPECT_EQ(layers[2].at("padding"), 1) << "SAME_UPPER of an odd kernel is even";
  EXPECT_EQ(layers[3].at("kernel"), 20);
  EXPECT_EQ(layers[5].at("output_size"), 1);
}

TEST(Import, PadsBeforeAWindowWhatBothEndsCannotShare) {
  const json document = import_text(R"(
net (float[N,3,20] x) => (float[N,3,20] y) {
  y = MaxPool<kernel_shape=[2], auto_pad="SAME_UPPER">(x)
})");
  ASSERT_THAT(ops(document), ElementsAre("parameter", "concat", "max_pool1d", "mse"));
  EXPECT_EQ(document["layers"][0].at("value"), -1e30);
  EXPECT_EQ(document["layers"][0].at("shape"), json({1, 3, 1}));
  EXPECT_EQ(document["layers"][1].at("axis"), 2);
  EXPECT_THAT(ops(import_text(R"(
net (float[N,3,20,20] x, float[4,3,3,3] w) => (float[N,4,9,10] y) {
  y = Conv<pads=[-1,0,-1,1], strides=[2,2]>(x, w)
})")),
              ElementsAre("slice", "parameter", "concat", "conv2d", "mse"));
}

TEST(Import, FindsActivationsWithNumbersOrSlopes) {
  const json document = import_text(R"(
net (float[N,3,4] x, float[3,1] s, float[1] t) => (float[N,3,4] y) {
  a = PRelu(x, s)
  b = PRelu(a, t)
  c = Elu<alpha=0.3>(b)
  d = Softplus(c)
  e = LogSoftmax<axis=1>(d)
  y = Relu(e)
})");
  ASSERT_THAT(ops(document),
              ElementsAre("prelu", "prelu", "elu", "softplus", "log_softmax", "relu", "mse"));
  const json& layers = document.at("layers");
  EXPECT_EQ(layers[0].at("per_channel"), true);
  EXPECT_FALSE(layers[1].value("per_channel", false));
  EXPECT_EQ(layers[2].at("alpha"), 0.3);
  EXPECT_EQ(layers[4].at("axis"), 1);
  // Slopes of elements.
  EXPECT_THAT(ops(import_text(R"(
net (float[N,3,4] x, float[4] s) => (float[N,3,4] y) { y = PRelu(x, s) })")),
              testing::IsSupersetOf({"relu", "mul", "sub"}));
}

TEST(Import, TakesInputsForNumbersThatAUserStates) {
  const std::string text = R"(
net (float[N,8] x, float ratio, bool training) => (float[N,8] y) {
  a = Dropout(x, ratio, training)
  y = Relu(a)
})";
  EXPECT_THAT(error_of([&] { import_text(text); }), HasSubstr("--set ratio=VALUE"));
  const json document = import_text(text, {.numbers = {{"ratio", 0.25}, {"training", 1}}});
  ASSERT_THAT(ops(document), ElementsAre("dropout", "relu", "cross_entropy"));
  EXPECT_EQ(document.at("layers")[0].at("rate"), 0.25);
  EXPECT_EQ(document.at("input").at("shape"), json({"N", 8}));
  EXPECT_THAT(ops(import_text(text, {.numbers = {{"ratio", 0.25}, {"training", 0}}})),
              ElementsAre("relu", "cross_entropy"));
  const auto error = [&](const ImportRequest& request) {
    return error_of([&] { import_text(text, request); });
  };
  EXPECT_THAT(error({.numbers = {{"ration", 1}}}),
              AllOf(HasSubstr("--set: no input has the name 'ration'"), HasSubstr("ratio")));
  EXPECT_THAT(error({.numbers = {{"ratio", 0}, {"training", 0.5}}}),
              HasSubstr("--set: found 0.5 for the input 'training', which has whole numbers"));
  EXPECT_THAT(error({.numbers = {{"ratio", 0}, {"training", 1}, {"x", 1}}}),
              HasSubstr("--set: the graph has no other inputs"));
}

TEST(Import, RemovesWhatComputesNothing) {
  const json document = import_text(R"(
net (float[N,8] x) => (float[N,8] y) {
  a = Identity(x)
  b = Dropout(a)
  c = Relu(b)
  y = Softmax<axis=1>(c)
})");
  EXPECT_THAT(ops(document), ElementsAre("relu", "cross_entropy"));
}

TEST(Import, KeepsWhatReversesOrShiftsATensorOfTheSameShape) {
  constexpr const char* kReversed = R"(
net (float[N,8] x) => (float[N,8] y) {
  first = Constant<value = int64[1] {-1}>()
  last = Constant<value = int64[1] {-9}>()
  axis = Constant<value = int64[1] {1}>()
  step = Constant<value = int64[1] {-1}>()
  a = Slice(x, first, last, axis, step)
  y = Softmax<axis=1>(a)
})";
  EXPECT_EQ(layers_of(import_text(kReversed), "slice").size(), 8U);
  constexpr const char* kWhole = R"(
net (float[N,8] x) => (float[N,8] y) {
  first = Constant<value = int64[1] {0}>()
  last = Constant<value = int64[1] {8}>()
  axis = Constant<value = int64[1] {1}>()
  a = Slice(x, first, last, axis)
  b = Relu(a)
  y = Softmax<axis=1>(b)
})";
  EXPECT_THAT(ops(import_text(kWhole)), ElementsAre("relu", "cross_entropy"));
  constexpr const char* kShifted = R"(
net (float[N,8] x) => (float[N,8] y) {
  pads = Constant<value = int64[4] {0, 1, 0, -1}>()
  a = Pad(x, pads)
  b = Relu(a)
  y = Softmax<axis=1>(b)
})";
  EXPECT_THAT(ops(import_text(kShifted)),
              ElementsAre("slice", "parameter", "concat", "relu", "cross_entropy"));
}

constexpr const char* kStrange = R"(
net (float[N,8] x) => (float[N,8] y) {
  a = Sin(x)
  b = Relu(a)
  c = Cos(b)
  y = Sin(c)
})";

TEST(Import, NamesEveryOpThatNoLayerStandsFor) {
  const std::string error = error_of([] { import_text(kStrange); });
  EXPECT_THAT(error, AllOf(HasSubstr("Sin (node"), HasSubstr("--custom"), HasSubstr("custom")));
  // What follows from the first is not judged before that one is.
  const json document = import_text(kStrange, {.custom = {{"Sin", 20}, {"Cos", 30}}});
  ASSERT_THAT(ops(document), ElementsAre("custom", "relu", "custom", "custom", "cross_entropy"));
  EXPECT_EQ(document["layers"][0].at("flops"), 20 * 8);
  EXPECT_EQ(document["layers"][0].at("shape"), json({"N", 8}));
  EXPECT_THAT(error_of([] {
                import_text(kStrange, {.custom = {{"Sinn", 1}}});
              }),
              HasSubstr("did you mean 'Sin'"));
}

TEST(Import, TrainsTensorsWhoseNamesAPatternHasIfNoLayerHas) {
  const auto trained = [](const std::string& which) {
    std::vector<std::string> kinds;
    const json document = import_text(kSmallOnnx, {.trainable = which});
    for (const json& layer : document.at("layers")) {
      if (layer.contains("trainable") || layer.contains("frozen")) {
        kinds.push_back(layer.at("op").get<std::string>() + " " +
                        layer.value("trainable", json()).dump());
      }
    }
    return kinds;
  };
  EXPECT_THAT(trained("*.bias"),
              ElementsAre("conv2d false", "batch_norm2d [\"bias\"]", "linear [\"bias\"]"));
  EXPECT_THAT(error_of([&] { trained("*.gamma"); }),
              HasSubstr("no parameter, has a name like '*.gamma'"));
}

TEST(Import, FreezesLayersByNumberAndName) {
  const auto frozen = [](const std::string& which) {
    std::vector<std::string> names;
    const json document = import_text(kSmallOnnx, {.trainable = which});
    for (const json& layer : document.at("layers")) {
      const bool is_norm = layer.at("op") == "batch_norm2d";
      EXPECT_FALSE(layer.contains(is_norm ? "trainable" : "frozen"));
      if (layer.contains(is_norm ? "frozen" : "trainable")) names.push_back(layer.at("op"));
    }
    return names;
  };
  EXPECT_THAT(frozen("all"), IsEmpty());
  EXPECT_THAT(frozen("last:1"), ElementsAre("conv2d", "batch_norm2d"));
  EXPECT_THAT(frozen("conv*"), ElementsAre("batch_norm2d", "linear"));
  EXPECT_THAT(error_of([&] { frozen("nothing*"); }), HasSubstr("nothing*"));
  EXPECT_THAT(error_of([&] { frozen("last:x"); }), HasSubstr("last:x"));
}

TEST(Import, KeepsWeightsOfFrozenLayersAsBytes) {
  const auto bytes = [](const ImportRequest& request) {
    std::vector<std::string> ops;
    const json document = import_text(kSmallOnnx, request);
    for (const json& layer : document.at("layers")) {
      if (layer.contains("frozen_weights")) ops.push_back(layer.at("op"));
    }
    return ops;
  };
  EXPECT_THAT(bytes({.trainable = "last:1"}), IsEmpty());
  EXPECT_THAT(bytes({.trainable = "last:1", .frozen_weights = FrozenWeights::int8}),
              ElementsAre("conv2d"));
  EXPECT_THAT(bytes({.trainable = "conv*", .frozen_weights = FrozenWeights::int8}),
              ElementsAre("linear"));
  EXPECT_THAT(error_of([&] { bytes({.frozen_weights = FrozenWeights::int8}); }),
              HasSubstr("no convolution or dense layer is frozen; expected --trainable"));
}

TEST(Import, LetsParametersOfFrozenLayersBeCopied) {
  const auto copied = [](ImportRequest request) {
    request.frozen_parameters = FrozenParameters::copied;
    std::vector<std::string> ops;
    const json document = import_text(kSmallOnnx, request);
    for (const json& layer : document.at("layers")) {
      if (layer.contains("frozen_parameters")) ops.push_back(layer.at("op"));
    }
    return ops;
  };
  EXPECT_THAT(copied({.trainable = "conv*"}), ElementsAre("batch_norm2d", "linear"));
  EXPECT_THAT(copied({.trainable = "conv*", .frozen_weights = FrozenWeights::int8}),
              ElementsAre("batch_norm2d"));
  for (const char* const trainable : {"all", "last:1"}) {
    EXPECT_THAT(error_of([&] { copied({.trainable = trainable}); }),
                HasSubstr("no layer with a layer that trains below it is frozen"));
  }
}

TEST(Import, CarriesNumbersOver) {
  const json layers = import_text(R"(
net (float[N,4,6,6] x, float[4] w, float[4] b, float[4] m, float[4] v) => (float[N,4,6,6] y) {
  n, nm, nv = BatchNormalization<training_mode=1, epsilon=0.001, momentum=0.7>(x, w, b, m, v)
  l = LeakyRelu<alpha=0.2>(n)
  ratio = Constant<value = float {0.25}>()
  mode = Constant<value = bool {1}>()
  y = Dropout(l, ratio, mode)
})")["layers"];
  EXPECT_EQ(layers[0].at("epsilon"), 0.001);
  EXPECT_EQ(layers[0].at("momentum"), 0.3);
  EXPECT_FALSE(layers[0].contains("frozen"));
  EXPECT_EQ(layers[1].at("slope"), 0.2);
  EXPECT_EQ(layers[2].at("rate"), 0.25);
  const json usual = import_text(R"(
net (float[N,4,6,6] x, float[4] w, float[4] b, float[4] m, float[4] v) => (float[N,4,6,6] y) {
  n, nm, nv = BatchNormalization<training_mode=1, epsilon=0.00001, momentum=0.9>(x, w, b, m, v)
  y = LeakyRelu<alpha=0.01>(n)
})")["layers"];
  EXPECT_EQ(usual[0].size(), 3U) << usual[0];  // name, op, inputs
  EXPECT_EQ(usual[1].size(), 3U) << usual[1];
}

TEST(Import, StatesTheValueOfANumber) {
  const json layers = import_text(R"(
net (float[N,8] x) => (float[N,8] y) {
  half = Constant<value = float {0.3}>()
  y = Mul(x, half)
})")["layers"];
  EXPECT_EQ(layers[0].at("op"), "parameter");
  EXPECT_EQ(layers[0].at("value"), 0.3);
  EXPECT_EQ(layers[0].at("trainable"), false);
}

TEST(Import, FreezesNormsThatAreInEvaluationModeAmongOthers) {
  const auto frozen = [](const char* mode) {
    const json layers = import_text(fmt::format(R"(
net (float[N,4,6,6] x, float[4] w, float[4] b, float[4] m, float[4] v) => (float[N,4,6,6] y) {{
  n = BatchNormalization<epsilon=0.001>(x, w, b, m, v)
  y{} = BatchNormalization<training_mode={}>(n, w, b, m, v)
}})",
                                                std::string(mode) == "1" ? ", ym, yv" : "", mode)
                                        .c_str())["layers"];
    return std::pair(layers[0].value("frozen", false), layers[1].value("frozen", false));
  };
  EXPECT_EQ(frozen("1"), std::pair(true, false));
  EXPECT_EQ(frozen("0"), std::pair(false, false));
}

TEST(Import, StatesWhatALayerDoesNotCompute) {
  const json layers = import_text(R"(
net (float[N,8] x) => (float[N,8] y) {
  b = LeakyRelu<alpha=-0.5>(x)
  y = HardSigmoid<alpha=0.1666667, beta=0.5>(b)
})")["layers"];
  EXPECT_EQ(layers[0].at("differs"), "its slope is -0.5, the layer's 0.01");
  EXPECT_FALSE(layers[1].contains("differs"));
}

TEST(Import, ComputesLimitsAndSlopesThatNoLayerHas) {
  EXPECT_THAT(ops(import_text(R"(
net (float[N,8] x) => (float[N,8] y) { y = HardSigmoid(x) })")),
              ElementsAre("parameter", "mul", "parameter", "add", "relu", "parameter", "sub",
                          "relu", "sub", "cross_entropy"));
  const json clipped = import_text(R"(
net (float[N,8] x) => (float[N,8] y) {
  low = Constant<value = float {-1}>()
  y = Clip(x, low)
})");
  EXPECT_THAT(ops(clipped), ElementsAre("parameter", "sub", "relu", "add", "cross_entropy"));
  EXPECT_EQ(clipped["layers"][0].at("value"), -1);
}

TEST(Import, SaysThatBatchNormsAreFolded) {
  onnx::ModelProto model = onnx_model(R"(
net (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,6,6] y) {
  y = Conv<kernel_shape=[3,3]>(x, w)
})");
  model.mutable_graph()->mutable_input(1)->set_name("onnx::Conv_12");
  model.mutable_graph()->mutable_node(0)->set_input(1, "onnx::Conv_12");
  const ImportedModel found = import_onnx(model.SerializeAsString(), "net.onnx", {});
  EXPECT_THAT(found.notes, ElementsAre(AllOf(HasSubstr("folded"), HasSubstr("do_constant_folding="
                                                                            "False"))));
  EXPECT_THAT(import_onnx(onnx_bytes(kSmallOnnx), "net.onnx", {}).notes, IsEmpty());
}

// Whether the other file exists must not show either.
TEST(Import, RefusesWeightsInOtherFilesWhereverTheyAre) {
  using Place = std::function<onnx::TensorProto*(onnx::ModelProto&)>;
  const auto attribute = [](onnx::NodeProto& node) { return node.add_attribute(); };
  const std::vector<Place> places{
      [](auto& model) { return model.mutable_graph()->add_initializer(); },
      [](auto& model) { return model.mutable_graph()->add_sparse_initializer()->mutable_values(); },
      [&](auto& model) { return attribute(*model.mutable_graph()->mutable_node(0))->mutable_t(); },
      [&](auto& model) {
        return attribute(*model.mutable_graph()->mutable_node(0))->mutable_g()->add_initializer();
      },
      [&](auto& model) {
        onnx::GraphProto& inner = *attribute(*model.mutable_graph()->mutable_node(0))->add_graphs();
        return attribute(*inner.add_node())->mutable_sparse_tensor()->mutable_indices();
      },
      [&](auto& model) { return attribute(*model.add_functions()->add_node())->add_tensors(); }};
  for (const Place& place : places) {
    onnx::ModelProto model = onnx_model(kSmallOnnx);
    onnx::TensorProto& weight = *place(model);
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *weight.add_external_data();
    entry.set_key("location");
    entry.set_value("/etc/passwd");
    EXPECT_THAT(error_of([&] { imported(model.SerializeAsString()); }),
                AllOf(HasSubstr("net.onnx: "), HasSubstr("'w'"), HasSubstr("another file")));
  }
}

// Nothing looks at all nodes for each node.
TEST(Import, ReadsALongChainInAFewSeconds) {
  std::string text = "net (float[N,8] x0) => (float[N,8] x20000) {\n";
  const std::vector<std::string> nodes{"Relu(x{})", "Add(x{0}, x{0})", "Sigmoid(x{})", "Tanh(x{})"};
  for (int i = 0; i < 20'000; ++i) {
    text += fmt::format("x{} = {}\n", i + 1, fmt::format(fmt::runtime(nodes[i % nodes.size()]), i));
  }
  const std::string bytes = onnx_bytes(text + "}");
  const std::clock_t start = std::clock();
  EXPECT_EQ(import_onnx(bytes, "net.onnx", {}).spec.layers.size(), 20'001);
#ifdef POET_SANITIZE
  constexpr double kSeconds = 25;
#else
  constexpr double kSeconds = 5;
#endif
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kSeconds);
}

TEST(Import, RefusesWeightsOfNegativeExtents) {
  onnx::ModelProto model = onnx_model(kSmallOnnx);
  onnx::TensorProto& weight = *model.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(3);
  weight.add_dims(-1);
  EXPECT_THAT(error_of([&] { imported(model.SerializeAsString()); }),
              AllOf(HasSubstr("net.onnx: "), HasSubstr("'w'"), HasSubstr("extent of -1")));
}

TEST(Import, RefusesInputsWithoutExtents) {
  onnx::ModelProto model = onnx_model(kSmallOnnx);
  auto& type = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  type.mutable_shape()->clear_dim();
  EXPECT_THAT(error_of([&] { imported(model.SerializeAsString()); }),
              AllOf(HasSubstr("net.onnx: "), HasSubstr("has no extents")));
}

TEST(Import, PassesOnTheMeanOfASingleNumber) {
  const std::string bytes = onnx_bytes(R"(
net (float[1,4] x) => (float[1,1] y) {
  all = ReduceMean<keepdims=0>(x)
  same = ReduceMean(all)
  shape = Constant<value_ints=[1,1]>()
  y = Reshape(same, shape)
})");
  const ImportedModel found = import_onnx(bytes, "net.onnx", {});
  EXPECT_EQ(std::count_if(found.spec.layers.begin(), found.spec.layers.end(),
                          [](const auto& layer) { return layer.op == "mean"; }),
            1);
}

TEST(Import, RefusesWhatIsNoModel) {
  EXPECT_THAT(error_of([] { imported(""); }), HasSubstr("expected an ONNX model"));
  EXPECT_THAT(error_of([] { imported("{\"format\": \"poet-model\"}"); }), HasSubstr("net.onnx: "));
  // Every beginning of a file is a damaged file, or by chance a smaller one.
  const std::string whole = onnx_bytes(kSmallOnnx);
  int refused = 0;
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    try {
      static_cast<void>(import_onnx(whole.substr(0, length), "net.onnx", {}));
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GE(refused, static_cast<int>(whole.size() / 7) - 1);
}

TEST(Import, RefusesADescriptionThatWouldFillTheMemory) {
  // A node of two bytes becomes a hundred in memory.
  constexpr std::size_t kNodes = std::size_t{9} << 20;
  std::string graph;
  for (std::size_t i = 0; i < kNodes; ++i) graph += std::string("\x0a\x00", 2);
  std::string bytes = "\x3a";
  for (std::size_t rest = graph.size(); rest > 0; rest >>= 7) {
    bytes += static_cast<char>((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0));
  }
  EXPECT_THAT(error_of([&] { imported(bytes + graph); }), HasSubstr("without weights"));
}

TEST(Import, RefusesGraphsWithinGraphs) {
  onnx::ModelProto model = onnx_model(kSmallOnnx);
  onnx::GraphProto* graph = model.mutable_graph();
  for (int depth = 0; depth < 200; ++depth) {
    onnx::NodeProto& node = *graph->add_node();
    node.set_op_type("If");
    onnx::AttributeProto& branch = *node.add_attribute();
    branch.set_name("then_branch");
    graph = branch.mutable_g();
  }
  EXPECT_THAT(error_of([&] { imported(model.SerializeAsString()); }), HasSubstr("net.onnx: "));
}

}  // namespace
}  // namespace poet::test
