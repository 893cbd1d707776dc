#include "formats/json/json_cursor.hpp"

#include "expect_input_error.hpp"
#include "formats/json/json_text.hpp"

namespace poet {
namespace {

class JsonCursorTest : public testing::Test {
 protected:
  JsonCursor member(const char* key) const { return JsonCursor(document_, "m.json").required(key); }

 private:
  nlohmann::json document_ = parse_json(
      R"({"text": "relu", "whole": 16, "also_whole": 16.0, "half": 16.5, "negative": -1,
          "huge": 18446744073709551615, "large": 1e300, "list": [1, {"x": "y"}], "flag": true,
          "nothing": null})",
      "m.json");
};

TEST_F(JsonCursorTest, ReadsWhatIsThere) {
  EXPECT_EQ(member("text").string(), "relu");
  EXPECT_EQ(member("whole").integer(), 16);
  EXPECT_EQ(member("also_whole").integer(), 16);
  EXPECT_EQ(member("half").number(), 16.5);
  EXPECT_TRUE(member("flag").boolean());
  EXPECT_EQ(member("list").elements(2).size(), 2U);
}

TEST_F(JsonCursorTest, SaysPathFoundAndExpected) {
  EXPECT_EQ(input_error([&] { (void)member("list").elements(9).at(1).required("x").integer(); }),
            "m.json: /list/1/x: found a string (\"y\"), expected a whole number from 0 to 2^53");
  EXPECT_EQ(input_error([&] { (void)member("nothing").string(); }),
            "m.json: /nothing: found null, expected a string");
  EXPECT_EQ(input_error([&] { (void)member("text").elements(9); }),
            "m.json: /text: found a string (\"relu\"), expected an array");
  EXPECT_EQ(input_error([&] { (void)member("list").required("x"); }),
            "m.json: /list: found an array of 2, expected an object");
  EXPECT_EQ(input_error([&] { (void)member("whole").boolean(); }),
            "m.json: /whole: found the number 16, expected true or false");
}

TEST_F(JsonCursorTest, RefusesNumbersOutsideTheirRange) {
  EXPECT_EQ(input_error([&] { (void)member("half").integer(1, 64); }),
            "m.json: /half: found the number 16.5, expected a whole number from 1 to 64");
  EXPECT_THROW((void)member("negative").integer(), InputError);
  EXPECT_THROW((void)member("huge").integer(), InputError);
  EXPECT_THROW((void)member("large").integer(), InputError);
  EXPECT_EQ(input_error([&] { (void)member("negative").number(); }),
            "m.json: /negative: found the number -1, expected a number of at least 0");
  EXPECT_THROW((void)member("negative").positive(), InputError);
  EXPECT_EQ(member("large").positive(), 1e300);
}

TEST_F(JsonCursorTest, RefusesMoreElementsThanTheLimit) {
  EXPECT_EQ(input_error([&] { (void)member("list").elements(1); }),
            "m.json: /list: found an array of 2, expected at most 1 entries");
}

TEST_F(JsonCursorTest, TellsMissingFromPresent) {
  EXPECT_EQ(input_error([&] { (void)member("missing"); }),
            "m.json: found no 'missing', expected one");
  const JsonCursor object = member("list").elements(2).at(1);
  EXPECT_FALSE(object.optional("z").has_value());
  EXPECT_EQ(object.required("x").path(), "/list/1/x");
}

TEST_F(JsonCursorTest, SuggestsTheKeyThatWasMeant) {
  const nlohmann::json document = parse_json(R"({"kernal": 3})", "m.json");
  const JsonCursor root(document, "m.json");
  EXPECT_EQ(input_error([&] {
              root.allow_only({"kernel", "stride"});
            }),
            "m.json: /kernal: found an unknown key, expected one of kernel, stride; "
            "did you mean 'kernel'?");
  EXPECT_NO_THROW(root.allow_only({"kernal"}));
}

TEST_F(JsonCursorTest, ChecksFormatAndVersion) {
  const auto check = [](const char* text) {
    const nlohmann::json document = parse_json(text, "m.json");
    expect_format(JsonCursor(document, "m.json"), "poet-model", 1);
  };
  EXPECT_NO_THROW(check(R"({"format": "poet-model", "version": 1})"));
  EXPECT_EQ(input_error([&] { check(R"({"format": "poet-platform", "version": 1})"); }),
            "m.json: /format: found a string (\"poet-platform\"), expected \"poet-model\"");
  EXPECT_EQ(input_error([&] { check(R"({"format": "poet-model", "version": 2})"); }),
            "m.json: /version: found the number 2, expected version 1 of \"poet-model\"");
}

}  // namespace
}  // namespace poet
