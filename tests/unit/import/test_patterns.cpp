// Nodes that look like a layer: one layer if all of their numbers are the layer's, and single
// layers that compute the same otherwise. tests/golden/import_of_kinds.py has their outputs and
// gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "import/import.hpp"
#include "poet/error.hpp"
#include "support/contents_of.hpp"
#include "support/onnx_text.hpp"

namespace poet::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ImportedModel network(const std::string& text, bool keep_numbers = false, int opset = 14) {
  onnx::ModelProto model = onnx_model(text);
  model.mutable_opset_import(0)->set_version(opset);
  return import_onnx(model.SerializeAsString(), "net.onnx",
                     {.loss = "mse", .keep_numbers = keep_numbers});
}

/// The same with numbers for all inputs but the first.
ImportedModel with_weights(const std::string& text) {
  onnx::ModelProto model = onnx_model(text);
  onnx::GraphProto& graph = *model.mutable_graph();
  for (int i = 1; i < graph.input_size(); ++i) {
    onnx::TensorProto& weight = *graph.add_initializer();
    weight.set_name(graph.input(i).name());
    weight.set_data_type(onnx::TensorProto::FLOAT);
    std::int64_t count = 1;
    for (const auto& extent : graph.input(i).type().tensor_type().shape().dim()) {
      weight.add_dims(extent.dim_value());
      count *= extent.dim_value();
    }
    for (std::int64_t k = 0; k < count; ++k)
      weight.add_float_data(0.5F * static_cast<float>(k + i));
  }
  return import_onnx(model.SerializeAsString(), "net.onnx", {.loss = "mse"});
}

std::vector<std::string> ops_of(const ImportedModel& imported) {
  std::vector<std::string> ops;
  for (const LayerSpec& layer : imported.spec.layers) ops.push_back(layer.op);
  return ops;
}

template <typename Import>
std::string refusal_by(Import&& import) {
  try {
    import();
  } catch (const InputError& error) {
    return error.what();
  }
  return "imported";
}

std::string refusal_of(const std::string& text, int opset = 14) {
  return refusal_by([&] { network(text, false, opset); });
}

/// An attention of four positions and heads of four features.
ImportedModel attention(const std::string& scale, const std::string& mask) {
  return network(fmt::format(R"(
net (float[2,4,8] x) => (float[2,4,8] y) {{
  parts = Constant<value = int64[4] {{2, 4, 2, 4}}>()
  whole = Constant<value = int64[3] {{2, 4, 8}}>()
  scale = Constant<value = float {{{}}}>()
  mask = Constant<value = float[4,4] {{{}}}>()
  q = Reshape(x, parts)
  qt = Transpose<perm=[0,2,1,3]>(q)
  kt = Transpose<perm=[0,2,3,1]>(q)
  product = MatMul(qt, kt)
  scaled = Mul(product, scale)
  scores = Add(scaled, mask)
  weights = Softmax<axis=-1>(scores)
  context = MatMul(weights, qt)
  moved = Transpose<perm=[0,2,1,3]>(context)
  y = Reshape(moved, whole)
}})",
                             scale, mask));
}

constexpr const char* kNothing = "0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,0";
constexpr const char* kLater = "0,-1e9,-1e9,-1e9, 0,0,-1e9,-1e9, 0,0,0,-1e9, 0,0,0,0";
constexpr const char* kWindow = "0,-1e9,-1e9,-1e9, 0,0,-1e9,-1e9, -1e9,0,0,-1e9, -1e9,-1e9,0,0";

TEST(ImportPatterns, AttentionHasItsScaleAndHidesNothingOrWhatComesLater) {
  for (const char* const mask : {kNothing, kLater}) {
    const ImportedModel imported = attention("0.5", mask);
    EXPECT_THAT(ops_of(imported), ElementsAre("attention", "mse"));
    EXPECT_EQ(imported.spec.layers[0].attributes.at("causal").height, mask == kLater ? 1 : 0);
  }
  for (const auto& [scale, mask] : {std::pair{"0.25", kNothing}, std::pair{"0.5", kWindow}}) {
    const std::vector<std::string> ops = ops_of(attention(scale, mask));
    EXPECT_THAT(ops, Not(Contains("attention"))) << scale;
    EXPECT_THAT(ops, Contains("softmax"));
  }
  EXPECT_THAT(attention("0.5", kWindow).notes, Contains(HasSubstr("has known numbers")));
}

std::string layer_norm(const std::string& keeps, const std::string& exponent) {
  return fmt::format(R"(
net (float[4,4] x) => (float[4,4] y) {{
  m = ReduceMean<axes=[-1], keepdims={}>(x)
  d = Sub(x, m)
  two = Constant<value = float {{{}}}>()
  p = Pow(d, two)
  v = ReduceMean<axes=[-1]>(p)
  e = Constant<value = float {{0.00001}}>()
  ve = Add(v, e)
  s = Sqrt(ve)
  y = Div(d, s)
}})",
                     keeps, exponent);
}

TEST(ImportPatterns, LayerNormKeepsItsAxesAndSquares) {
  const ImportedModel imported = network(layer_norm("1", "2"));
  ASSERT_THAT(ops_of(imported), ElementsAre("layer_norm", "mse"));
  EXPECT_FALSE(imported.spec.layers[0].trainable) << "its ones are not a gamma of the file";
  EXPECT_THAT(ops_of(network(layer_norm("0", "2"))),
              testing::IsSupersetOf({"mean", "sub", "concat", "layer_norm", "slice"}))
      << "of what is left of x, the root of the mean square";
  EXPECT_THAT(refusal_of(layer_norm("1", "3")), HasSubstr("Sqrt"));
}

TEST(ImportPatterns, WhatNobodyLooksAtIsNamed) {
  EXPECT_THAT(refusal_of(R"(
net (float[2,4] x, float[4] w, float[4] b, float[4] m, float[4] v) => (float[2,4] y) {
  y = BatchNormalization<spatial=0>(x, w, b, m, v)
})",
                         8),
              HasSubstr("no layer has its attribute spatial"));
  EXPECT_THAT(refusal_of(R"(
net (float[3,2,4] x, float[1,20,4] w, float[1,20,5] r) => (float[3,1,2,5] y) {
  y = LSTM<hidden_size=5, activations=["Sigmoid","Relu","Tanh"]>(x, w, r)
})"),
              HasSubstr("it states activations"));
}

TEST(ImportPatterns, TheUsualActivationsOfAnLstmMayBeStated) {
  EXPECT_THAT(ops_of(network(R"(
net (float[3,2,4] x, float[1,20,4] w, float[1,20,5] r) => (float[3,1,2,5] y) {
  y = LSTM<hidden_size=5, activations=["Sigmoid","Tanh","Tanh"]>(x, w, r)
})")),
              Contains("lstm"));
}

TEST(ImportPatterns, OfSeveralOutputsTheFirstOfFloatsIsTakenAndNamed) {
  const ImportedModel imported = network(R"(
net (float[2,4] x) => (int64[2,1] best, float[2,4] y, float[2,4] z) {
  y = Relu(x)
  z = Tanh(y)
  best = ArgMax<axis=1>(y)
})");
  EXPECT_THAT(ops_of(imported), ElementsAre("relu", "mse"));
  EXPECT_THAT(imported.notes,
              Contains(HasSubstr("computed from the output 'y'; the other 2 are left out")));
}

TEST(ImportPatterns, OneSlopeFitsAnInputOfOneExtent) {
  EXPECT_THAT(ops_of(network("net (float[4] x, float s) => (float[4] y) { y = PRelu(x, s) }")),
              ElementsAre("prelu", "mse"));
}

TEST(ImportPatterns, TwoBiasesOfOneWeightAreParameters) {
  const ImportedModel imported = with_weights(R"(
net (float[N,4] x, float[4,4] w, float[4] b, float[4] c) => (float[N,4] y) {
  h = Gemm(x, w, b)
  r = Relu(h)
  y = Gemm(r, w, c)
})");
  ASSERT_THAT(ops_of(imported), ElementsAre("linear", "parameter", "add", "relu", "linear",
                                            "parameter", "add", "mse"));
  EXPECT_FALSE(imported.spec.layers[0].weights);
  EXPECT_EQ(imported.spec.layers[4].weights->name, imported.spec.layers[0].name);
}

TEST(ImportPatterns, AWeightThatOneReaderTransposesIsOneParameter) {
  EXPECT_THAT(ops_of(with_weights(R"(
net (float[N,4] x, float[4,4] w) => (float[N,4] y) {
  h = Gemm(x, w)
  y = Gemm<transB=1>(h, w)
})")),
              ElementsAre("parameter", "matmul", "matmul", "mse"));
}

TEST(ImportPatterns, ABiasOfTwoWeightsIsOneParameter) {
  EXPECT_THAT(ops_of(with_weights(R"(
net (float[N,4] x, float[4,4] w, float[4,4] v, float[4] b) => (float[N,4] y) {
  h = Gemm(x, w, b)
  y = Gemm(h, v, b)
})")),
              ElementsAre("linear", "parameter", "add", "linear", "add", "mse"));
}

TEST(ImportPatterns, SequencesThatShareTheirWeightsShareOneCell) {
  const ImportedModel imported = network(R"(
net (float[2,2,4] x, float[1,16,4] w, float[1,16,4] r) => (float[2,1,2,4] y) {
  a = LSTM<hidden_size=4>(x, w, r)
  b = LSTM<hidden_size=4>(x, w, r)
  y = Add(a, b)
})");
  int owners = 0;
  for (const LayerSpec& layer : imported.spec.layers) {
    owners += layer.op == "lstm" && !layer.weights ? 1 : 0;
  }
  EXPECT_EQ(owners, 1);
}

TEST(ImportPatterns, RefusesWhatNoLayersCanShare) {
  EXPECT_THAT(refusal_of(R"(
net (float[2,4] x, float[4] w, float[4] b, float[4] c, float[4] m, float[4] v) => (float[2,4] y) {
  h = BatchNormalization(x, w, b, m, v)
  y = BatchNormalization(h, w, c, m, v)
})"),
              HasSubstr("other nodes read its weight 'w' in another way"));
}

TEST(ImportPatterns, SumsBeyondWholeNumbersNameTheNode) {
  const std::string bytes =
      contents_of(POET_SOURCE_DIR "/tests/fuzz/corpus/onnx/dilation_beyond_numbers.onnx");
  EXPECT_THAT(refusal_by([&] { import_onnx(bytes, "net.onnx", {.loss = "mse"}); }),
              HasSubstr("net.onnx: Conv (node /conv1/Conv): 31 + 9223372036854775807"));
}

TEST(ImportPatterns, ResizesAreLayersOrProductsWithKnownMatrices) {
  const auto resized = [](const std::string& attributes) {
    return network(fmt::format(R"(
net (float[1,1,2,2] x) => (float[1,1,4,4] y) {{
  scales = Constant<value = float[4] {{1, 1, 2, 2}}>()
  y = Resize<{}>(x, , scales)
}})",
                               attributes),
                   true);
  };
  for (const char* const usual :
       {"mode=\"linear\"", "coordinate_transformation_mode=\"half_pixel\"",
        "coordinate_transformation_mode=\"asymmetric\", nearest_mode=\"floor\""}) {
    EXPECT_THAT(ops_of(resized(usual)), ElementsAre("upsample2d", "mse")) << usual;
  }
  const ImportedModel aligned =
      resized("mode=\"linear\", coordinate_transformation_mode=\"align_corners\"");
  ASSERT_THAT(ops_of(aligned), ElementsAre("linear", "permute", "linear", "permute", "mse"));
  EXPECT_FALSE(aligned.spec.layers[0].trainable);
  ASSERT_EQ(aligned.parameters.size(), 2U);
  const float third = 1.0F / 3;
  EXPECT_THAT(
      aligned.parameters[0].values,
      ElementsAre(1, 0, testing::FloatEq(1 - third), testing::FloatEq(third),
                  testing::FloatNear(third, 1e-6F), testing::FloatNear(1 - third, 1e-6F), 0, 1));
}

TEST(ImportPatterns, TheLossHasTheClassesOfTheSoftmax) {
  onnx::ModelProto model = onnx_model(R"(
net (float[2,5,7] x) => (float[2,5,7] y) { y = Softmax<axis=1>(x) })");
  const ImportedModel imported = import_onnx(model.SerializeAsString(), "net.onnx", {});
  ASSERT_THAT(ops_of(imported), ElementsAre("permute", "cross_entropy"));
  EXPECT_THAT(imported.spec.layers[0].attributes.at("order").list, ElementsAre(0, 2, 1));
  EXPECT_EQ(imported.spec.layers[1].attributes.at("classes").height, 5);
}

TEST(ImportPatterns, LeavesOutInputsThatNothingReads) {
  const ImportedModel imported = network(R"(
net (float[3,2] z, float[3,4] x) => (float[3,4] y) { y = Relu(x) })");
  ASSERT_EQ(imported.spec.inputs.size(), 1U);
  EXPECT_EQ(imported.spec.inputs[0].shape, (Shape{3, 4}));
  EXPECT_THAT(imported.notes, Contains(HasSubstr("nothing reads the input 'z'")));
}

TEST(ImportPatterns, PicksElementsAtKnownPlaces) {
  const auto picked = [](const std::string& places) {
    return ops_of(network(fmt::format(R"(
net (float[N,4] x) => (float[N,2] y) {{
  places = Constant<value = int64[2] {{{}}}>()
  y = Gather<axis=1>(x, places)
}})",
                                      places)));
  };
  EXPECT_THAT(picked("-2, -1"), ElementsAre("slice", "mse"));
  EXPECT_THAT(picked("-1, 0"), ElementsAre("slice", "slice", "concat", "mse"));
}

TEST(ImportPatterns, AStoredNumberTrains) {
  const ImportedModel imported =
      with_weights("net (float[N,4] x, float[1] s) => (float[N,4] y) { y = Mul(x, s) }");
  EXPECT_EQ(imported.spec.layers[0].op, "parameter");
  EXPECT_TRUE(imported.spec.layers[0].trainable);
}

TEST(ImportPatterns, ReadsFloatsOf16Bits) {
  for (const auto& [type, bytes] :
       {std::pair{onnx::TensorProto::FLOAT16, std::string("\x00\x3c\x00\xc0\x01\x00", 6)},
        std::pair{onnx::TensorProto::BFLOAT16, std::string("\x80\x3f\x00\xc0\x01\x00", 6)}}) {
    onnx::ModelProto model = onnx_model(R"(
net (float[N,3] x) => (float[N,3] y) {
  t = Cast<to=1>(s)
  y = Mul(x, t)
})");
    onnx::TensorProto& stored = *model.mutable_graph()->add_initializer();
    stored.set_name("s");
    stored.set_data_type(type);
    stored.set_raw_data(bytes);
    stored.add_dims(3);
    const ImportedModel imported =
        import_onnx(model.SerializeAsString(), "net.onnx", {.keep_numbers = true});
    ASSERT_EQ(imported.parameters.size(), 1U);
    const float least = type == onnx::TensorProto::FLOAT16 ? 0x1p-24F : 0x1p-133F;
    EXPECT_THAT(imported.parameters[0].values, ElementsAre(1, -2, least));
  }
}

TEST(ImportPatterns, ConstantsAreWeightsOfAFileThatHasNoOthers) {
  const std::string constant = R"(
  w = Constant<value = float[2,2] {1, 2, 3, 4}>()
  y = MatMul(h, w)
})";
  const ImportedModel alone =
      network("net (float[N,2] x) => (float[N,2] y) { h = Relu(x)" + constant);
  ASSERT_THAT(ops_of(alone), ElementsAre("relu", "linear", "mse"));
  EXPECT_TRUE(alone.spec.layers[1].trainable);
  const ImportedModel beside =
      with_weights("net (float[N,2] x, float[2] a) => (float[N,2] y) { h = Mul(x, a)" + constant);
  ASSERT_THAT(ops_of(beside), ElementsAre("parameter", "mul", "linear", "mse"));
  EXPECT_FALSE(beside.spec.layers[2].trainable);
}

TEST(ImportPatterns, AConstantBesideAStoredTensorOfALayerDoesNotTrain) {
  const auto trained = [](const std::string& parameters, const std::string& constant) {
    const ImportedModel imported =
        with_weights("net (float[N,2,4] x, " + parameters + ") => (float[N,2,4] y) {" + constant +
                     "y = Conv(x, w, b) }");
    std::vector<std::string> names;
    for (const InputName& each : imported.spec.layers[0].trained.value())
      names.push_back(each.name);
    return names;
  };
  EXPECT_THAT(trained("float[2,2,1] w", "b = Constant<value = float[2] {1, 2}>()"),
              ElementsAre("weight"));
  EXPECT_THAT(trained("float[2] b", "w = Constant<value = float[2,2,1] {1, 2, 3, 4}>()"),
              ElementsAre("bias"));
}

}  // namespace
}  // namespace poet::test
