#include "base/files/append_log.hpp"

#include <unistd.h>

#include <csignal>
#include <optional>

#include "base/process/child_process.hpp"
#include "expect_input_error.hpp"
#include "support/contents_of.hpp"
#include "support/temporary_folder.hpp"

namespace poet {
namespace {

using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Journal, KeepsItsLines) {
  const TemporaryFolder folder;
  const std::string path = folder.file("j");
  {
    Journal journal = Journal::create(path, "head");
    journal.append("one");
  }
  Journal again = Journal::reopen(path);
  EXPECT_THAT(again.lines(), ElementsAre("head", "one"));
  again.append("two");
  EXPECT_EQ(test::contents_of(path), "head\none\ntwo\n");
  const std::string other = folder.write("k", "of before");
  again.rename(other);
  again.append("three");
  EXPECT_EQ(test::contents_of(other), "head\none\ntwo\nthree\n");
  EXPECT_THAT(folder.contents(), ElementsAre("k"));
  EXPECT_THAT(input_error([&] { again.rename(folder.file("none/k")); }),
              HasSubstr(other + ": cannot rename"));
}

TEST(Journal, CutsATornLastLineOff) {
  const TemporaryFolder folder;
  const std::string path = folder.write("j", "head\none\n{\"point\": 2, \"ou");
  Journal journal = Journal::reopen(path);
  EXPECT_THAT(journal.lines(), ElementsAre("head", "one"));
  journal.append("two");
  EXPECT_EQ(test::contents_of(path), "head\none\ntwo\n");
}

TEST(Journal, IsNeitherOverwrittenNorInventedNorShared) {
  const TemporaryFolder folder;
  const std::string path = folder.file("j");
  EXPECT_THAT(input_error([&] { Journal::reopen(path); }), HasSubstr("cannot open"));
  const Journal journal = Journal::create(path, "head");
  EXPECT_THAT(input_error([&] { Journal::create(path, "other"); }), HasSubstr("File exists"));
  // The lock is a process's own: only another one finds it taken.
  const ChildExit exit = run_in_child([&](const auto&) { Journal::reopen(path); },
                                      [](const Message&) { return true; }, [] { return true; }, 60);
  EXPECT_THAT(exit.message, HasSubstr("exception"));
}

TEST(Journal, IsNotHeldByAChildThatOutlivesIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("j");
  std::optional<Journal> journal(Journal::create(path, "head"));
  Child child([](const auto& send) {
    send(Message(1));
    ::pause();
  });
  child.receive([](const Message&) { return true; });
  journal.reset();
  const ChildExit exit = run_in_child([&](const auto&) { Journal::reopen(path); },
                                      [](const Message&) { return true; }, [] { return true; }, 60);
  EXPECT_TRUE(exit.clean) << exit.message;
}

}  // namespace
}  // namespace poet
