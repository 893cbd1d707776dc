#include "formats/json/json_text.hpp"

#include <ostream>
#include <string>

#include "expect_input_error.hpp"

namespace poet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::string& text) {
  return input_error([&] { parse_json(text, "m.json"); });
}

TEST(JsonText, ReadsEveryKindOfValue) {
  const nlohmann::json value =
      parse_json(R"({"a": [1, -2, 2.5, true, null, "x\u00e9\n"], "b": {}})", "m.json");
  EXPECT_EQ(value.at("a").size(), 6U);
  EXPECT_EQ(value.at("a").at(1), -2);
  EXPECT_EQ(value.at("a").at(2), 2.5);
  EXPECT_EQ(value.at("a").at(5), "x\xC3\xA9\n");
  EXPECT_TRUE(value.at("b").is_object());
}

TEST(JsonText, NumbersAreReadToTheLastBit) {
  EXPECT_EQ(parse_json("[0.1]", "").at(0).get<double>(), 0.1);
  EXPECT_EQ(parse_json("[9007199254740993]", "").at(0).get<std::int64_t>(), 9007199254740993);
}

struct BadText {
  std::string text;
  std::string message;
};

void PrintTo(const BadText& bad, std::ostream* out) {
  *out << testing::PrintToString(bad.text);
}

class BadJson : public testing::TestWithParam<BadText> {};

TEST_P(BadJson, IsRefusedWithPlaceFoundAndExpected) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    JsonText, BadJson,
    testing::Values(
        BadText{"", "m.json:1:1: found an empty file, expected a JSON object"},
        BadText{" \n\t", "m.json:1:1: found an empty file, expected a JSON object"},
        BadText{"{", "m.json:1:2: found the end of the file, expected valid JSON"},
        BadText{"{\n  \"a\": 1,\n}", "m.json:3:1: found '}', expected valid JSON"},
        BadText{"{\"a\" 1}", "m.json:1:6: found '1', expected valid JSON"},
        BadText{"{\"a\": }", "m.json:1:7: found '}', expected valid JSON"},
        BadText{"{\"a\": 1 \"b\": 2}", "m.json:1:9: found \"b\", expected valid JSON"},
        BadText{"{a: 1}", "m.json:1:2: found 'a', expected valid JSON"},
        BadText{"[1 2]", "m.json:1:4: found '2', expected valid JSON"},
        BadText{"[1,]", "m.json:1:4: found ']', expected valid JSON"},
        BadText{"[,]", "m.json:1:2: found ',', expected valid JSON"},
        BadText{"[1", "m.json:1:3: found the end of the file, expected valid JSON"},
        BadText{"[01]", "m.json:1:2: found '01', expected valid JSON"},
        BadText{"[NaN]", "m.json:1:2: found 'NaN', expected valid JSON"},
        BadText{"{\"a\": Infinity}", "m.json:1:7: found 'Infinity', expected valid JSON"},
        BadText{"[-]", "m.json:1:2: found '-', expected valid JSON"},
        BadText{"[tru]", "m.json:1:2: found 'tru', expected valid JSON"},
        BadText{"[1] // no", "m.json:1:5: found '//', expected the end of the file"},
        BadText{"{} {}", "m.json:1:4: found '{', expected the end of the file"},
        BadText{"'a'", "m.json:1:1: found ''a'', expected a JSON object"},
        BadText{"[\"\xC3\xA9\", x]", "m.json:1:7: found 'x', expected valid JSON"},
        BadText{"[1e400]",
                "m.json:1:2: found the number 1e400, expected at most 1.797e308 in magnitude"},
        BadText{"[\"abc", "m.json:1:6: found the end of the file, expected valid JSON"},
        BadText{"[\"ab\ncd\"]", "m.json:1:5: found '\\x0a', expected valid JSON"},
        BadText{"[\"a\tb\"]", "m.json:1:4: found '\\x09', expected valid JSON"},
        BadText{"[\"\\q\"]", "m.json:1:4: found 'q', expected valid JSON"},
        BadText{"[\"\\u12\"]", "m.json:1:7: found \", expected valid JSON"},
        BadText{"[\"\\ud800\"]", "m.json:1:9: found \", expected valid JSON"},
        BadText{"[\n\"\xFF\"]",
                "m.json:2:2: found the byte 0xff, expected JSON text in UTF-8 (is this a binary "
                "file?)"},
        BadText{std::string("[\0]", 3),
                "m.json:1:2: found the byte 0x00, expected JSON text in UTF-8 (is this a binary "
                "file?)"}));

TEST(JsonText, RefusesAKeyThatComesTwice) {
  EXPECT_EQ(error_of(R"({"layers": [1, {"op": "relu", "op": "tanh"}]})"),
            "m.json:1:31: /layers/1/op: found the key twice, expected it once");
}

TEST(JsonText, SaysWhereTheSecondKeyIs) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"b\": {\"x\": 1,\n  \"x\": 2}}"),
            "m.json:3:3: /b/x: found the key twice, expected it once");
  EXPECT_EQ(error_of("{\"\": 1,\n \"\": 2}"),
            "m.json:2:2: /: found the key twice, expected it once");
  EXPECT_THAT(error_of("{\"a\\\"\": 1,\n\"a\\u0022\": 2}"), testing::StartsWith("m.json:2:"));
}

TEST(JsonText, TheSameKeyInTwoObjectsIsFine) {
  EXPECT_NO_THROW(parse_json(R"([{"a": 1}, {"a": {"a": 2}}])", "m.json"));
}

TEST(JsonText, AllowsNestingUpToTheLimitAndNoDeeper) {
  const std::string deepest = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_NO_THROW(parse_json(deepest, "m.json"));
  EXPECT_THAT(error_of("[" + deepest + "]"), HasSubstr("more than 64 nested arrays and objects"));
  EXPECT_THAT(error_of(std::string(10'000'000, '[')), HasSubstr("more than 64 nested"));
}

TEST(JsonText, AllowsAsManyValuesAsItIsToldAndNoMore) {
  EXPECT_NO_THROW(parse_json(R"([1, {"a": 2}])", "m.json", 4));
  EXPECT_THAT(input_error([] { parse_json(R"([1, {"a": 2}])", "m.json", 3); }),
              HasSubstr("m.json: /1: found more than 3 values in one file"));
}

TEST(JsonText, NamesStdinAndHidesControlCharacters) {
  EXPECT_THAT(input_error([] { parse_json("", "-"); }), StartsWith("stdin:1:1: "));
  EXPECT_THAT(error_of("[\x1b[31m]"), HasSubstr("\\x1b"));
}

TEST(JsonText, HidesNoCharacterOfAName) {
  const std::string name = "a\u202Eb\u2028\u0085\u061C\x7F\u00E9\u5C42";
  for (const bool compact : {false, true}) {
    const std::string text = json_write({{"name", name}}, compact);
    EXPECT_THAT(text, HasSubstr("a\\u202eb\\u2028\\u0085\\u061c\\u007f\u00E9\u5C42"));
    EXPECT_EQ(parse_json(text, "").at("name"), name);
  }
}

TEST(JsonText, PathsAreJsonPointers) {
  EXPECT_EQ(json_path("/layers", "3"), "/layers/3");
  EXPECT_EQ(json_path("", "a/b~c"), "/a~1b~0c");
}

}  // namespace
}  // namespace poet
