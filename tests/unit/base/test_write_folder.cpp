#include <filesystem>

#include "base/files/folder.hpp"
#include "expect_input_error.hpp"
#include "support/contents_of.hpp"
#include "support/temporary_folder.hpp"

namespace poet {
namespace {

using test::contents_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WriteFolder : public testing::Test {
 protected:
  /// What is in a folder of this one, sorted.
  std::vector<std::string> names_in(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file(name))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  test::TemporaryFolder folder_;
  FolderFiles files_{{"a.c", "first"}, {"b.h", "second"}};
};

TEST_F(WriteFolder, MakesTheFolderWithAllFiles) {
  for (const char* name : {"new", "in/others/new", "slash/"}) {
    write_folder(folder_.file(name), files_);
    EXPECT_THAT(names_in(name), ElementsAre("a.c", "b.h"));
    EXPECT_EQ(contents_of(folder_.file(std::string(name) + "/b.h")), "second");
  }
  EXPECT_THAT(folder_.contents(), ElementsAre("in", "new", "slash"));
}

TEST_F(WriteFolder, ReplacesItsOwnFilesAndLeavesOthers) {
  std::filesystem::create_directory(folder_.file("there"));
  folder_.write("there/a.c", "earlier");
  folder_.write("there/notes", "mine");
  write_folder(folder_.file("there"), files_);
  EXPECT_THAT(names_in("there"), ElementsAre("a.c", "b.h", "notes"));
  EXPECT_EQ(contents_of(folder_.file("there/a.c")), "first");
  EXPECT_EQ(contents_of(folder_.file("there/notes")), "mine");
}

TEST_F(WriteFolder, BringsEarlierFilesBackIfOneCannotBeReplaced) {
  std::filesystem::create_directories(folder_.file("there/b.h"));
  folder_.write("there/a.c", "earlier");
  EXPECT_THAT(input_error([&] { write_folder(folder_.file("there"), files_); }),
              AllOf(HasSubstr("b.h"), HasSubstr("it is a directory; expected a file")));
  EXPECT_THAT(names_in("there"), ElementsAre("a.c", "b.h"));
  EXPECT_EQ(contents_of(folder_.file("there/a.c")), "earlier");
}

TEST_F(WriteFolder, LeavesNothingBehindIfAFileCannotBeWritten) {
  files_.push_back({"no/such/folder.c", "third"});
  EXPECT_THAT(input_error([&] { write_folder(folder_.file("in/new"), files_); }),
              testing::StartsWith(folder_.file("in/new/no/such/folder.c") + ": cannot write: "));
  EXPECT_THAT(folder_.contents(), IsEmpty());
  std::filesystem::create_directory(folder_.file("there"));
  EXPECT_NE(input_error([&] { write_folder(folder_.file("there"), files_); }), "");
  EXPECT_THAT(names_in("there"), IsEmpty());
}

TEST_F(WriteFolder, RefusesAPlaceWhereNoFolderCanBe) {
  const std::string file = folder_.write("file", "");
  EXPECT_THAT(input_error([&] { write_folder(file + "/new", files_); }),
              AllOf(HasSubstr(file + "/new"), HasSubstr("cannot write")));
  EXPECT_THAT(folder_.contents(), ElementsAre("file"));
}

TEST_F(WriteFolder, FindsTheFirstOtherName) {
  EXPECT_EQ(other_name(folder_.file("none"), files_), std::nullopt);
  folder_.write("b.h", "");
  EXPECT_EQ(other_name(folder_.path(), files_), std::nullopt);
  folder_.write("z", "");
  folder_.write(".hidden", "");
  EXPECT_EQ(other_name(folder_.path(), files_), ".hidden");
  EXPECT_THAT(input_error([&] { other_name(folder_.file("z"), files_); }),
              HasSubstr("cannot read"));
}

}  // namespace
}  // namespace poet
