#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process/run_filter.hpp"
#include "support/temporary_folder.hpp"

namespace poet {
namespace {

using testing::HasSubstr;

TEST(Filter, PassesItsInputAndReturnsWhatTheProgramWrites) {
  std::string text(300000, 'x');  // more than a pipe holds
  text[1000] = '\0';
  const FilterRun run = run_filter("cat", {}, text, 20);
  EXPECT_EQ(run.problem, "");
  EXPECT_EQ(run.out, text);
}

TEST(Filter, HasNoShellBetween) {
  const FilterRun run = run_filter("echo", {"$(id); \"*\" > x", "& y"}, "", 20);
  EXPECT_EQ(run.out, "$(id); \"*\" > x & y\n");
}

TEST(Filter, SaysThatAProgramIsMissing) {
  const FilterRun run = run_filter("poet-no-such-program", {}, "", 20);
  EXPECT_TRUE(run.missing);
  EXPECT_EQ(run.problem, "is missing");
}

TEST(Filter, RunsNothingOfTheWorkingDirectory) {
  const test::TemporaryFolder folder;
  const std::string program = folder.write("poet-stranger", "#!/bin/sh\necho stranger\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const std::string relative : {"", ".", ":/bin", "/bin:", "./:/bin"}) {
    ::setenv("PATH", relative.c_str(), 1);
    EXPECT_TRUE(run_filter("poet-stranger", {}, "", 20).missing) << relative;
  }
  ::setenv("PATH", folder.path().c_str(), 1);
  EXPECT_EQ(run_filter("poet-stranger", {}, "", 20).out, "stranger\n");
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::current_path(here);
}

TEST(Filter, SaysHowAndWhyAProgramFailed) {
  const FilterRun run = run_filter("cat", {"/nonexistent/file"}, "", 20);
  EXPECT_FALSE(run.missing);
  EXPECT_THAT(run.problem, HasSubstr("exit status 1"));
  EXPECT_THAT(run.problem, HasSubstr("/nonexistent/file"));
  EXPECT_EQ(run.out, "");
}

TEST(Filter, SaysThatAProgramWasKilled) {
  const FilterRun run = run_filter("sh", {"-c", "kill -9 $$"}, "", 20);
  EXPECT_FALSE(run.missing);
  EXPECT_THAT(run.problem, HasSubstr("signal 9"));
}

TEST(Filter, EndsAProgramThatTakesTooLong) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run_filter("sleep", {"60"}, "", 0.2).problem, "took longer than 0.2 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace poet
