// What a command reads is never what it writes, and no two of its texts are one file.
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

class Paths : public testing::Test {
 protected:
  Paths() {
    folder_.write("m.json", contents_of(POET_SOURCE_DIR "/models/linear.json"));
    EXPECT_EQ(in_folder(solve() + Words{"--output", "s.json"}).status, 0);
  }

  static Words solve() { return problem("./m.json", "m4", "3500", "2") + Words{"-q"}; }

  Finished in_folder(const Words& words, const std::string& stdin_text = {}) const {
    Command command = poet_solve_command(words);
    command.directory = folder_.path();
    command.stdin_text = stdin_text;
    return run_program(command);
  }

  void expect_refused(const Words& words, const std::string& option, const std::string& other) {
    const std::string model = contents_of(folder_.file("m.json"));
    const std::string schedule = contents_of(folder_.file("s.json"));
    const Finished run = in_folder(words);
    EXPECT_EQ(run.status, 2) << option;
    EXPECT_THAT(run.err, HasSubstr(option + ": found "));
    EXPECT_THAT(run.err, HasSubstr("the same file as " + other + "; expected another one"));
    EXPECT_EQ(contents_of(folder_.file("m.json")), model);
    EXPECT_EQ(contents_of(folder_.file("s.json")), schedule);
    EXPECT_THAT(folder_.contents(), ElementsAre("m.json", "s.json"));
  }

  TemporaryFolder folder_;
};

TEST_F(Paths, OfAnInputAreNotWritten) {
  expect_refused(solve() + Words{"--output", "m.json"}, "--output", "--model");
  expect_refused(solve() + Words{"--log-file", "m.json"}, "--log-file", "--model");
  expect_refused(Words{"--log-file", "m.json"} + solve(), "--log-file", "--model");
  expect_refused({"verify", "s.json", "--log-file", "s.json"}, "--log-file", "FILE");
  expect_refused({"plot", "s.json", "--output", "./s.json"}, "--output", "FILE");
  expect_refused({"export", "s.json", "--model", "m.json", "--output", "c", "--log-file", "m.json"},
                 "--log-file", "--model");
  expect_refused(
      {"run", "s.json", "--model", "linear", "--input", "x=m.json", "--storage", "m.json"},
      "--storage", "--input");
  const Words grid = sweep("linear,./m.json", "m4", "80%", "2");
  expect_refused(grid + Words{"--csv", "m.json"}, "--csv", "--models");
}

TEST_F(Paths, OfAnInputAreNotWrittenByAnErrorEither) {
  const std::string model = contents_of(folder_.file("m.json"));
  const Finished run = in_folder(solve() + Words{"--output", "m.json", "--bogus"});
  expect_error_document(document(run), 2);
  EXPECT_EQ(contents_of(folder_.file("m.json")), model);
}

TEST_F(Paths, OfTwoOutputsDiffer) {
  expect_refused(solve() + Words{"--output", "q.json", "--certify", "./q.json"}, "--certify",
                 "--output");
  const Words grid = sweep("linear", "m4", "80%", "2", {"--output", "a.jsonl"});
  for (const char* own : {"a.jsonl", "a.jsonl.partial", "a.jsonl.request"}) {
    expect_refused(grid + Words{"--csv", own}, "--csv", "--output");
  }
}

TEST_F(Paths, MayHaveTheNameOfWhatIsBuiltIn) {
  const Words words = problem("linear", "m4", "3500", "2") + Words{"--output", "linear"};
  EXPECT_EQ(in_folder(words).status, 0);
  EXPECT_EQ(in_folder(words).status, 0);
}

TEST_F(Paths, WithALongModelNameHaveRoomForEverySchedule) {
  std::string model = measured_model();
  model.replace(model.find("measured"), 8, std::string(300, 'n'));
  folder_.write("long.json", model);
  const Words grid{"--models", "./long.json", "--ram-budget", "60,80%", "--runtime-budget", "2"};
  const Finished run =
      in_folder(Words{"sweep"} + grid + Words{"--schedules", "s", "--output", "s.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(in_folder({"verify", "s.jsonl"}).status, 0);
  EXPECT_EQ(in_folder(Words{"baselines"} + grid + Words{"--schedules", "b"}).status, 0);
  const Finished refused =
      in_folder(Words{"sweep"} + grid + Words{"--output", std::string(250, 'o')});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("name too long"));
}

TEST_F(Paths, OfAnEarlierProcessWithTheSameNumberAreNotInTheWay) {
  const Finished run = run_program(
      {.program = "/bin/sh",
       .arguments = Words{"-c", "touch out.json.tmp.$$; exec \"$@\"", "sh", POET_SOLVE} + solve() +
                    Words{"--output", "out.json"},
       .directory = folder_.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(as_document(contents_of(folder_.file("out.json"))).at("status"), "optimal");
}

TEST_F(Paths, OfStdoutAreWrittenBehindWhatIsThere) {
  const Finished run = run_program(
      {.program = "/bin/sh",
       .arguments = Words{"-c", "{ echo before; \"$@\"; echo after; } > all", "sh", POET_SOLVE} +
                    solve() + Words{"--output", "/dev/stdout"},
       .directory = folder_.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string all = contents_of(folder_.file("all"));
  EXPECT_THAT(all,
              testing::AllOf(testing::StartsWith("before\n{"), testing::EndsWith("}\nafter\n")));
}

}  // namespace
}  // namespace poet::test
