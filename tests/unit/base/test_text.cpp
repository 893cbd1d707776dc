#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/sha256.hpp"
#include "base/text/escape.hpp"
#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"

namespace poet {
namespace {

TEST(Sha256, AgreesWithThePublishedExample) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("kernal", "kernel"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("stride", "tried"), 3);
}

TEST(Suggest, FindsSlipsAndNothingElse) {
  constexpr std::string_view kNames[] = {"resnet18", "resnet18_cifar", "vgg16"};
  EXPECT_EQ(nearest("resnet18_cifr", kNames), "resnet18_cifar");
  EXPECT_EQ(nearest("vgg6", kNames), "vgg16");
  EXPECT_EQ(nearest("bert", kNames), "");
  EXPECT_EQ(did_you_mean("vgg_16", kNames), "; did you mean 'vgg16'?");
  EXPECT_EQ(did_you_mean("bert", kNames), "");
}

TEST(Suggest, TakesABeginningForANearMiss) {
  constexpr std::string_view kNames[] = {"resnet18_cifar", "vgg16_cifar", "vgg16_imagenet"};
  EXPECT_EQ(did_you_mean("res", kNames), "; did you mean 'resnet18_cifar'?");
  EXPECT_EQ(did_you_mean("vgg", kNames), "; did you mean 'vgg16_cifar' or 'vgg16_imagenet'?");
  EXPECT_EQ(did_you_mean("v", kNames), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("cifar", kNames), "");
}

TEST(Shown, HidesControlCharactersAndCutsBetweenCharacters) {
  EXPECT_EQ(printable("a\x1b[0m\n"), "a\\x1b[0m\\x0a");
  EXPECT_EQ(printable("\xC3\xA9\xC3\xA9", 3), "\xC3\xA9...");
  EXPECT_EQ(shown_source("-"), "stdin");
}

TEST(Shown, HidesWhatMakesANameLookLikeAnother) {
  EXPECT_EQ(printable("a\u202Eb\u2028\u0085\u061C\u2066"),
            R"(a\xe2\x80\xaeb\xe2\x80\xa8\xc2\x85\xd8\x9c\xe2\x81\xa6)");
  EXPECT_EQ(printable("\xFF\xE2\x80"), R"(\xff\xe2\x80)");
  const std::string plain = "Gr\u00F6\u00DFe \u2013 \u5C42 \u05D0 \U0001F600";
  EXPECT_EQ(printable(plain), plain);
  EXPECT_EQ(xml_text("a\u202Eb"), "a\uFFFDb");
}

TEST(CsvField, IsNoFormulaAndNoSecondLine) {
  EXPECT_EQ(csv_field(R"csv(=SUM("x",1))csv"), R"csv("'=SUM(""x"",1)")csv");
  for (const char* text : {"+1", "-1", "@x"}) EXPECT_EQ(csv_field(text), std::string("'") + text);
  EXPECT_EQ(csv_field("a\nb\u202E"), R"(a\x0ab\xe2\x80\xae)");
  EXPECT_EQ(csv_field("conv1=x"), "conv1=x");
  EXPECT_EQ(csv_field(""), "");
}

TEST(PointerToken, IsTheKeyAgain) {
  // The examples of RFC 6901, section 5.
  EXPECT_EQ(pointer_token("a/b"), "a~1b");
  EXPECT_EQ(pointer_token("m~n"), "m~0n");
  for (const char* const key : {"", "a/b", "m~n", "~1", "~0/~01"}) {
    EXPECT_EQ(key_of_token(pointer_token(key)), key);
  }
}

TEST(Utf8, AcceptsWellFormedAndFindsTheFirstBadByte) {
  const std::string good = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(first_invalid_utf8(good), good.size());
  EXPECT_EQ(first_invalid_utf8("ab\x80"), 2U);             // a continuation byte alone
  EXPECT_EQ(first_invalid_utf8("\xC0\x80"), 0U);           // overlong
  EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 0U);       // surrogate
  EXPECT_EQ(first_invalid_utf8("x\xF4\x90\x80\x80"), 1U);  // beyond U+10FFFF
  EXPECT_EQ(first_invalid_utf8("x\xE2\x82"), 1U);          // cut off
}

}  // namespace
}  // namespace poet
