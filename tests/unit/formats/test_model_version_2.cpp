// What version 2 of the model file adds: every key, and what is said about a wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "expect_input_error.hpp"
#include "poet/model.hpp"
#include "support/exact_model.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLayers =
    R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
       {"name": "r", "op": "relu", "inputs": ["a"]},
       {"name": "loss", "op": "mse", "inputs": ["r"]})";

/// A file with one mistake, and what its error has to say.
struct Mistake {
  std::string name;
  std::string from, to;  ///< what is replaced in a good file
  std::string message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

std::string with_mistake(std::string text, const Mistake& mistake) {
  const std::size_t at = text.find(mistake.from);
  if (at == std::string::npos) throw std::runtime_error("no " + mistake.from);
  return text.replace(at, mistake.from.size(), mistake.to);
}

class BadLayers : public testing::TestWithParam<Mistake> {};

TEST_P(BadLayers, AreRefusedWithThePlace) {
  const std::string text =
      with_mistake(exact_text("[1, 3]", kLayers,
                              R"("update": "fused", "optimizer": "sgd", "dtype": "fp32",
                    "inputs": {"label": {"shape": [3]}},)"),
                   GetParam());
  EXPECT_EQ(input_error([&] { parse_model(text, "m.json"); }), "m.json: " + GetParam().message);
}

const std::string kRelu = R"("op": "relu", "inputs": ["a"])";

INSTANTIATE_TEST_SUITE_P(
    All, BadLayers,
    testing::Values(
        Mistake{"version_3", R"("version": 2)", R"("version": 3)",
                "/version: found the number 3, expected version 1 or 2 of \"poet-model\""},
        Mistake{"update", R"("fused")", R"("later")",
                "/update: found a string (\"later\"), expected \"fused\", \"buffered\" or "
                "\"accumulate\""},
        Mistake{"optimizer", R"("sgd")", "7",
                "/optimizer: found the number 7, expected \"sgd\", \"momentum\" or \"adam\""},
        Mistake{"dtype", R"("fp32")", R"("bf16")",
                "/dtype: found a string (\"bf16\"), expected \"fp32\", \"fp16\" or \"int8\", or an "
                "object of activations, gradients and parameters"},
        Mistake{"dtype_of_one_kind", R"("fp32")", R"({"gradients": "int32"})",
                "/dtype/gradients: found a string (\"int32\"), expected \"fp32\", \"fp16\" or "
                "\"int8\""},
        Mistake{"dtype_of_another_kind", R"("fp32")", R"({"weights": "int8"})",
                "/dtype/weights: found an unknown key, expected one of activations, gradients, "
                "parameters"},
        Mistake{"inputs", R"({"label": {"shape": [3]}})", "[]",
                "/inputs: found an array of 0, expected an object"},
        Mistake{"input_type", R"("shape": [3])", R"("shape": [3], "dtype": "text")",
                "/inputs/label/dtype: found a string (\"text\"), expected \"fp32\", \"fp16\", "
                "\"int8\" or \"int32\""},
        Mistake{"repeatable", R"("shape": [3])", R"("shape": [3], "repeatable": "yes")",
                "/inputs/label/repeatable: found a string (\"yes\"), expected true or false"},
        Mistake{"zeros", R"("shape": [3])", R"("shape": [3], "zeros": 0)",
                "/inputs/label/zeros: found the number 0, expected true or false"},
        Mistake{"input_of_no_name", R"("label")", R"("")",
                "/inputs/: found the key '', expected a name of at least one character and no "
                "control characters"},
        Mistake{"input_named_like_a_layer", R"("label")", R"("a")",
                "/layers/0: found the name 'a' of node 1 again, expected one of its own"},
        Mistake{"trainable", kRelu, kRelu + R"(, "trainable": 1)",
                "/layers/1/trainable: found the number 1, expected true or false"},
        Mistake{"weights_of_nobody", R"("out_features": 3)", R"("out_features": 3, "weights": "r")",
                "/layers/0/weights: found 'r', expected the name of an earlier layer"},
        Mistake{"weights_without_parameters", kRelu, kRelu + R"(, "weights": "a")",
                "/layers/1/weights: found it for the op relu, which has no parameters; expected "
                "none"},
        Mistake{"weights_of_another_shape", kRelu,
                R"("op": "linear", "inputs": ["a"], "out_features": 4, "weights": "a")",
                "/layers/1/weights: found 'a' (linear), expected a layer of the op linear with "
                "parameters of the same shapes"},
        Mistake{"int8_of_another_word", kRelu, kRelu + R"(, "frozen_weights": "int4")",
                "/layers/1/frozen_weights: found a string (\"int4\"), expected \"float32\" or "
                "\"int8\""},
        Mistake{"int8_of_an_op_without_weights", kRelu, kRelu + R"(, "frozen_weights": "int8")",
                "/layers/1: \"frozen_weights\": found for the op relu; expected conv1d, conv2d, "
                "linear or linear_relu, whose kernels read weights of one byte"},
        Mistake{
            "int8_of_what_is_trained", R"("out_features": 3)",
            R"("out_features": 3, "frozen_weights": "int8")",
            "/layers/0: \"frozen_weights\": found in a layer that is trained, which takes steps "
            "of less than a byte; expected \"trainable\": false beside it"},
        Mistake{"int8_of_another_layer", kRelu,
                R"("op": "linear", "inputs": ["a"], "out_features": 3, "trainable": false, )"
                R"("frozen_weights": "int8", "weights": "a")",
                "/layers/1: \"frozen_weights\": found beside \"weights\"; expected weights of the "
                "layer's own"},
        Mistake{"copied_by_another_word", kRelu, kRelu + R"(, "frozen_parameters": true)",
                "/layers/1/frozen_parameters: found true, expected \"in_place\" or \"copied\""},
        Mistake{"copied_without_parameters", kRelu, kRelu + R"(, "frozen_parameters": "copied")",
                "/layers/1: \"frozen_parameters\": found for the op relu, which has no parameters; "
                "expected none"},
        Mistake{"copied_and_trained", R"("out_features": 3)",
                R"("out_features": 3, "frozen_parameters": "copied")",
                "/layers/0: \"frozen_parameters\": found in a layer that is trained, whose "
                "parameters are in RAM; expected \"trainable\": false beside it"},
        Mistake{"copied_of_another_layer", kRelu,
                R"("op": "linear", "inputs": ["a"], "out_features": 3, "trainable": false, )"
                R"("frozen_parameters": "copied", "weights": "a")",
                "/layers/1: \"frozen_parameters\": found beside \"weights\"; expected it in the "
                "layer that has the parameters"},
        Mistake{"copied_bytes", R"("out_features": 3)",
                R"("out_features": 3, "trainable": false, "frozen_weights": "int8", )"
                R"("frozen_parameters": "copied")",
                "/layers/0: \"frozen_parameters\": found beside \"frozen_weights\": \"int8\"; "
                "expected one of them, since weights of one byte are read in place"},
        Mistake{"recompute", kRelu, kRelu + R"(, "recompute": null)",
                "/layers/1/recompute: found null, expected true or false"},
        Mistake{"page", kRelu, kRelu + R"(, "page": "no")",
                "/layers/1/page: found a string (\"no\"), expected true or false"},
        Mistake{"workspace", kRelu, kRelu + R"(, "workspace_bytes": -1)",
                "/layers/1/workspace_bytes: found the number -1, expected a whole number from 0 to "
                "2^53"},
        Mistake{"in_place_of_a_number", kRelu, kRelu + R"(, "in_place": 1)",
                "/layers/1/in_place: found the number 1, expected true, false or the name of an "
                "input"},
        Mistake{"in_place_of_no_input", kRelu, kRelu + R"(, "in_place": "input")",
                "/layers/1/in_place: found 'input', expected one of the layer's inputs"},
        Mistake{"in_place_over_other_bytes", kRelu,
                R"("op": "mean", "axes": [1], "inputs": ["a"], "in_place": "a")",
                "/layers/1/in_place: found 'a' of 3 elements, expected an input of as many bytes "
                "as the output, which has 1 elements"},
        Mistake{"in_place_over_a_view", kRelu,
                R"("op": "flatten", "inputs": ["a"]}, {"name": "q", "op": "relu",
                   "inputs": ["r"], "in_place": "r")",
                "/layers/2/in_place: found 'r', which is a view, expected a tensor of its own"},
        Mistake{"page_of_a_view", kRelu, R"("op": "flatten", "inputs": ["a"], "page": false)",
                "/layers/1: found an attribute of a tensor, but 'r' is a view of 'a'; expected it "
                "there"},
        Mistake{"target_of_no_loss", kRelu, kRelu + R"(, "target": "label")",
                "/layers/1/target: found a target for the op relu, which takes none"},
        Mistake{"target_of_nobody", R"("op": "mse")", R"("op": "mse", "target": "labels")",
                "/layers/2/target: found 'labels', which names no node, expected an earlier node; "
                "did you mean 'label'?"},
        Mistake{"target_of_another_shape", R"("op": "mse")", R"("op": "mse", "target": "label")",
                "/layers/2 (mse 'loss'): the target's shape is [3], expected the input's [1, 3]"},
        Mistake{"choice", kRelu, R"("op": "upsample2d", "inputs": ["a"], "scale": 2,
                                    "mode": "cubic")",
                "/layers/1/mode: found a string (\"cubic\"), expected \"nearest\" or \"bilinear\""},
        Mistake{"padding", kRelu, R"("op": "conv2d", "inputs": ["a"], "out_channels": 2,
                                    "kernel": 1, "padding": "full")",
                "/layers/1/padding: found a string (\"full\"), expected \"same\", [height, width] "
                "or one number for both"},
        Mistake{"rate_of_1", kRelu, R"("op": "dropout", "inputs": ["a"], "rate": 1)",
                "/layers/1/rate: found 1, expected a number from 0 to below 1, as float32"},
        Mistake{
            "rate_that_rounds_to_1", kRelu,
            R"("op": "stochastic_depth", "inputs": ["a"], "rate": 0.99999999)",
            "/layers/1/rate: found 0.99999999, expected a number from 0 to below 1, as float32"},
        Mistake{"negative_rate", kRelu, R"("op": "dropout", "inputs": ["a"], "rate": -0.5)",
                "/layers/1/rate: found -0.5, expected a number from 0 to below 1, as float32"},
        Mistake{"negative_epsilon", kRelu,
                R"("op": "layer_norm", "inputs": ["a"], "epsilon": -1e-5)",
                "/layers/1/epsilon: found -1e-05, expected a number from 0 to 1e+30, as float32"},
        Mistake{"momentum_above_1", kRelu,
                R"("op": "batch_norm1d", "inputs": ["a"], "momentum": 1.5)",
                "/layers/1/momentum: found 1.5, expected a number from 0 to 1, as float32"},
        Mistake{"negative_slope", kRelu, R"("op": "leaky_relu", "inputs": ["a"], "slope": -0.1)",
                "/layers/1/slope: found -0.1, expected a number from 0 to 1e+30, as float32"},
        Mistake{"slope_of_a_word", kRelu, R"("op": "leaky_relu", "inputs": ["a"], "slope": "0.1")",
                "/layers/1/slope: found a string (\"0.1\"), expected a number from 0 to 1e+30"},
        Mistake{"slope_of_another_op", kRelu, kRelu + R"(, "slope": 0.1)",
                "/layers/1/slope: found an unknown key, expected one of name, op, inputs, mask, "
                "trainable, weights, recompute, page, bank, in_place, workspace_bytes, differs, "
                "dtype, frozen_weights, frozen_parameters, target"},
        Mistake{"custom_without_flops", kRelu, R"("op": "custom", "inputs": ["a"], "shape": [3])",
                "/layers/1: found no 'flops', expected one"},
        Mistake{"custom_of_no_extents", kRelu,
                R"("op": "custom", "inputs": ["a"], "shape": [], "flops": 1)",
                "/layers/1/shape: found an array of 0, expected at least one extent"},
        Mistake{"custom_that_saves_something_else", kRelu,
                R"("op": "custom", "inputs": ["a"], "shape": [3], "flops": 1, "saves": ["x"])",
                "/layers/1/saves/0: found a string (\"x\"), expected \"inputs\" or \"output\""},
        Mistake{"custom_of_negative_parameters", kRelu,
                R"("op": "custom", "inputs": ["a"], "shape": [3], "flops": 1, "parameters": -1)",
                "/layers/1/parameters: found the number -1, expected a whole number from 0 to "
                "2^53"}),
    [](const auto& instance) { return instance.param.name; });

TEST(Version2, AnUnknownOpListsThemAndNamesCustom) {
  const std::string error = input_error([] {
    parse_model(exact_text("[1, 3]", R"({"name": "a", "op": "gelo", "inputs": ["input"]})"), "m");
  });
  EXPECT_THAT(error,
              HasSubstr("/layers/0/op: found the unknown op 'gelo', expected one of conv2d,"));
  EXPECT_THAT(error, HasSubstr("lstm"));
  EXPECT_THAT(error, HasSubstr("did you mean 'gelu'?"));
  EXPECT_THAT(error, HasSubstr("custom stands for any other"));
}

TEST(Version2, PartsOfASplitHaveNamesOfTheirOwn) {
  EXPECT_THAT(input_error([] {
                parse_model(exact_text("[1, 4]",
                                       R"({"name": "s", "op": "split", "inputs": ["input"],
                                           "sizes": [1, 3]},
                                          {"name": "loss", "op": "mse", "inputs": ["s"]})"),
                            "m");
              }),
              HasSubstr("/layers/1/inputs/0: found 's', whose parts have names of their own; "
                        "expected one of them, such as 's.0'"));
}

/// A file of version 1 with a key or an op of version 2.
class NewKey : public testing::TestWithParam<Mistake> {};

TEST_P(NewKey, IsAnErrorInVersion1ThatNamesVersion2) {
  const std::string text = with_mistake(
      R"({"format": "poet-model", "version": 1, "name": "t", "input": {"shape": [1, 3, 8, 8]},
          "layers": [{"name": "c", "op": "conv2d", "inputs": ["input"], "out_channels": 2,
                      "kernel": 1}]})",
      GetParam());
  const std::string error = input_error([&] { parse_model(text, "m.json"); });
  EXPECT_THAT(error, testing::StartsWith("m.json: " + GetParam().message));
  EXPECT_THAT(error, HasSubstr("\"version\": 2"));
}

INSTANTIATE_TEST_SUITE_P(
    All, NewKey,
    testing::Values(
        Mistake{"update", R"("name": "t")", R"("name": "t", "update": "fused")", "/update: "},
        Mistake{"exact", R"("name": "t")", R"("name": "t", "backward": "exact")", "/backward: "},
        Mistake{"inputs", R"("name": "t")", R"("name": "t", "inputs": {})", "/inputs: "},
        Mistake{"repeatable", R"([1, 3, 8, 8])", R"([1, 3, 8, 8], "repeatable": true)",
                "/input/repeatable: "},
        Mistake{"groups", R"("kernel": 1)", R"("kernel": 1, "groups": 1)", "/layers/0/groups: "},
        Mistake{"trainable", R"("kernel": 1)", R"("kernel": 1, "trainable": true)",
                "/layers/0/trainable: "},
        Mistake{"in_place", R"("kernel": 1)", R"("kernel": 1, "in_place": false)",
                "/layers/0/in_place: "},
        Mistake{"op", R"("conv2d")", R"("gelu")", "/layers/0/op: found the op 'gelu'"}),
    [](const auto& instance) { return instance.param.name; });

std::string nodes_text(const std::string& attributes, const std::string& keys = "") {
  return R"({"format": "poet-model", "version": 2, "name": "own",
 "parameters": {"w": 40}, )" +
         keys + R"("nodes": [
 {"name": "a", "bytes": 8, "runtime_seconds": 1, "energy_joules": 1, "inputs": [],
  "recompute": false, "page": false},
 {"name": "b", "bytes": 8, "runtime_seconds": 1, "energy_joules": 1, "inputs": ["a"],
  "in_place": "a"},
 {"name": "c", "bytes": 8, "runtime_seconds": 1, "energy_joules": 1, "inputs": ["a", "b"])" +
         attributes + "}]}";
}

TEST(Version2Nodes, StateAttributesOfTheirOwn) {
  const Model model =
      parse_model(nodes_text(R"(, "in_place": "b", "workspace_bytes": 16, "recompute": false,
                     "reads_parameters": ["w"], "writes_parameters": ["w"],
                     "page_in_seconds": 0.5, "page_out_seconds": 0.25)"),
                  "own.json");
  const ModelNode& node = model.nodes[2];
  EXPECT_EQ(node.in_place, 1);
  EXPECT_EQ(node.workspace_bytes, 16);
  EXPECT_FALSE(node.recompute);
  EXPECT_TRUE(node.page);
  EXPECT_FALSE(model.nodes[0].page);
  EXPECT_THAT(node.reads_parameters, ElementsAre("w"));
  EXPECT_THAT(node.writes_parameters, ElementsAre("w"));
  EXPECT_EQ(node.measured->page_in_seconds, 0.5);
  EXPECT_EQ(node.measured->page_out_seconds, 0.25);
  ASSERT_EQ(model.parameters.size(), 1U);
  EXPECT_EQ(model.parameters[0].bytes, 40);
  EXPECT_TRUE(model.parameters[0].is_trained);
}

TEST(Version2Nodes, MistakesHaveThePlace) {
  const auto error = [](const std::string& attributes, const std::string& keys = "") {
    return input_error([&] { parse_model(nodes_text(attributes, keys), "own.json"); });
  };
  EXPECT_EQ(error(R"(, "in_place": "c")"),
            "own.json: /nodes/2/in_place: found 'c', expected one of the node's inputs");
  EXPECT_EQ(error(R"(, "in_place": "a")"),
            "own.json: /nodes/2/in_place: found 'a', which 'b' takes over and which is neither "
            "computed again nor paged; expected one node over it");
  EXPECT_EQ(error(R"(, "reads_parameters": ["v"])"),
            "own.json: /nodes/2/reads_parameters/0: found 'v', expected a name of \"parameters\" "
            "at the top of the file");
  EXPECT_EQ(error(R"(, "writes_parameters": ["w"])"),
            "own.json: /nodes/2/writes_parameters: found parameters that the node changes, "
            "expected \"recompute\": false beside them");
  EXPECT_EQ(error(R"(, "workspace_bytes": 0.5)"),
            "own.json: /nodes/2/workspace_bytes: found the number 0.5, expected a whole number "
            "from 0 to 2^53");
  EXPECT_EQ(error(R"(, "page": 1)"),
            "own.json: /nodes/2/page: found the number 1, expected true or false");
  EXPECT_EQ(error(R"(, "page_in_seconds": -1)"),
            "own.json: /nodes/2/page_in_seconds: found the number -1, expected a number of at "
            "least 0");
  EXPECT_THAT(error("", R"("update": "fused",)"), HasSubstr("/update: found an unknown key"));
  const std::string other_bytes = R"(, "in_place": "b")";
  std::string text = nodes_text(other_bytes);
  text.replace(text.find(R"("name": "c", "bytes": 8)"), 23, R"("name": "c", "bytes": 4)");
  EXPECT_EQ(input_error([&] { parse_model(text, "own.json"); }),
            "own.json: /nodes/2/in_place: found 'b' of 8 bytes, expected an input of as many bytes "
            "as the output, which has 4");
}

}  // namespace
}  // namespace poet
