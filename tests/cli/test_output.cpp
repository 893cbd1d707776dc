#include <algorithm>

#include "base/sha256.hpp"
#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Output, GoesToTheFileInsteadOfStdoutAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(quick_problem() + Words{"--output", folder.file("s.json")});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(folder.contents(), ElementsAre("s.json"));
  EXPECT_EQ(as_document(contents_of(folder.file("s.json"))).at("status"), "optimal");
}

TEST(Output, IsNamedRelativeToTheWorkingDirectory) {
  const TemporaryFolder folder;
  Command command = poet_solve_command(quick_problem() + Words{"--output=s.json"});
  command.directory = folder.path();
  EXPECT_EQ(run_program(command).status, 0);
  EXPECT_THAT(folder.contents(), ElementsAre("s.json"));
}

TEST(Output, ReplacesAnOlderFileWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.write("s.json", std::string(1 << 20, 'x'));
  EXPECT_EQ(poet_solve(quick_problem() + Words{"--output", path}).status, 0);
  EXPECT_EQ(as_document(contents_of(path)).at("code"), 0);
}

TEST(Output, HoldsTheErrorDocumentOfAFailedRun) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve(problem("linear", "m4", "3255", "2") + Words{"--output", folder.file("s.json")});
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(folder.contents(), ElementsAre("s.json"));
  expect_error_document(as_document(contents_of(folder.file("s.json"))), 3);
}

TEST(Output, HoldsTheErrorDocumentOfACommandLineThatDoesNotParse) {
  const TemporaryFolder folder;
  const Finished run = poet_solve({"--bogus", "--output", folder.file("s.json")});
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  expect_error_document(as_document(contents_of(folder.file("s.json"))), 2);
}

/// Where a schedule is, a run without one writes its document to stdout.
class OutputWithASchedule : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(poet_solve(quick_problem() + output_).status, 0); }

  void expect_left_as_it_was(const Words& arguments, int code) const {
    const std::string before = contents_of(path_);
    const Finished run = poet_solve(arguments + output_);
    EXPECT_EQ(run.status, code);
    expect_error_document(document(run), code);
    EXPECT_THAT(run.err, HasSubstr(path_ + " holds a schedule and is left as it is"));
    EXPECT_EQ(contents_of(path_), before);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("s.json");
  Words output_{"--output", path_};
};

TEST_F(OutputWithASchedule, IsLeftAsItWasByARunWithoutOne) {
  expect_left_as_it_was(problem("linear", "m4", "3255", "2"), 3);
  expect_left_as_it_was(problem("linear", "m4", "0", "2"), 2);
  expect_left_as_it_was({"--bogus"}, 2);
  static_cast<void>(folder_.write("s.json", poet_solve(quick_problem() + Words{"--compact"}).out));
  expect_left_as_it_was(problem("linear", "m4", "3255", "2"), 3);
}

TEST_F(OutputWithASchedule, IsReplacedByABetterRunAndWhereTheUserAllowsIt) {
  EXPECT_EQ(poet_solve(problem("linear", "m4", "100%", "2") + output_).status, 0);
  EXPECT_EQ(as_document(contents_of(path_)).at("summary").at("recompute_count"), 0);
  const Finished run =
      poet_solve(problem("linear", "m4", "3255", "2") + Words{"--replace"} + output_);
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.out, "");
  expect_error_document(as_document(contents_of(path_)), 3);
  // There is no schedule now that could be lost.
  EXPECT_EQ(poet_solve(problem("linear", "m4", "0", "2") + output_).status, 2);
  expect_error_document(as_document(contents_of(path_)), 2);
  ASSERT_EQ(poet_solve(quick_problem() + output_).status, 0);
  EXPECT_EQ(poet_solve(Words{"--bogus", "--replace"} + output_).out, "");
  expect_error_document(as_document(contents_of(path_)), 2);
}

TEST(Output, OntoAFullDeviceFailsAndTheScheduleGoesToStdout) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Finished run = poet_solve(quick_problem() + Words{"--output", "/dev/full"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("No space left"));
  EXPECT_EQ(document(run).at("status"), "optimal");
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST(Output, OntoAFullDeviceFailsAndSaysSoWhereThereIsNoSchedule) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Finished run =
      poet_solve(problem("linear", "m4", "100", "2") + Words{"--output", "/dev/full"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("No space left"));
  expect_error_document(document(run), 2);
}

TEST(Compact, IsTheSameDocumentOnOneLine) {
  const auto without_clock = [](nlohmann::json file) {
    file.at("solver").erase("wall_seconds");
    file.at("solver").erase("timing");
    return file;
  };
  const Finished compact = poet_solve(quick_problem() + Words{"--compact"});
  const Finished wide = poet_solve(quick_problem());
  EXPECT_EQ(count_lines(compact.out), 1U);
  EXPECT_GT(count_lines(wide.out), 50U);
  EXPECT_EQ(without_clock(document(compact)), without_clock(document(wide)));
}

TEST(Compact, HoldsForErrorsToo) {
  const Finished infeasible = poet_solve(problem("linear", "m4", "1", "2") + Words{"--compact"});
  EXPECT_EQ(count_lines(infeasible.out), 1U);
  const Finished refused = poet_solve(problem("linear", "m4", "0", "2") + Words{"--compact"});
  expect_error_document(document(refused), 2);
  EXPECT_EQ(count_lines(refused.out), 1U);
}

TEST(Quiet, SaysNothingOfASuccessAndEverythingOfAnError) {
  const Finished fine = poet_solve(quick_problem() + Words{"-q"});
  EXPECT_EQ(fine.status, 0);
  EXPECT_EQ(fine.err, "");
  const Finished refused = poet_solve(problem("linear", "m4", "1", "2") + Words{"--quiet"});
  EXPECT_THAT(refused.err, HasSubstr("3256"));
}

TEST(Quiet, HasOneLineThatNamesTheProblemOfARunWithoutASchedule) {
  const Finished infeasible = poet_solve(problem("linear", "m4", "3255", "2") + Words{"-q"});
  EXPECT_EQ(count_lines(infeasible.err), 1U);
  EXPECT_THAT(infeasible.err,
              HasSubstr("error: linear/m4 both 2x 3255 bytes: infeasible: the RAM budget"));
  // There is no schedule, which takes a search to know.
  const Finished unknown = poet_solve(problem("linear", "m4", "3300", "1.0001") +
                                      Words{"-q", "--no-paging", "--time-limit-s", "0.000001"});
  EXPECT_EQ(unknown.status, 4);
  EXPECT_EQ(count_lines(unknown.err), 1U);
  EXPECT_THAT(unknown.err, HasSubstr("linear/m4 remat 1.0001x 3300 bytes: unknown: "));
}

TEST(Summary, SaysWhatAGapOfNothingMeans) {
  EXPECT_THAT(poet_solve(problem("linear", "m4", "100%", "2")).err, HasSubstr("; exactly optimal"));
  EXPECT_THAT(poet_solve(quick_problem()).err, testing::Not(HasSubstr(" 0 %")));
}

TEST(Infeasible, SaysInFewDigitsWhatToTryNext) {
  const Finished run = poet_solve(problem("linear", "m4", "3300", "1.0001") + Words{"--no-paging"});
  ASSERT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err, testing::ContainsRegex("within [0-9.]+ [mu]?s of runtime"));
  EXPECT_THAT(run.err, HasSubstr("keeping everything takes 7416 bytes, and sweep --min-ram finds"));
  EXPECT_THAT(run.err, testing::Not(testing::ContainsRegex("[0-9]\\.[0-9]{6}")));
}

TEST(LogFile, HoldsTheLogEvenWhenQuiet) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve(quick_problem() + Words{"-q", "--log-file", folder.file("solve.log")});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(contents_of(folder.file("solve.log")), HasSubstr("optimal"));
}

TEST(LogFile, ThatCannotBeWrittenIsBadUsage) {
  for (const std::string path : {"/nonexistent/solve.log", "/"}) {
    const Finished run = poet_solve(quick_problem() + Words{"--log-file", path});
    EXPECT_EQ(run.status, 2) << path;
    EXPECT_THAT(run.err, HasSubstr("--log-file: " + path));
    expect_error_document(document(run), 2);
  }
}

TEST(LogFile, ThatTheSystemRefusesIsBadUsage) {
  if (!std::filesystem::is_directory("/proc")) GTEST_SKIP() << "no /proc here";
  // For root a folder that claims to be writable, and in which nothing can be created.
  const Finished run = poet_solve(quick_problem() + Words{"--log-file", "/proc/solve.log"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--log-file: "));
  expect_error_document(document(run), 2);
}

TEST(LogFile, ThatIsNotWrittenToItsEndEndsWithTwo) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Finished run = poet_solve(quick_problem() + Words{"-q", "--log-file", "/dev/full"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--log-file: "));
  EXPECT_EQ(document(run).at("status"), "optimal");
}

TEST(Log, HasNoColoursInAPipe) {
  EXPECT_THAT(poet_solve(problem("linear", "m4", "0", "2")).err, testing::Not(HasSubstr("\x1b")));
}

TEST(Version, IsOneLineOnStdout) {
  const Finished run = poet_solve({"--version"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, testing::MatchesRegex("poet-solve [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(run.err, "");
}

TEST(Version, SaysWhichBuildItIsWithVerboseOnEitherSide) {
  const Finished run = poet_solve({"--version", "-v"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(count_lines(run.out), 2U);
  EXPECT_THAT(run.out, testing::StartsWith(poet_solve({"--version"}).out));
  if (std::filesystem::exists("/proc/self/exe")) {
    EXPECT_THAT(run.out, HasSubstr("\nsha256 " + sha256_hex(contents_of(POET_SOLVE)) + "\n"));
  }
  EXPECT_EQ(poet_solve({"-v", "--version"}).out, run.out);
  EXPECT_EQ(poet_solve({"--verbose", "--version"}).out, run.out);
}

TEST(List, ModelsAsATable) {
  const Finished run = poet_solve({"--list-models"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(count_lines(run.out), 18U);  // a heading and seventeen models
  EXPECT_THAT(run.out, HasSubstr("resnet18_cifar"));
}

TEST(List, ModelsAsJsonWithTheirSizes) {
  const auto models = document(poet_solve({"--list-models", "--json"})).at("models");
  ASSERT_EQ(models.size(), 17U);
  const auto found = std::find_if(models.begin(), models.end(),
                                  [](const auto& m) { return m.at("name") == "vgg16_cifar"; });
  ASSERT_NE(found, models.end());
  EXPECT_EQ(found->at("node_count"), 81);
  EXPECT_EQ(found->at("working_set_bytes"), 1048576);
}

TEST(List, JsonIsOnOneLineIfAskedFor) {
  const Words words{"--list-models", "--list-platforms", "--json"};
  const Finished compact = poet_solve(words + Words{"--compact"});
  EXPECT_EQ(count_lines(compact.out), 1U);
  EXPECT_EQ(document(compact), document(poet_solve(words)));
}

TEST(List, Platforms) {
  EXPECT_EQ(count_lines(poet_solve({"--list-platforms"}).out), 26U);
  const auto platforms = document(poet_solve({"--list-platforms", "--json"})).at("platforms");
  EXPECT_EQ(platforms.size(), 25U);
}

TEST(List, PlatformsSayWhereTheirFiguresComeFrom) {
  const std::string table = poet_solve({"--list-platforms"}).out;
  EXPECT_THAT(table, HasSubstr("512 KiB  estimated  ESP32-S3: one Xtensa"));
  EXPECT_THAT(table, HasSubstr("32 KiB  published  MKR1000"));
  EXPECT_THAT(table, HasSubstr("640 KiB  measured   NUCLEO-L4R5ZI"));
}

TEST(List, PlatformsAreWholePlatformFiles) {
  const auto platforms = document(poet_solve({"--list-platforms", "--json"})).at("platforms");
  for (const auto& platform : platforms) {
    const std::string name = platform.at("name");
    const std::string path = POET_SOURCE_DIR "/platforms/" + name + ".json";
    EXPECT_EQ(platform, as_document(contents_of(path))) << name;
  }
}

TEST(List, OpsWithTheirAttributesAndDefaults) {
  const Finished run = poet_solve({"--list-ops"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(count_lines(run.out), 59U);
  EXPECT_THAT(run.out, HasSubstr("\nconv2d                    1  out_channels, kernel [h, w], "
                                 "stride [h, w] = 1, padding [h, w] = 0, groups = 1, "));
  EXPECT_THAT(run.out, HasSubstr("2  broadcast_channels = false\n"));
  const auto ops = document(poet_solve({"--list-ops", "--json"})).at("ops");
  ASSERT_EQ(ops.size(), 58U);
  EXPECT_EQ(ops.at(0).at("name"), "conv2d");
  EXPECT_EQ(
      ops.at(0).at("attributes").at(3),
      nlohmann::json::parse(R"({"name": "padding", "kind": "padding", "least": 0, "default": 0})"));
  EXPECT_EQ(
      ops.at(0).at("attributes").at(4),
      nlohmann::json::parse(
          R"({"name": "groups", "kind": "integer", "least": 1, "default": 1, "version": 2})"));
}

TEST(List, SeveralAreTablesWithAnEmptyLineBetween) {
  const Finished run = poet_solve({"--list-models", "--list-platforms", "--list-ops"});
  EXPECT_EQ(count_of(run.out, "\n\n"), 2U);
  EXPECT_EQ(count_lines(run.out), 18U + 1 + 26 + 1 + 59);
}

TEST(List, GoesToOutput) {
  const TemporaryFolder folder;
  const Finished run = poet_solve({"--list-models", "--output", folder.file("list.txt")});
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(count_lines(contents_of(folder.file("list.txt"))), 18U);
}

TEST(Tables, HaveALinePerNodeOnStderr) {
  for (const char* table : {"--print-graph-info", "--print-power-costs"}) {
    const Finished run = poet_solve(quick_problem() + Words{"-q", table});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(count_lines(run.err), 28U) << table;  // a heading and 27 nodes
    EXPECT_THAT(run.err, HasSubstr("fc1"));
    document(run);
  }
}

TEST(Plot, StaysInItsDirectoryWhateverTheModelIsCalled) {
  for (const std::string name : {"../outside", "/outside", "..", "a/b"}) {
    const TemporaryFolder folder;
    std::string model = measured_model();
    model.replace(model.find("measured"), 8, name);
    const Finished run = poet_solve({"--model", "-", "--ram-budget", "60", "--runtime-budget", "1",
                                     "--plot-directory", folder.file("plots")},
                                    model);
    EXPECT_EQ(run.status, 0) << name << run.err;
    EXPECT_THAT(folder.contents(), ElementsAre("plots")) << name;
    EXPECT_FALSE(std::filesystem::is_empty(folder.file("plots"))) << name;
  }
}

}  // namespace
}  // namespace poet::test
