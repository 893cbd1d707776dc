// A solve that gets lost in fork() is ended by the process that watches it, with the best schedule
// and a document as ever.
#include <csignal>
#include <future>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

/// The ten seconds of grace, and what a busy machine needs besides.
constexpr double kGraceSeconds = 10;
constexpr double kMarginSeconds = 4;

/// What the library says then; the local search is over.
constexpr const char* kLost = "lost in fork()";

Command with_fork(const char* fault, const Words& arguments) {
  Command command = poet_solve_command(arguments);
  command.environment = {{"LD_PRELOAD", POET_STUCK_FORK}, {"POET_TEST_FORK", fault}};
  command.kill_after_seconds = 60;
  return command;
}

void expect_schedule(const Finished& run, int status) {
  EXPECT_FALSE(run.killed);
  EXPECT_EQ(run.status, status) << run.err;
  const auto file = document(run);
  EXPECT_EQ(file.at("code"), status);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST(StuckFork, ATimeLimitLeavesTheBestSchedule) {
  const Finished run =
      run_program(with_fork("hang:0", slow_problem() + Words{"--time-limit-s", "2"}));
  expect_schedule(run, 0);
  EXPECT_LE(run.wall_seconds, 2 + kGraceSeconds + kMarginSeconds);
  EXPECT_THAT(run.err, HasSubstr("went on for 10 s after its time limit and was ended"));
  // It is what the local search of a million moves has found, and not the first schedule.
  const auto whole = document(poet_solve(slow_problem() + Words{"--effort", "fast"}));
  EXPECT_LE(document(run).at("summary").at("energy_joules"),
            1.001 * whole.at("summary").at("energy_joules").get<double>());
}

TEST(StuckFork, ASignalLeavesTheBestSchedule) {
  const auto run_until = [](int signal) {
    Command command = with_fork("hang:0", slow_problem());
    command.interrupt_after = kLost;
    command.signals = {signal};
    return run_program(command);
  };
  // Both have the same seconds of grace.
  auto terminated = std::async(std::launch::async, run_until, SIGTERM);
  for (const Finished& run : {run_until(SIGINT), terminated.get()}) {
    expect_schedule(run, 130);
    EXPECT_GE(run.wall_seconds, kGraceSeconds);
    EXPECT_THAT(run.err, HasSubstr("went on for 10 s after its interrupt and was ended"));
  }
}

TEST(StuckFork, ASignalLeavesTheFile) {
  const TemporaryFolder folder;
  Command command = with_fork("hang:0", slow_problem() + Words{"--output", folder.file("s.json")});
  command.interrupt_after = kLost;
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(folder.contents(), testing::ElementsAre("s.json"));
  EXPECT_EQ(poet_solve({"verify", folder.file("s.json")}).status, 0);
}

TEST(StuckFork, ASecondSignalEndsAtOnce) {
  Command command = with_fork("hang:0", slow_problem());
  command.interrupt_after = kLost;
  command.signals = {SIGINT, SIGTERM};
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_EQ(run.out, "");
  EXPECT_LE(run.wall_seconds, kGraceSeconds + kMarginSeconds);
}

TEST(StuckFork, OfTheLeastTimeLeavesAScheduleWithinTheBudgets) {
  const Finished run = run_program(
      with_fork("hang:0", Words{"--model", "resnet18_cifar", "--platform", "m4", "--ram-budget",
                                "737719", "--objective", "runtime", "--time-limit-s", "2"}));
  expect_schedule(run, 0);
  const auto summary = document(run).at("summary");
  EXPECT_GT(summary.at("runtime_lower_bound_seconds"), 0);
  EXPECT_LE(summary.at("runtime_lower_bound_seconds"), summary.at("runtime_seconds"));
  EXPECT_LE(summary.at("lower_bound_joules"), summary.at("energy_joules"));
}

TEST(StuckFork, OfAPointOfASweepLeavesItsSchedule) {
  const Finished run = run_program(with_fork(
      "hang:1", Words{"sweep", "--model", "resnet18_cifar", "--platform", "m4", "--ram-budget",
                      "737719", "--runtime-budget", "1.5", "--gap", "0", "--time-limit-s", "2"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_LE(run.wall_seconds, 2 + kGraceSeconds + kMarginSeconds);
  const std::string row = run.out.substr(run.out.rfind('\n', run.out.size() - 2) + 1);
  EXPECT_EQ(as_document(row).at("status"), "feasible") << row;
}

TEST(StuckFork, ACrashOfTheSolveLeavesTheBestSchedule) {
  const Finished run =
      run_program(with_fork("abort:0", slow_problem() + Words{"--time-limit-s", "30"}));
  expect_schedule(run, 0);
  EXPECT_LT(run.wall_seconds, 30);
  EXPECT_THAT(run.err, HasSubstr("the process of the solve failed (killed by signal 6"));
}

}  // namespace
}  // namespace poet::test
