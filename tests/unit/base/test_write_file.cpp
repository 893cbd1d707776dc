#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files/files.hpp"
#include "base/files/paths.hpp"
#include "base/files/temporary.hpp"
#include "expect_input_error.hpp"
#include "support/contents_of.hpp"
#include "support/temporary_folder.hpp"

namespace poet {
namespace {

namespace fs = std::filesystem;
using test::contents_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLeftover = ".poet-0123456789abcdef.tmp";

class WriteFile : public testing::Test {
 protected:
  std::string link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, folder_.file(name));
    return folder_.file(name);
  }

  test::TemporaryFolder folder_;
};

TEST_F(WriteFile, KeepsThePermissionsOfAFileThatItReplaces) {
  const std::string path = folder_.write("secret", "earlier");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  write_file(path, "new");
  struct stat now {};
  ASSERT_EQ(::stat(path.c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777, 0640U);
  EXPECT_EQ(contents_of(path), "new");
}

TEST_F(WriteFile, FollowsSymbolicLinks) {
  fs::create_directory(folder_.file("there"));
  const std::string links = link("a", "there/b");
  fs::create_symlink("../c", folder_.file("there/b"));
  for (const char* text : {"to nothing", "to a file"}) {
    write_file(links, text);
    EXPECT_EQ(contents_of(folder_.file("c")), text);
    EXPECT_TRUE(fs::is_symlink(links));
    EXPECT_TRUE(fs::is_symlink(folder_.file("there/b")));
  }
  EXPECT_THAT(folder_.contents(), ElementsAre("a", "c", "there"));
}

TEST_F(WriteFile, RefusesLinksInACircle) {
  const std::string circle = link("x", "y");
  link("y", "x");
  EXPECT_THAT(input_error([&] { check_writable(circle); }), HasSubstr("symbolic links"));
  EXPECT_THAT(input_error([&] { write_file(circle, ""); }), HasSubstr("symbolic links"));
  EXPECT_TRUE(fs::is_symlink(circle));
}

TEST_F(WriteFile, TakesTheLongestNamesAndRefusesLongerOnesBefore) {
  const std::string longest = folder_.file(std::string(255, 'n'));
  check_writable(longest);
  write_file(longest, "text");
  EXPECT_EQ(contents_of(longest), "text");
  for (const auto& check : {check_writable, check_folder_writable}) {
    EXPECT_THAT(input_error([&] { check(longest + "n"); }), HasSubstr("name too long"));
  }
}

TEST_F(WriteFile, WritesBehindWhatAnOpenFileHolds) {
  const std::string path = folder_.write("log", "before\n");
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const std::string name = link("out", "/dev/fd/" + std::to_string(fd));
  check_writable(name);
  write_file(name, "document\n");
  ASSERT_EQ(::write(fd, "after\n", 6), 6);
  ::close(fd);
  EXPECT_EQ(contents_of(path), "before\ndocument\nafter\n");
  EXPECT_NE(input_error([&] { check_writable(name); }), "");
}

TEST_F(WriteFile, RemovesWhatKilledProcessesLeftAndNothingElse) {
  fs::create_directory(folder_.file(kLeftover));
  folder_.write(std::string(kLeftover) + "/plan.c", "half");
  folder_.write(".poet-mine.tmp", "");
  const std::string live = folder_.write(".poet-fedcba9876543210.tmp", "being written");
  const int fd = ::open(live.c_str(), O_RDONLY | O_CLOEXEC);
  mark_as_written(fd);
  check_writable(folder_.file("x"));
  EXPECT_THAT(folder_.contents(), ElementsAre(".poet-fedcba9876543210.tmp", ".poet-mine.tmp"));
  ::close(fd);
  check_folder_writable(folder_.file("new/folder"));
  EXPECT_THAT(folder_.contents(), ElementsAre(".poet-mine.tmp"));
}

TEST_F(WriteFile, DrawsTemporaryNamesOfOneLength) {
  const std::string name = temporary_name();
  EXPECT_TRUE(is_temporary_name(name));
  EXPECT_EQ(name.size(), std::string(kLeftover).size());
  EXPECT_NE(name, temporary_name());
}

TEST(FileStem, IsShortAndTellsLongNamesApart) {
  EXPECT_EQ(file_stem("../a\n"), "_._a_");
  const std::string name(90, 'x');
  EXPECT_EQ(file_stem(name), name);
  std::string wide;  // characters of three bytes
  for (int i = 0; i < 90; ++i) wide += "\xE5\xB1\x82";
  EXPECT_LE(file_stem(wide).size(), 200U);
  EXPECT_EQ(file_stem(wide).rfind("\x82-"), file_stem(wide).size() - 18);
  EXPECT_NE(file_stem(wide), file_stem(wide + "x"));
}

TEST_F(WriteFile, RefusesPathsThatLeadToOneFile) {
  const std::string file = folder_.write("m.json", "{}");
  const std::string other = link("link", "none");
  const auto error = [](const std::string& read, const std::string& first,
                        const std::string& second) {
    return input_error([&] {
      check_paths({{"--model", read, PathUse::reads},
                   {"--output", first, PathUse::writes},
                   {"--csv", second, PathUse::writes}});
    });
  };
  EXPECT_THAT(error(file, folder_.file("./m.json"), ""), HasSubstr("the same file as --model"));
  EXPECT_THAT(error("", other, folder_.file("none")), HasSubstr("--csv: found "));
  check_paths(
      {{"--output", "/dev/null", PathUse::writes}, {"--csv", "/dev/null", PathUse::writes}});
  check_paths({{"--model", file}, {"--input", file}});
}

}  // namespace
}  // namespace poet
