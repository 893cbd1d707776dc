// Nothing that a sweep has finished is lost: not by a kill, not by Ctrl-C, not by a crash.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Some seconds of work, points that take a while and points that take nothing.
Words grid(const Words& more = {}) {
  return sweep("linear,vgg16_cifar", "m4", "min..100%:7", "3",
               Words{"--techniques", "both,remat"} + more);
}

Finished run_in(const TemporaryFolder& folder, const Words& arguments,
                const std::string& interrupt_after = {},
                const std::function<void(pid_t)>& interrupt = {}) {
  Command command = poet_solve_command(arguments);
  command.directory = folder.path();
  command.interrupt_after = interrupt_after;
  command.interrupt = interrupt;
  return run_program(command);
}

void kill_hard(pid_t program) {
  ::kill(program, SIGKILL);
}

/// The first child of a process, for which it waits a little.
pid_t child_of(pid_t parent) {
  const std::string id = std::to_string(parent);
  const std::string path = "/proc/" + id + "/task/" + id + "/children";
  for (int attempt = 0; attempt < 200; ++attempt) {
    pid_t child = 0;
    if (std::ifstream(path) >> child) return child;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return 0;
}

TEST(SweepResume, AfterKillsGivesTheSameFileAndSolvesNothingTwice) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_in(folder, grid({"--output", "whole.jsonl"})).status, 0);
  const Lines whole = lines_of(folder.file("whole.jsonl"));
  ASSERT_EQ(whole.size(), 28U);

  std::multiset<std::string> finished;
  const Finished first = run_in(folder, grid({"--output", "c.jsonl"}), "info: 4/28", kill_hard);
  EXPECT_EQ(first.signal, SIGKILL);
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl.partial", "whole.jsonl"));
  // A crash can tear the last line.
  std::ofstream(folder.file("c.jsonl.partial"), std::ios::app) << R"({"point":27,"ram_bu)";
  const Finished second =
      run_in(folder, {"sweep", "--resume", "c.jsonl", "--jobs", "2"}, "info: 18/28", kill_hard);
  EXPECT_EQ(second.signal, SIGKILL);
  const Finished last = run_in(folder, grid({"--resume", "c.jsonl"}));
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_THAT(last.err, HasSubstr("are known already"));
  for (const Finished& run : {first, second, last}) finished.merge(finished_points(run.err));
  for (const std::string& name : finished) EXPECT_EQ(finished.count(name), 1U) << name;

  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl", "whole.jsonl"));
  EXPECT_EQ(without_timing(lines_of(folder.file("c.jsonl"))), without_timing(whole));
}

TEST(SweepResume, AfterCtrlCGoesOn) {
  const TemporaryFolder folder;
  const Finished stopped = run_in(folder, grid({"--output", "c.jsonl"}), "info: 9/28");
  EXPECT_EQ(stopped.status, 130);
  EXPECT_LT(stopped.wall_seconds, 20);
  EXPECT_THAT(stopped.err, HasSubstr("--resume c.jsonl goes on"));
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl.partial"));
  const Finished resumed = run_in(folder, {"sweep", "--resume", "c.jsonl"});
  EXPECT_EQ(resumed.status, 0);
  EXPECT_EQ(lines_of(folder.file("c.jsonl")).size(), 28U);
  EXPECT_EQ(finished_points(stopped.err).size() + finished_points(resumed.err).size(), 28U);
}

TEST(SweepResume, CtrlCWritesWhatIsFinishedToStdout) {
  const TemporaryFolder folder;
  const Finished stopped = run_in(folder, grid(), "info: 9/28");
  EXPECT_EQ(stopped.status, 130);
  const std::size_t finished = finished_points(stopped.err).size();
  EXPECT_GE(finished, 9U);
  EXPECT_EQ(as_lines(stopped.out).size(), finished);
  EXPECT_THAT(folder.contents(), ElementsAre());
}

TEST(SweepResume, SigtermEndsItLikeCtrlC) {
  const TemporaryFolder folder;
  Command command = poet_solve_command(grid());
  command.directory = folder.path();
  command.interrupt_after = "info: 9/28";
  command.signals = {SIGTERM};
  const Finished stopped = run_program(command);
  EXPECT_EQ(stopped.status, 130);
  EXPECT_EQ(as_lines(stopped.out).size(), finished_points(stopped.err).size());
}

TEST(SweepResume, ASecondSignalEndsItAtOnceAndKeepsWhatIsFinished) {
  const TemporaryFolder folder;
  Command command = poet_solve_command(grid({"--output", "c.jsonl"}));
  command.directory = folder.path();
  command.interrupt_after = "info: 9/28";
  command.signals = {SIGINT, SIGTERM};  // two of the same kind could become one
  const Finished stopped = run_program(command);
  EXPECT_EQ(stopped.status, 130);
  EXPECT_EQ(stopped.out, "");
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl.partial"));
  EXPECT_GE(lines_of(folder.file("c.jsonl.partial")).size(), 9U);
}

TEST(SweepResume, ACrashFailsOnePointAndIsTriedAgain) {
  if (!std::filesystem::exists("/proc/self/task")) GTEST_SKIP() << "no /proc here";
  const TemporaryFolder folder;
  const Finished crashed =
      run_in(folder,
             sweep("resnet18_cifar", "m4", "700000,100%", "2",
                   {"--techniques", "both,none", "--effort", "fast", "-v", "--output", "c.jsonl"}),
             "both 2x 683.6 KiB: begins", [](pid_t program) {
               const pid_t worker = child_of(program);
               ASSERT_GT(worker, 0);
               ::kill(worker, SIGKILL);
             });
  EXPECT_EQ(crashed.status, 1);
  EXPECT_THAT(crashed.err, HasSubstr("point 0 failed: its process was killed by signal 9"));
  EXPECT_THAT(crashed.err, HasSubstr("--resume c.jsonl tries what failed once more"));
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl", "c.jsonl.partial"));
  const Lines with_failure = lines_of(folder.file("c.jsonl"));
  ASSERT_EQ(with_failure.size(), 4U);
  EXPECT_EQ(with_failure[0].at("status"), "failed");
  EXPECT_THAT(with_failure[0].at("reason").get<std::string>(), HasSubstr("signal 9"));
  EXPECT_EQ(with_failure[1].at("status"), "optimal");
  EXPECT_EQ(with_failure[2].at("status"), "infeasible");

  const Finished resumed = run_in(folder, {"sweep", "--resume", "c.jsonl"});
  EXPECT_EQ(resumed.status, 0);
  EXPECT_EQ(finished_points(resumed.err).size(), 1U);
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl"));
  EXPECT_EQ(lines_of(folder.file("c.jsonl")).at(0).at("status"), "feasible");
}

TEST(SweepResume, RefusesWhatDoesNotBelongTogether) {
  const TemporaryFolder folder;
  const auto slow = [](const Words& more) {
    return sweep("resnet18_cifar", "m4", "737719,100%", "1.5", more);
  };
  run_in(folder, slow({"--output", "c.jsonl"}), "info: 1/2", kill_hard);
  const std::string before = contents_of(folder.file("c.jsonl.partial"));

  const Finished anew = run_in(folder, slow({"--output", "c.jsonl"}));
  EXPECT_EQ(anew.status, 2);
  EXPECT_THAT(anew.err, HasSubstr("--resume c.jsonl goes on with it"));
  const Finished other = run_in(folder, slow({"--resume", "c.jsonl", "--gap", "0.01"}));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("belongs to another sweep: gap: found '0.01'"));
  const Finished partly = run_in(folder, {"sweep", "--resume", "c.jsonl", "--gap", "0.01"});
  EXPECT_EQ(partly.status, 2);
  EXPECT_THAT(partly.err, HasSubstr("--models: missing"));
  EXPECT_EQ(contents_of(folder.file("c.jsonl.partial")), before);
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl.partial"));
}

TEST(SweepResume, StartsWithTheGridWhereThereIsNothingYetAndEndsWhereAllIsDone) {
  const TemporaryFolder folder;
  const Finished nothing = run_in(folder, {"sweep", "--resume", "c.jsonl"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("there is no 'c.jsonl.partial'"));
  const Words always = sweep("linear", "m4", "50%,100%", "2", {"--resume", "c.jsonl"});
  EXPECT_EQ(run_in(folder, always).status, 0);
  const std::string text = contents_of(folder.file("c.jsonl"));
  EXPECT_EQ(run_in(folder, always).status, 0);
  EXPECT_EQ(contents_of(folder.file("c.jsonl")), text);
}

}  // namespace
}  // namespace poet::test
