#include <filesystem>
#include <fstream>
#include <string>

#include "base/files/files.hpp"
#include "expect_input_error.hpp"
#include "support/temporary_folder.hpp"

namespace poet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ReadFile : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  test::TemporaryFolder folder_;
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

}  // namespace
}  // namespace poet
