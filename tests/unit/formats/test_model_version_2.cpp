// What version 2 of the model file adds: every key, and what is said about a wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "expect_input_error.hpp"
#include "poet/model.hpp"
#include "support/contents_of.hpp"
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

/// Name, what is replaced by what in a good file, and the message.
std::vector<Mistake> mistakes(const char* list) {
  std::vector<Mistake> all;
  const auto file =
      nlohmann::json::parse(test::contents_of(POET_TEST_DATA "/models/mistakes_of_version_2.json"));
  for (const auto& row : file.at(list)) all.push_back({row[0], row[1], row[2], row[3]});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, BadLayers, testing::ValuesIn(mistakes("layers")),
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

INSTANTIATE_TEST_SUITE_P(All, NewKey, testing::ValuesIn(mistakes("keys_in_version_1")),
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
            "or \"state\" at the top of the file");
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
