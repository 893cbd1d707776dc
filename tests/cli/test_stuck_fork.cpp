// A solve that gets lost in fork() is ended by the process that watches it, with the best schedule
// and a document as ever.
#include <csignal>
#include <future>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

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

/// Runs side by side have the same seconds of grace.
std::future<Finished> started(const Command& command) {
  return std::async(std::launch::async, [command] { return run_program(command); });
}

/// A search of a second and more than one find the same schedule here.
Words searched_problem() {
  return problem("resnet18_cifar", "m4", "737719", "1.5") + Words{"--gap", "0"};
}

Command signalled(int signal, const Words& options = {}) {
  Command command = with_fork("hang:0", slow_problem() + options);
  command.interrupt_after = kLost;
  command.signals = {signal};
  return command;
}

void expect_limit_kept(const Finished& run) {
  EXPECT_LE(run.wall_seconds, 2 + kGraceSeconds + kMarginSeconds);
}

void expect_best_schedule(const Finished& run) {
  expect_schedule(run, 0);
  EXPECT_THAT(run.err, HasSubstr("went on for 10 s after its time limit and was ended"));
  // It is what the local search of a million moves has found, and not the first schedule.
  const auto whole = document(poet_solve(searched_problem() + Words{"--effort", "fast"}));
  EXPECT_LE(document(run).at("summary").at("energy_joules"),
            1.001 * whole.at("summary").at("energy_joules").get<double>());
}

void expect_schedule_within_the_budgets(const Finished& of_the_least_time) {
  expect_schedule(of_the_least_time, 0);
  const auto summary = document(of_the_least_time).at("summary");
  EXPECT_GT(summary.at("runtime_lower_bound_seconds"), 0);
  EXPECT_LE(summary.at("runtime_lower_bound_seconds"), summary.at("runtime_seconds"));
  EXPECT_LE(summary.at("lower_bound_joules"), summary.at("energy_joules"));
}

void expect_schedule_of_the_point(const Finished& sweep) {
  EXPECT_EQ(sweep.status, 0) << sweep.err;
  const std::string row = sweep.out.substr(sweep.out.rfind('\n', sweep.out.size() - 2) + 1);
  EXPECT_EQ(as_document(row).at("status"), "feasible") << row;
}

TEST(StuckFork, ATimeLimitLeavesTheBestSchedule) {
  const Words limited{"--time-limit-s", "2"};
  const Words least{"--model",      "resnet18_cifar", "--platform",  "m4",
                    "--ram-budget", "737719",         "--objective", "runtime"};
  auto solve = started(with_fork("hang:0", searched_problem() + limited));
  auto least_time = started(with_fork("hang:0", least + limited));
  auto sweep = started(with_fork("hang:1", Words{"sweep"} + searched_problem() + limited));
  const Finished solved = solve.get();
  const Finished of_the_least_time = least_time.get();
  const Finished swept = sweep.get();
  for (const Finished& run : {solved, of_the_least_time, swept}) expect_limit_kept(run);
  expect_best_schedule(solved);
  expect_schedule_within_the_budgets(of_the_least_time);
  expect_schedule_of_the_point(swept);
}

TEST(StuckFork, ASignalLeavesTheBestSchedule) {
  const TemporaryFolder folder;
  auto interrupted = started(signalled(SIGINT));
  auto terminated = started(signalled(SIGTERM));
  auto into_file = started(signalled(SIGINT, {"--output", folder.file("s.json")}));
  for (const Finished& run : {interrupted.get(), terminated.get()}) {
    expect_schedule(run, 130);
    EXPECT_GE(run.wall_seconds, kGraceSeconds);
    EXPECT_THAT(run.err, HasSubstr("went on for 10 s after its interrupt and was ended"));
  }
  const Finished written = into_file.get();
  EXPECT_EQ(written.status, 130);
  EXPECT_EQ(written.out, "");
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

TEST(StuckFork, ACrashOfTheSolveLeavesTheBestSchedule) {
  const Finished run =
      run_program(with_fork("abort:0", slow_problem() + Words{"--time-limit-s", "30"}));
  expect_schedule(run, 0);
  EXPECT_LT(run.wall_seconds, 30);
  EXPECT_THAT(run.err, HasSubstr("the process of the solve failed (killed by signal 6"));
}

}  // namespace
}  // namespace poet::test
