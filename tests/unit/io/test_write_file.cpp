#include <filesystem>
#include <fstream>
#include <string>

#include "expect_input_error.hpp"
#include "io/files/read_file.hpp"
#include "io/text/sha256.hpp"
#include "io/text/shown.hpp"
#include "io/text/suggest.hpp"
#include "io/text/utf8.hpp"

namespace poet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A folder of this test's own that is gone afterwards.
class ReadFile : public testing::Test {
 protected:
  ReadFile() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("poet_io_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  ~ReadFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

TEST_F(ReadFile, ReturnsTheBytesUnchanged) {
  const std::string bytes("a\r\n\0b", 5);
  std::ofstream(path("x"), std::ios::binary) << bytes;
  EXPECT_EQ(read_file(path("x")), bytes);
}

TEST_F(ReadFile, NamesPathAndReasonOfAMissingFile) {
  EXPECT_THAT(input_error([&] { read_file(path("none.json")); }),
              AllOf(StartsWith(path("none.json")), HasSubstr("No such file")));
}

TEST_F(ReadFile, RefusesADirectory) {
  EXPECT_THAT(input_error([&] { read_file(path("")); }), HasSubstr("it is a directory"));
}

TEST_F(ReadFile, RefusesALargeFileByItsSizeAlone) {
  std::ofstream(path("large")) << "{";
  std::filesystem::resize_file(path("large"), std::uintmax_t{1} << 40U);  // a hole, no real bytes
  EXPECT_THAT(input_error([&] { read_file(path("large")); }), HasSubstr("larger than 64 MiB"));
}

TEST_F(ReadFile, StopsReadingAnEndlessDeviceAtTheLimit) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP() << "no /dev/zero here";
  EXPECT_THAT(input_error([] { read_file("/dev/zero", 1 << 20); }), HasSubstr("larger than 1 MiB"));
}

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
  EXPECT_EQ(shown("a\x1b[0m\n"), "a\\x1b[0m\\x0a");
  EXPECT_EQ(shown("\xC3\xA9\xC3\xA9", 3), "\xC3\xA9...");
  EXPECT_EQ(shown_source("-"), "stdin");
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
