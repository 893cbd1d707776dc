// A caller who closes, limits or takes away things costs the proof at most, never the schedule.
#include <cstdlib>

#include <fmt/format.h>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

/// `script` in a shell, with the program and its arguments as "$@".
Finished in_shell(const std::string& script, const Words& arguments) {
  return run_program(
      {.program = "sh", .arguments = Words{"-c", script, "sh", POET_SOLVE} + arguments});
}

class Surroundings : public testing::Test {
 protected:
  /// scripts/test sets it, which spares the program a second start.
  static void SetUpTestSuite() { ::unsetenv("OPENBLAS_NUM_THREADS"); }

  Words to_file(const Words& words) const { return words + Words{"--output", path_}; }
  nlohmann::json written() const { return as_document(contents_of(path_)); }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("s.json");
};

TEST_F(Surroundings, ClosedStreamsCostNothing) {
  for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"}) {
    SCOPED_TRACE(closed);
    const Finished run = in_shell(fmt::format(R"(exec "$@" {})", closed), to_file(quick_problem()));
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(written().at("status"), "optimal");
    EXPECT_THAT(folder_.contents(), ElementsAre("s.json"));
  }
}

TEST_F(Surroundings, AClosedStdoutIsAnErrorWhereTheDocumentGoesThere) {
  const Finished run = in_shell(R"(exec "$@" <&- >&-)", quick_problem());
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot write to stdout: Bad file descriptor"));
}

TEST_F(Surroundings, AClosedStderrDoesNotTurnTheLogFileIntoStderr) {
  const std::string log = folder_.file("log");
  in_shell(R"(exec "$@" 2>&-)", to_file(quick_problem()) + Words{"--log-file", log});
  EXPECT_THAT(contents_of(log), Not(HasSubstr("poet-solve: ")));
}

TEST_F(Surroundings, AReaderOfTheLogWhoGoesCostsNothing) {
  const std::string status = folder_.file("status");
  in_shell(fmt::format(R"({{ "$@"; echo $? > '{}'; }} 2>&1 | true)", status),
           to_file(slow_problem() + Words{"--effort", "fast"}));
  EXPECT_EQ(contents_of(status), "0\n");
  EXPECT_TRUE(written().contains("stages"));
}

TEST_F(Surroundings, ALimitOnTheSizeOfFilesIsAnError) {
  const Finished run = in_shell(R"(ulimit -f 1; exec "$@")", to_file(quick_problem()));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("File too large"));
  EXPECT_THAT(folder_.contents(), testing::IsEmpty());
}

TEST_F(Surroundings, WithoutAProcessForCbcTheScheduleIsWritten) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizers need descriptors of their own";
#endif
  // The program has 0 to 2 and one file at a time; a pipe would be two more. What the caller of the
  // test has left open is closed.
  const Finished run =
      in_shell(R"(exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 4; exec "$@")",
               to_file(quick_problem()));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(written().at("status"), "feasible");
  EXPECT_THAT(run.err, HasSubstr("CBC could not be started"));
}

TEST_F(Surroundings, WithoutMemoryForTheModelTheScheduleIsWritten) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizers need address space without limit";
#endif
  const Words words = to_file(problem("resnet50", "m4", "60%", "1.5")) + Words{"--gap", "0"};
  const Finished run =
      run_program({.program = "prlimit", .arguments = Words{"--as=120000000", POET_SOLVE} + words});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(written().at("status"), "feasible");
  EXPECT_THAT(run.err, HasSubstr("out of memory"));
  EXPECT_EQ(poet_solve({"verify", path_}).status, 0);
}

// OpenBLAS could not start its threads then, and waited for them in every fork().
TEST_F(Surroundings, WithLittleAddressSpaceASolveKeepsItsTimeLimit) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizers need address space without limit";
#endif
  const Words words = to_file(slow_problem()) + Words{"--gap", "0", "--time-limit-s", "1"};
  // The program with libonnx and OpenBLAS takes nearly 80 MB once it is loaded.
  for (const int megabytes : {100, 120, 160, 200}) {
    SCOPED_TRACE(megabytes);
    Command command{
        .program = "prlimit",
        .arguments = Words{fmt::format("--as={}000000", megabytes), POET_SOLVE} + words};
    command.kill_after_seconds = 20;
    const Finished run = run_program(command);
    EXPECT_FALSE(run.killed);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(written().at("status"), "feasible");
  }
}

TEST_F(Surroundings, TheEndOfTheTerminalEndsLikeAnInterrupt) {
  Command command = poet_solve_command(to_file(slow_problem()) + Words{"--time-limit-s", "60"});
  command.interrupt_after = "gap";
  command.signals = {SIGHUP, SIGCONT, SIGHUP};  // the shell and the system both tell
  EXPECT_EQ(run_program(command).status, 130);
  EXPECT_TRUE(written().contains("stages"));
}

TEST_F(Surroundings, UnderNohupTheEndOfTheTerminalIsNothing) {
  Command command = poet_solve_command({});
  command.program = "sh";
  command.arguments = Words{"-c", R"(trap '' HUP; exec "$@")", "sh", POET_SOLVE} +
                      to_file(slow_problem()) + Words{"--time-limit-s", "2"};
  command.interrupt_after = "gap";
  command.signals = {SIGHUP};
  EXPECT_EQ(run_program(command).status, 0);
  EXPECT_TRUE(written().contains("stages"));
}

}  // namespace
}  // namespace poet::test
