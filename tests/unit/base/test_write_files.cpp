// Several files, all or none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/files/files.hpp"
#include "expect_input_error.hpp"
#include "support/temporary_folder.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SeveralFiles, AreWrittenTogether) {
  const TemporaryFolder folder;
  folder.write("b", "old");
  write_files(std::array{FileText{folder.file("a"), "one"}, FileText{folder.file("b"), "two"}});
  EXPECT_EQ(contents_of(folder.file("a")), "one");
  EXPECT_EQ(contents_of(folder.file("b")), "two");
  EXPECT_THAT(folder.contents(), ElementsAre("a", "b"));
}

TEST(SeveralFiles, AreNotWrittenIfOneOfThemCannotBe) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  std::filesystem::create_directory(folder.file("b"));
  const auto error = input_error([&] {
    write_files(std::array{FileText{folder.file("a"), "new"}, FileText{folder.file("b"), "two"}});
  });
  EXPECT_THAT(error, HasSubstr("it is a directory"));
  EXPECT_EQ(contents_of(folder.file("a")), "old");
  EXPECT_THAT(folder.contents(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace poet::test
