#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

/// A schedule with recomputation, solved once for all tests.
const std::string& solved() {
  static const std::string text = poet_solve(problem("linear", "m0", "3256", "2")).out;
  return text;
}

TEST(Verify, AcceptsWhatTheSolverWroteFromAFileAndFromStdin) {
  const TemporaryFolder folder;
  const Finished from_file = poet_solve({"verify", folder.write("s.json", solved())});
  EXPECT_EQ(from_file.status, 0) << from_file.err;
  EXPECT_THAT(from_file.err, HasSubstr("valid"));
  EXPECT_EQ(from_file.out, "");
  EXPECT_EQ(poet_solve({"verify", "-"}, solved()).status, 0);
}

TEST(Verify, AcceptsACompactFile) {
  const Finished compact = poet_solve(quick_problem() + Words{"--compact"});
  EXPECT_EQ(poet_solve({"verify", "-"}, compact.out).status, 0);
}

TEST(Verify, QuotesTheErrorOfAFileWithoutSchedule) {
  const Finished none = poet_solve(problem("linear", "m4", "3255", "2"));
  const Finished run = poet_solve({"verify", "-"}, none.out);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("3256"));
}

TEST(Verify, RefusesATruncatedFileWithThePlace) {
  const Finished run = poet_solve({"verify", "-"}, solved().substr(0, solved().size() / 2));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("stdin:"));
  expect_error_document(document(run), 2);
}

TEST(Verify, TakesManyFilesAndSaysALineOfEach) {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.json", solved());
  json file = json::parse(solved());
  file["summary"]["peak_ram_bytes"] = 1;
  const std::string bad = folder.write("bad.json", file.dump());

  const Finished fine = poet_solve({"verify", good, good});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_EQ(count_lines(fine.err), 2U);
  const Finished one_bad = poet_solve({"verify", bad, good, "-"}, solved());
  EXPECT_EQ(one_bad.status, 5);
  EXPECT_THAT(one_bad.err, HasSubstr(bad + ": summary.peak_ram_bytes is 1"));
  EXPECT_THAT(one_bad.err, HasSubstr(bad + ": invalid, 1 finding"));
  EXPECT_THAT(one_bad.err, HasSubstr(good + ": valid"));
  EXPECT_THAT(one_bad.err, HasSubstr("stdin: valid"));
  EXPECT_EQ(one_bad.out, "");
  const Finished one_missing = poet_solve({"verify", bad, "none.json", good});
  EXPECT_EQ(one_missing.status, 2) << "what cannot be read outweighs what is invalid";
  EXPECT_THAT(one_missing.err, HasSubstr(good + ": valid"));
  expect_error_document(document(one_missing), 2);
  EXPECT_EQ(poet_solve({"verify", "-", good, "-"}, solved()).status, 2);
}

/// A sweep of an infeasible point and two others, with their schedule files.
class VerifySweep : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        poet_solve(sweep("linear", "m4", "10%,44%,60%", "2",
                         {"--output", folder_.file("c.jsonl"), "--schedules", folder_.file("s")}))
            .status,
        0);
  }

  std::string schedule() const { return folder_.file("s/0001-linear-m4-both-2x-3263.json"); }

  TemporaryFolder folder_;
};

TEST_F(VerifySweep, ReplaysEveryScheduleThatARowNames) {
  const Finished run = poet_solve({"verify", folder_.file("c.jsonl")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(count_lines(run.err), 2U) << run.err;
  EXPECT_THAT(run.err, HasSubstr(schedule() + ": valid"));
}

TEST_F(VerifySweep, FindsAFileThatIsGoneInvalidOrAnotherOnes) {
  const std::string text = contents_of(schedule());
  static_cast<void>(folder_.write("s/0001-linear-m4-both-2x-3263.json",
                                  contents_of(folder_.file("s/0002-linear-m4-both-2x-4449.json"))));
  const Finished other = poet_solve({"verify", folder_.file("c.jsonl")});
  EXPECT_EQ(other.status, 5);
  EXPECT_THAT(other.err, HasSubstr("this file is another one's: the RAM budget in bytes was 3263"));

  std::filesystem::remove(schedule());
  EXPECT_EQ(poet_solve({"verify", folder_.file("c.jsonl")}).status, 2);

  std::string lines;
  for (json& line : lines_of(folder_.file("c.jsonl"))) {
    line["schedule_file"] = nullptr;
    lines += line.dump() + "\n";
  }
  const Finished unnamed = poet_solve({"verify", "-"}, lines);
  EXPECT_EQ(unnamed.status, 2);
  EXPECT_THAT(unnamed.err, HasSubstr("stdin: found 2 of 2 schedules without a file"));
}

TEST_F(VerifySweep, ComparesTheGraphWithThatOfAModelOnAPlatform) {
  const std::string file = folder_.file("c.jsonl");
  EXPECT_EQ(poet_solve({"verify", file, "--model", "linear", "--platform", "m4"}).status, 0);
  const Finished board = poet_solve({"verify", file, "--model", "linear", "--platform", "m0"});
  EXPECT_EQ(board.status, 5);
  EXPECT_THAT(board.err, HasSubstr("as of model 'linear' on 'm0' with batch size 1"));
  EXPECT_EQ(poet_solve({"verify", file, "--model", "vgg16", "--platform", "m4"}).status, 5);
  EXPECT_EQ(poet_solve({"verify", file, "--platform", "m4"}).status, 2);
  EXPECT_EQ(poet_solve({"verify", file, "--model", "linear"}).status, 2);
  EXPECT_EQ(poet_solve({"verify", file, "--model", "none", "--platform", "m4"}).status, 2);
  // The batch size is the file's.
  const Finished batch =
      poet_solve(problem("linear", "m4", "100%", "2") + Words{"--batch-size", "3"});
  EXPECT_EQ(poet_solve({"verify", "-", "--model", "linear", "--platform", "m4"}, batch.out).status,
            0);
}

TEST(Verify, RefusesResultsWithoutSchedules) {
  const Finished run = poet_solve({"verify", "-"}, "point,status,\n");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("found the CSV table of a sweep"));
}

TEST(Verify, RefusesAMissingFileAndAMissingName) {
  const Finished missing = poet_solve({"verify", "none.json"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.json"));
  EXPECT_EQ(poet_solve({"verify"}).status, 2);
}

}  // namespace
}  // namespace poet::test
