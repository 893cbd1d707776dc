#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process/run_filter.hpp"
#include "support/temporary_folder.hpp"

namespace poet {
namespace {

using End = FilterRun::End;
using test::TemporaryFolder;
using testing::HasSubstr;

TEST(Filter, ReadsTheFileAndReturnsWhatTheProgramWrites) {
  const TemporaryFolder folder;
  std::string text(300000, 'x');  // more than a pipe holds
  text[1000] = '\0';
  const FilterRun run = run_filter("cat", {}, folder.write("in", text), 20);
  EXPECT_EQ(run.end, End::fine) << run.message;
  EXPECT_EQ(run.out, text);
}

TEST(Filter, HasNoShellBetween) {
  const FilterRun run = run_filter("echo", {"$(id); \"*\" > x", "& y"}, "/dev/null", 20);
  EXPECT_EQ(run.out, "$(id); \"*\" > x & y\n");
}

TEST(Filter, SaysThatAProgramIsMissing) {
  EXPECT_EQ(run_filter("poet-no-such-program", {}, "/dev/null", 20).end, End::missing);
}

TEST(Filter, SaysHowAndWhyAProgramFailed) {
  const FilterRun run = run_filter("cat", {"/nonexistent/file"}, "/dev/null", 20);
  EXPECT_EQ(run.end, End::failed);
  EXPECT_THAT(run.message, HasSubstr("exit status 1"));
  EXPECT_THAT(run.message, HasSubstr("/nonexistent/file"));
  EXPECT_EQ(run.out, "");
}

TEST(Filter, SaysThatAProgramWasKilled) {
  const FilterRun run = run_filter("sh", {"-c", "kill -9 $$"}, "/dev/null", 20);
  EXPECT_EQ(run.end, End::failed);
  EXPECT_THAT(run.message, HasSubstr("signal 9"));
}

TEST(Filter, EndsAProgramThatTakesTooLong) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run_filter("sleep", {"60"}, "/dev/null", 0.2).end, End::too_slow);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace poet
