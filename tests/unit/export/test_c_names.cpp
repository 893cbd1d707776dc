#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/c_names.hpp"
#include "export/kernel_specs.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Identifiers, AreCapitalsAndUnique) {
  Identifiers names({"COUNT"});
  EXPECT_EQ(names.add("layer1.conv"), "LAYER1_CONV");
  EXPECT_EQ(names.add("layer1_conv"), "LAYER1_CONV_2");
  EXPECT_EQ(names.add("layer1-conv"), "LAYER1_CONV_3");
  EXPECT_EQ(names.add("layer1.conv_2"), "LAYER1_CONV_2_2");
  EXPECT_EQ(names.add("count"), "COUNT_2");
  EXPECT_EQ(names.add("\xc3\xa9*/"), "____");
  EXPECT_LE(names.add(std::string(5000, 'x')).size(), 63U);
}

TEST(CommentText, CannotEndOrBeginAComment) {
  EXPECT_EQ(comment_text("grad(conv1) [2, 3]"), "grad(conv1) [2, 3]");
  for (const char* text : {"a */ b", "/* a", "a // b", "a ?\?/", "a \\", "a\nb", "\xff"}) {
    const std::string safe = comment_text(text);
    for (const char* bad : {"/", "?", "\\", "\n", "*", "\xff"}) {
      EXPECT_THAT(safe, Not(HasSubstr(bad))) << text;
    }
  }
}

TEST(StringLiteral, EscapesWhatIsNotPlain) {
  EXPECT_EQ(string_literal("fc 1"), "\"fc 1\"");
  EXPECT_EQ(string_literal("a\"b\\c?\?/1"), "\"a\\042b\\134c\\077\\077/1\"");
  EXPECT_EQ(string_literal("\xc3\xa9\n"), "\"\\303\\251\\012\"");
}

TEST(FloatLiteral, KeepsEveryBit) {
  for (const float value : {0.0F, 1.0F, -0.1F, 1e-5F, 1e-8F, 0.2041241452F, 16777216.0F, 3.4e38F,
                            std::numeric_limits<float>::denorm_min()}) {
    const std::string text = float_literal(value);
    EXPECT_TRUE(text.ends_with('f'));
    EXPECT_THAT(text, testing::ContainsRegex("[.e]"));
    EXPECT_EQ(std::strtof(text.c_str(), nullptr), value) << text;
    const std::string exact = exact_float_literal(value);
    EXPECT_THAT(exact, testing::ContainsRegex("^-?0x[0-9a-f.]+p[+-][0-9]+f$"));
    EXPECT_EQ(std::strtof(exact.c_str(), nullptr), value) << exact;
  }
  EXPECT_THROW(float_literal(std::nanf("")), InternalError);
  EXPECT_THROW(exact_float_literal(std::nanf("")), InternalError);
}

TEST(SpecText, NamesEveryMember) {
  const SpecText linear = spec_text(poet_linear_spec{.rows = 2, .inputs = 3, .outputs = 4});
  EXPECT_EQ(linear.type, "struct poet_linear_spec");
  EXPECT_EQ(linear.initializer, "{.rows = 2, .inputs = 3, .outputs = 4, .has_bias = 0}");
  const KernelSpec dropout =
      poet_dropout_spec{.count = 8, .block = 1, .rate = 0.1F, .seed = {5, 6}};
  EXPECT_EQ(spec_text(dropout).initializer,
            "{.count = 8, .block = 1, .rate = 0.1f, .seed = {5u, 6u}}");
  EXPECT_TRUE(is_random(dropout));
  EXPECT_FALSE(is_random(poet_map_spec{.count = 1, .slope = 0}));
  const SpecText update = spec_text(UpdateSpec{.count = 7});
  EXPECT_EQ(update.type + " " + update.initializer, "int32_t 7");
}

}  // namespace
}  // namespace poet
