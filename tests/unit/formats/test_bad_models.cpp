#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "expect_input_error.hpp"
#include "poet/model.hpp"

namespace poet {
namespace {

struct BadFile {
  std::string name;
  std::string message;  ///< a part of what the error must say
};

void PrintTo(const BadFile& bad, std::ostream* out) {
  *out << bad.name;
}

std::string folder() {
  return std::string(POET_TEST_DATA) + "/models/bad/";
}

std::vector<BadFile> bad_files() {
  return {
      BadFile{"absurd_bytes", "/nodes/0/bytes: found the number 9007199254740993"},
      BadFile{"absurd_channels",
              "/layers/0 (conv2d 'conv1'): 2 * 3 * 3 * 192 * 9000000000000000 is above 2^63"},
      BadFile{"absurd_flop", "is above 2^63"},
      BadFile{"absurd_input", "/input/shape: a tensor of"},
      BadFile{"absurd_tensor",
              "/layers/0 (linear 'fc'): a tensor of 4 x 9000000000000000 elements; expected at "
              "most 2^53"},
      BadFile{"attention_mismatch",
              "/layers/0 (attention_qkv 'qkv'): the input's shape is [8, 4], expected [8, 5] "
              "(sequence, hidden)"},
      BadFile{"backward_of_a_graph",
              "/backward: found a string (\"poet-chain\"), expected \"explicit\""},
      BadFile{"batch_in_the_middle",
              "/input/shape/1: found a string (\"N\"), expected a whole number (only the first "
              "extent may be \"N\""},
      BadFile{"channels_do_not_divide", "expected the second's channels to divide the first's"},
      BadFile{
          "conv_on_a_matrix",
          "/layers/1 (conv2d 'c'): the input's shape is [1, 192], expected 4 extents (N, C, H, W)"},
      BadFile{"cycle",
              "/nodes/1/inputs/1: found 'c', which comes later, expected an earlier node (nodes "
              "must be in topological order"},
      BadFile{"duplicate_key", "/format: found the key twice"},
      BadFile{"duplicate_name", "/layers/1: found the name 'relu1' of node 1 again"},
      BadFile{"duplicate_node", "/nodes/1: found the name 'a' of node 0 again"},
      BadFile{"empty", ".json:1:1: found an empty file"},
      BadFile{"empty_layers", "/layers: found an array of 0, expected at least one layer"},
      BadFile{"empty_name", "/name: found a string (\"\"), expected a name"},
      BadFile{"empty_nodes", "/nodes: found an array of 0, expected at least one node"},
      BadFile{"energy_is_null", "/nodes/0/energy_joules: found null"},
      BadFile{"forward_input",
              "/layers/0/inputs/0: found 'b', which comes later, expected an earlier node (nodes "
              "must be in topological order, without cycles)"},
      BadFile{"fractional_bytes", "/nodes/0/bytes: found the number 1.5"},
      BadFile{"fractional_channels",
              "/layers/0/out_channels: found the number 4.5, expected a whole number"},
      BadFile{"huge_extent", "/input/shape/1: found the number 1e+18"},
      BadFile{"kernel_is_text",
              "/layers/0/kernel: found a string (\"3x3\"), expected a whole number from 1 to 2^53"},
      BadFile{"kernel_of_three", "/layers/0/kernel: found an array of 3, expected [height, width]"},
      BadFile{"kernel_too_large",
              "/layers/0 (conv2d 'conv1'): the kernel's height is 9, expected at most the padded "
              "input's 8"},
      BadFile{"layers_and_nodes", "found both 'layers' and 'nodes'"},
      BadFile{"layers_of_wrong_type", "/layers: found an object, expected an array"},
      BadFile{"linear_on_an_image",
              "/layers/0 (linear 'fc'): the input's shape is [1, 3, 8, 8], expected 2 extents "
              "(rows, features; a flatten layer makes them)"},
      BadFile{"missing_attribute", "/layers/0: found no 'kernel'"},
      BadFile{"missing_comma", ":2:2: found \"version\", expected valid JSON"},
      BadFile{"name_of_the_input", "/layers/0"},
      BadFile{"negative_energy",
              "/nodes/0/energy_joules: found the number -2, expected a number of at least 0"},
      BadFile{"negative_extent", "/input/shape/0: found the number -1"},
      BadFile{"negative_padding", "/layers/0/padding/1: found the number -1"},
      BadFile{"no_extents", "/input/shape: found an array of 0, expected at least one extent"},
      BadFile{"no_format", "found no 'format'"},
      BadFile{"no_layers", "found no 'layers'"},
      BadFile{"node_without_bytes", "/nodes/0: found no 'bytes'"},
      BadFile{"not_an_object", "found an array of 2, expected an object"},
      BadFile{"number_out_of_range", ":2:27: found the number 1e400"},
      BadFile{"own_input", "/layers/0/inputs/0: found 'r' as its own input"},
      BadFile{"too_few_inputs", "/layers/0/inputs: found an array of 1, expected 2 for the op add"},
      BadFile{"trailing_garbage", ":5:1: found 'x', expected the end of the file"},
      BadFile{"unequal_shapes",
              "/layers/1 (add 'sum'): the inputs' shapes are [1, 6, 8, 8] and [1, 3, 8, 8], "
              "expected equal shapes"},
      BadFile{"unknown_attribute",
              "/layers/0/kernal: found an unknown key, expected one of name, op, inputs, "
              "out_channels, kernel, stride, padding; did you mean 'kernel'?"},
      BadFile{"unknown_backward",
              "/backward: found a string (\"autograd\"), expected \"poet-chain\" or \"none\""},
      BadFile{"unknown_input",
              "/layers/1/inputs/0: found 'relu', which names no node, expected an earlier node; "
              "did you mean 'relu1'?"},
      BadFile{"unknown_key",
              "/layerz: found an unknown key, expected one of format, version, name, backward, "
              "input, layers; did you mean 'layers'?"},
      BadFile{"unknown_op",
              "/layers/0/op: found the unknown op 'conv2', expected one of conv2d, max_pool2d, "},
      BadFile{"wrong_classes",
              "/layers/1 (cross_entropy_loss 'loss'): the input's shape is [1, 192], expected one "
              "extent to be the 10 classes"},
      BadFile{"wrong_format",
              "/format: found a string (\"poet-platform\"), expected \"poet-model\""},
      BadFile{"wrong_version", "/version: found the number 3, expected version 1 or 2"},
      BadFile{"zero_stride",
              "/layers/0/stride: found the number 0, expected a whole number from 1"}};
}

class BadModelFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadModelFile, IsRefusedWithItsNameAndTheReason) {
  const std::string path = folder() + GetParam().name + ".json";
  EXPECT_THAT(input_error([&] { load_model(path); }),
              testing::AllOf(testing::StartsWith(path), testing::HasSubstr(GetParam().message),
                             testing::Not(testing::HasSubstr("\n"))))
      << "one error for one mistake";
}

INSTANTIATE_TEST_SUITE_P(All, BadModelFile, testing::ValuesIn(bad_files()),
                         [](const auto& instance) { return instance.param.name; });

/// What is wrong with a model of these layers, on an image of 3 x 8 x 8.
std::string errors_of(const std::string& layers) {
  return input_error([&] {
    parse_model(R"({"format": "poet-model", "version": 1, "name": "bad",
 "input": {"shape": [1, 3, 8, 8]}, "layers": [)" +
                    layers + "]}",
                "m.json");
  });
}

TEST(BadModels, NameEveryMistakeWithItsPlace) {
  EXPECT_EQ(
      errors_of(R"(
  {"name": "c1", "op": "conv2", "inputs": ["input"], "out_channels": 8, "kernel": 3},
  {"name": "r1", "op": "relu", "inputs": ["c1"]},
  {"name": "c2", "op": "conv2d", "inputs": ["r1"], "out_channels": "8", "kernel": 3, "stride": 0},
  {"name": "r2", "op": "relu", "inputs": ["r"]},
  {"name": "r1", "op": "relu", "inputs": ["input"]},
  {"name": "c3", "op": "conv2d", "inputs": ["r9"], "out_channels": 8, "kernal": 3},
  {"name": "c4", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 99},
  {"name": "r4", "op": "relu", "inputs": ["c4"]})"),
      "m.json: /layers/0/op: found the unknown op 'conv2', expected one of conv2d, max_pool2d, "
      "avg_pool2d, global_avg_pool, linear, linear_relu, batch_norm2d, relu, sigmoid, tanh, "
      "dropout, add, flatten, cross_entropy_loss, attention_qkv, attention_scores, "
      "attention_context (\"version\": 2 has more, and custom for any other); did you mean "
      "'conv2d'?\n"
      "m.json: /layers/2/out_channels: found a string (\"8\"), expected a whole number from 1 to "
      "2^53\n"
      "m.json: /layers/2/stride: found the number 0, expected a whole number from 1 to 2^53\n"
      "m.json: /layers/5/kernal: found an unknown key, expected one of name, op, inputs, "
      "out_channels, kernel, stride, padding; did you mean 'kernel'?\n"
      "m.json: /layers/3/inputs/0: found 'r', which names no node, expected an earlier node; did "
      "you mean 'r1'?\n"
      "m.json: /layers/4: found the name 'r1' of node 2 again, expected one of its own\n"
      "m.json: /layers/5/inputs/0: found 'r9', which names no node, expected an earlier node; did "
      "you mean 'r1'?\n"
      "m.json: /layers/6 (conv2d 'c4'): the kernel's height is 99, expected at most the padded "
      "input's 8");
}

TEST(BadModels, NameMistakesOfTheFileAndOfMeasuredNodes) {
  const std::string errors = input_error([] {
    parse_model(R"({"format": "poet-model", "version": 1, "name": "", "nodes": [
  {"name": "a", "bytes": -4, "runtime_seconds": "1", "energy_joules": 1, "inputs": ["b"]},
  {"name": "b", "byte": 4, "runtime_seconds": 1, "energy_joules": 1, "inputs": ["a"]},
  {"name": "c", "bytes": 4, "runtime_seconds": 1, "inputs": ["a", "bb", "c"]}]})",
                "m.json");
  });
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 7) << errors;
  for (const char* part :
       {"m.json: /name: found", "/nodes/0/bytes: found the number -4",
        "/nodes/0/runtime_seconds: found a string", "did you mean 'bytes'?",
        "/nodes/2: found no 'energy_joules'", "/nodes/0/inputs/0: found 'b', which comes later",
        "/nodes/2/inputs/1: found 'bb'", "/nodes/2/inputs/2: found 'c' as its own input"}) {
    EXPECT_THAT(errors, testing::HasSubstr(part));
  }
}

TEST(BadModels, CountMistakesBeyondTwenty) {
  std::string layers;
  for (int i = 0; i < 25; ++i) {
    layers += (i > 0 ? "," : "") + std::string(R"({"name": "x)") + std::to_string(i) +
              R"(", "op": "rely", "inputs": ["input"]})";
  }
  const std::string errors = errors_of(layers);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 20);
  EXPECT_THAT(errors, testing::HasSubstr("/layers/19/op: "));
  EXPECT_THAT(errors, testing::Not(testing::HasSubstr("/layers/20/op: ")));
  EXPECT_THAT(errors, testing::EndsWith("\nand 5 more"));
}

TEST(BadModels, TakeLittleTimeHoweverManyMistakesThereAre) {
  std::string layers;
  for (int i = 0; i < 30'000; ++i) {
    layers += (i > 0 ? "," : "") + std::string(R"({"name": "layer)") + std::to_string(i) +
              R"(", "op": "relu", "inputs": ["lager)" + std::to_string(i) + R"("]})";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(errors_of(layers), testing::EndsWith("\nand 29980 more"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(BadModelFiles, AllHaveARowInTheTable) {
  std::set<std::string> expected;
  for (const BadFile& bad : bad_files()) expected.insert(bad.name);
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    found.insert(entry.path().stem().string());
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace poet
