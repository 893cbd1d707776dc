#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "expect_input_error.hpp"
#include "poet/model.hpp"
#include "support/contents_of.hpp"

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
  std::vector<BadFile> all;
  const auto messages =
      nlohmann::json::parse(test::contents_of(POET_TEST_DATA "/models/bad_messages.json"));
  for (const auto& [name, message] : messages.items()) all.push_back({name, message});
  return all;
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
