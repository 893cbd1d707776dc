// Nothing that a sweep has finished is lost: not by a kill, not by Ctrl-C, not by a crash.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

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
  EXPECT_THAT(folder.contents(),
              ElementsAre("c.jsonl.partial", "whole.jsonl", "whole.jsonl.request"));
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

  EXPECT_THAT(folder.contents(),
              ElementsAre("c.jsonl", "c.jsonl.request", "whole.jsonl", "whole.jsonl.request"));
  EXPECT_EQ(without_timing(lines_of(folder.file("c.jsonl"))), without_timing(whole));
}

TEST(SweepResume, AfterCtrlCGoesOn) {
  const TemporaryFolder folder;
  const Finished stopped = run_in(folder, grid({"--output", "c.jsonl"}), "info: 9/28");
  EXPECT_EQ(stopped.status, 130);
  EXPECT_LT(stopped.wall_seconds, 20);
  EXPECT_THAT(stopped.err, HasSubstr("--resume c.jsonl goes on"));
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl.partial"));
  const Finished resumed = run_in(folder, grid({"--output", "c.jsonl", "--resume", "c.jsonl"}));
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
             sweep("resnet18_cifar", "m4", "440000,100%", "2",
                   {"--techniques", "both,none", "--effort", "fast", "-v", "--output", "c.jsonl"}),
             "both 2x 429.7 KiB: begins", [](pid_t program) {
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
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl", "c.jsonl.request"));
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
  const Finished other = run_in(folder, slow({"--resume", "c.jsonl", "--seed", "7"}));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("belongs to another sweep: seed: found '7'"));
  const Finished partly = run_in(folder, {"sweep", "--resume", "c.jsonl", "--seed", "7"});
  EXPECT_EQ(partly.status, 2);
  EXPECT_THAT(partly.err, HasSubstr("--models: missing"));
  EXPECT_EQ(contents_of(folder.file("c.jsonl.partial")), before);
  EXPECT_THAT(folder.contents(), ElementsAre("c.jsonl.partial"));
}

/// A point that a fast solve leaves open, and two that are known at once.
class SweepResumeWithOtherSettings : public testing::Test {
 protected:
  static Words hard(const Words& more) {
    return sweep("resnet18_cifar", "m4", "100000,590886,100%", "1.5",
                 Words{"--effort", "fast", "--gap", "0"} + more);
  }

  Finished run(const Words& words) const { return run_in(folder_, words); }
  Lines rows() const { return lines_of(folder_.file("c.jsonl")); }

  /// The rows of a sweep, and the change of its open point.
  void expect_only_the_open_point_to_be_better(const Lines& before, const Finished& resumed) {
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("2 of 3 points are known already"));
    const Lines after = rows();
    ASSERT_EQ(after.size(), 3U);
    for (const std::size_t p : {0U, 2U}) {
      nlohmann::json expected = before.at(p);
      expected["requested_gap"] = after[p].at("requested_gap");
      EXPECT_EQ(after[p], expected) << p;
    }
    EXPECT_LE(after[1].at("energy_joules"), before.at(1).at("energy_joules"));
    EXPECT_GE(after[1].at("lower_bound_joules"), before.at(1).at("lower_bound_joules"));
    EXPECT_EQ(after[1].at("status"), "optimal");
    EXPECT_THAT(folder_.contents(), testing::Not(testing::Contains("c.jsonl.partial")));
  }

  TemporaryFolder folder_;
};

TEST_F(SweepResumeWithOtherSettings, SolvesTheOpenPointsOfAFinishedFileAgain) {
  ASSERT_EQ(run(hard({"--output", "c.jsonl"})).status, 0);
  const Lines before = rows();
  ASSERT_EQ(before.at(1).at("status"), "feasible");
  EXPECT_EQ(run({"sweep", "--resume", "c.jsonl"}).status, 0);
  EXPECT_EQ(rows(), before) << "nothing is to change";
  expect_only_the_open_point_to_be_better(
      before, run({"sweep", "--resume", "c.jsonl", "--gap", "1e-4", "--effort", "default",
                   "--time-limit-s", "30", "--jobs", "2"}));
}

TEST_F(SweepResumeWithOtherSettings, BeginsWithTheSchedulesOfAFinishedFile) {
  ASSERT_EQ(run(hard({"--output", "c.jsonl"})).status, 0);
  const Lines before = rows();
  // A time limit that leaves no time to find anything else.
  const Finished resumed = run({"sweep", "--resume", "c.jsonl", "--effort", "default",
                                "--time-limit-s", "0.001", "--schedules", "s"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_LE(rows().at(1).at("energy_joules"), before.at(1).at("energy_joules"));
  EXPECT_GE(rows().at(1).at("lower_bound_joules"), before.at(1).at("lower_bound_joules"));
  EXPECT_EQ(poet_solve({"verify", folder_.file("c.jsonl")}).status, 0);
}

TEST_F(SweepResumeWithOtherSettings, GoesOnAfterAKill) {
  ASSERT_EQ(run(hard({"--output", "c.jsonl"})).status, 0);
  const Lines before = rows();
  const Finished killed = run_in(folder_,
                                 {"sweep", "--resume", "c.jsonl", "--gap", "1e-6", "--effort",
                                  "default", "--time-limit-s", "100", "-v"},
                                 "begins", kill_hard);
  ASSERT_EQ(killed.signal, SIGKILL);
  EXPECT_THAT(folder_.contents(), ElementsAre("c.jsonl", "c.jsonl.partial"));
  expect_only_the_open_point_to_be_better(
      before, run({"sweep", "--resume", "c.jsonl", "--gap", "1e-4", "--time-limit-s", "30"}));
}

TEST_F(SweepResumeWithOtherSettings, ChangesThoseOfAJournal) {
  const Words slow = sweep("resnet18_cifar", "m4", "100000,737719,100%", "1.5", {"--gap", "0"});
  const Finished stopped = run_in(folder_, slow + Words{"--output", "c.jsonl", "-v"},
                                  "both 1.5x 720.4 KiB: begins", kill_hard);
  ASSERT_EQ(stopped.signal, SIGKILL);
  const Finished resumed =
      run({"sweep", "--resume", "c.jsonl", "--gap", "5e-3", "--time-limit-s", "30"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(rows().at(1).at("status"), "optimal");
  EXPECT_EQ(rows().at(1).at("requested_gap"), 5e-3);
}

TEST_F(SweepResumeWithOtherSettings, SearchesIntervalsAgainFromWhatIsKnown) {
  const Words search{"sweep",        "--models", "resnet18_cifar",   "--platforms", "m4",
                     "--techniques", "remat",    "--runtime-budget", "1.004,1.01",  "--min-ram"};
  const Finished stopped =
      run_in(folder_, search + Words{"--time-limit-s", "0.05", "--output", "c.jsonl"}, "info: 1/2",
             kill_hard);
  if (stopped.signal != SIGKILL) GTEST_SKIP() << "it was too quick to be stopped";
  const Lines kept = lines_of(folder_.file("c.jsonl.partial"));
  ASSERT_EQ(run({"sweep", "--resume", "c.jsonl", "--time-limit-s", "0.5"}).status / 5, 0);
  const nlohmann::json& before = kept.back().at("found");
  const nlohmann::json after = rows().at(kept.back().at("min_ram").get<std::size_t>());
  EXPECT_LE(after.at("feasible_ram_bytes"), before.at("feasible_bytes"));
  EXPECT_GE(after.at("infeasible_below_bytes"), before.at("infeasible_below_bytes"));
  ASSERT_EQ(run({"sweep", "--resume", "c.jsonl", "--time-limit-s", "0.8"}).status / 5, 0);
  const nlohmann::json longer = rows().at(kept.back().at("min_ram").get<std::size_t>());
  EXPECT_LE(longer.at("feasible_ram_bytes"), after.at("feasible_ram_bytes"));
  EXPECT_GE(longer.at("infeasible_below_bytes"), after.at("infeasible_below_bytes"));
}

TEST_F(SweepResumeWithOtherSettings, RefusesAFinishedFileOfAnotherGridOrSeed) {
  const auto grid = [](const std::string& ram, const Words& more) {
    return sweep("linear", "m4", ram, "2", more);
  };
  ASSERT_EQ(run(grid("50%,100%", {"--output", "c.jsonl"})).status, 0);
  const std::string before = contents_of(folder_.file("c.jsonl"));
  const Finished same = run(grid("50%,100%", {"--resume", "c.jsonl"}));
  EXPECT_EQ(same.status, 0);
  EXPECT_THAT(same.err, HasSubstr("nothing is left to do"));
  for (const Words& more : {Words{}, Words{"--gap", "0"}}) {
    const Finished other = run(grid("60%,100%", Words{"--resume", "c.jsonl"} + more));
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("'c.jsonl.request' belongs to another sweep: ram_budget"));
    const Finished reseeded =
        run(grid("50%,100%", Words{"--resume", "c.jsonl", "--seed", "7"} + more));
    EXPECT_EQ(reseeded.status, 2);
    EXPECT_THAT(reseeded.err, HasSubstr("seed: found '7', expected '1'"));
  }
  EXPECT_EQ(contents_of(folder_.file("c.jsonl")), before);
  EXPECT_THAT(folder_.contents(), ElementsAre("c.jsonl", "c.jsonl.request"));
}

TEST_F(SweepResumeWithOtherSettings, GoesOnWithTheGridOfAFinishedFileInAnyFormat) {
  const Words shares{"sweep",        "--models", "linear,ds_cnn",    "--platforms", "m4",
                     "--ram-budget", "60%,80%",  "--runtime-budget", "1.5",         "--effort",
                     "fast",         "--output", "c.jsonl"};
  ASSERT_EQ(run(shares).status, 0);
  EXPECT_EQ(run({"sweep", "--resume", "c.jsonl", "--gap", "1e-5", "--format", "csv"}).status, 0);
  EXPECT_THAT(contents_of(folder_.file("c.jsonl")), testing::StartsWith("point,status"));
  EXPECT_EQ(run({"sweep", "--resume", "c.jsonl", "--gap", "1e-6"}).status, 0);
  EXPECT_THAT(contents_of(folder_.file("c.jsonl")), HasSubstr(",1e-06,"));
}

TEST_F(SweepResumeWithOtherSettings, NeverTakesWhatAnotherSweepHasLeft) {
  const auto quick = [](const std::string& ram, const Words& more) {
    return sweep("linear", "m4", ram, "2", more);
  };
  const Words tighter{"sweep", "--resume", "c.jsonl", "--gap", "1e-6"};
  const auto refuses = [&](const Words& words, const std::string& what) {
    const std::string before = contents_of(folder_.file("c.jsonl"));
    const Finished refused = run(words);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr(what));
    EXPECT_THAT(refused.err, HasSubstr("solve anew with --output"));
    EXPECT_EQ(contents_of(folder_.file("c.jsonl")), before);
    EXPECT_THAT(folder_.contents(), testing::Not(testing::Contains("c.jsonl.partial")));
  };
  ASSERT_EQ(run(quick("50%,100%", {"--output", "c.jsonl"})).status, 0);
  // As a sweep to stdout leaves it.
  const std::string whole = contents_of(folder_.file("c.jsonl"));
  folder_.write("c.jsonl", run(quick("60%,100%", {})).out);
  refuses(tighter, "'c.jsonl' is not the result of this sweep");
  // As an older version leaves it: the request alone.
  folder_.write("c.jsonl", whole);
  const std::string journal = contents_of(folder_.file("c.jsonl.request"));
  folder_.write("c.jsonl.request", journal.substr(0, journal.find('\n') + 1));
  refuses(tighter, "found no results, as older versions left it");
  std::filesystem::remove(folder_.file("c.jsonl.request"));
  refuses(tighter, "there is no 'c.jsonl.request' to go on with");
  refuses(quick("50%,100%", {"--resume", "c.jsonl", "--gap", "1e-6"}), "there is no");
  // What is left never blocks a new sweep, and does not outlive it.
  folder_.write("c.jsonl.request", journal);
  ASSERT_EQ(run(quick("60%,100%", {"--output", "c.jsonl"})).status, 0);
  EXPECT_EQ(run(tighter).status, 0);
  EXPECT_EQ(rows().at(1).at("requested_gap"), 1e-6);
  EXPECT_THAT(folder_.contents(), ElementsAre("c.jsonl", "c.jsonl.request"));
}

TEST_F(SweepResumeWithOtherSettings, FindsAllInTheJournalIfItWasKilledOnceTheResultWasInPlace) {
  const Words grid = sweep("linear", "m4", "50%,100%", "2", {"--output", "c.jsonl"});
  ASSERT_EQ(run(grid).status, 0);
  const Lines before = rows();
  std::filesystem::rename(folder_.file("c.jsonl.request"), folder_.file("c.jsonl.partial"));
  folder_.write("c.jsonl.request", "left by an earlier sweep");
  const Finished resumed = run({"sweep", "--resume", "c.jsonl"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("2 of 2 points are known already"));
  EXPECT_EQ(rows(), before);
  EXPECT_THAT(folder_.contents(), ElementsAre("c.jsonl", "c.jsonl.request"));
  EXPECT_EQ(run({"sweep", "--resume", "c.jsonl", "--gap", "1e-6"}).status, 0);
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
