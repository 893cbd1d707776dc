#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

TEST(Limits, ATimeLimitIsKeptAndEndsWithASchedule) {
  const Finished run = poet_solve(slow_problem() + Words{"--time-limit-s", "0.2"});
  EXPECT_EQ(run.status, 0);
  EXPECT_LE(run.wall_seconds, 0.2 * 1.1 + 1);
  const auto file = document(run);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_GT(file.at("summary").at("gap"), 1e-4);
  EXPECT_LE(file.at("summary").at("lower_bound_joules"), file.at("summary").at("energy_joules"));
}

TEST(Limits, AModelThatNeedsMoreMemoryIsNotBuiltAndTheMessageSaysWhy) {
  const Finished run =
      poet_solve(slow_problem() + Words{"--effort", "fast", "--memory-limit", "8M"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("more memory than the 8 MiB of --memory-limit"));
  const auto file = document(run);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_LE(file.at("summary").at("lower_bound_joules"), file.at("summary").at("energy_joules"));
}

// A sweep and a single solve say the same: the limit is the user's, and nothing has failed. The
// runtime budget is one at which the glance, which may fit into a mebibyte, has no answer.
TEST(Limits, AModelThatIsNotBuiltForWantOfMemoryEndsWithFourIfThereIsNoSchedule) {
  const Words limited{"--no-paging", "--effort", "fast", "--memory-limit", "1M"};
  const Finished run = poet_solve(problem("resnet50", "m4", "12390400", "1.1") + limited);
  EXPECT_EQ(run.status, 4) << run.err;
  expect_error_document(document(run), 4);
  EXPECT_EQ(document(run).at("status"), "unknown");
  EXPECT_THAT(document(run).at("error").get<std::string>(),
              HasSubstr("more memory than the 1 MiB of --memory-limit"));
}

TEST(Limits, RequireOptimalEndsWithFiveAndStillWritesTheSchedule) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve(slow_problem() + Words{"--time-limit-s", "0.2", "--require-optimal", "--output",
                                        folder.file("s.json")});
  EXPECT_EQ(run.status, 5);
  const auto file = as_document(contents_of(folder.file("s.json")));
  EXPECT_EQ(file.at("code"), 5);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_EQ(poet_solve({"verify", folder.file("s.json")}).status, 0);
}

TEST(Limits, RequireOptimalIsMetByAProof) {
  EXPECT_EQ(poet_solve(quick_problem() + Words{"--require-optimal"}).status, 0);
}

TEST(Limits, AnInterruptEndsWith130AndWritesTheBestScheduleSoFar) {
  Command command = poet_solve_command(slow_problem() + Words{"--time-limit-s", "60"});
  command.interrupt_after = "gap";  // of the first progress line
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_LT(run.wall_seconds, 10);
  const auto file = document(run);
  EXPECT_EQ(file.at("code"), 130);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST(Limits, AnInterruptOfTheSearchForTheSmallestRamLeavesAnErrorDocument) {
  Command command = poet_solve_command(problem("resnet18_cifar", "m4", "min", "1.001") +
                                       Words{"--no-paging", "--time-limit-s", "60"});
  command.stderr_is_terminal = true;
  command.interrupt_after = "smallest RAM";
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_LT(run.wall_seconds, 10);
  expect_error_document(document(run), 130);
  EXPECT_THAT(run.err, HasSubstr("interrupted before the smallest RAM budget was known"));
}

TEST(Limits, AnInterruptOfTheSearchForTheSmallestRamLeavesAScheduleAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("schedule.json");
  EXPECT_EQ(poet_solve(quick_problem() + Words{"--output", path}).status, 0);
  const std::string earlier = contents_of(path);
  Command command =
      poet_solve_command(problem("resnet18_cifar", "m4", "min", "1.001") +
                         Words{"--no-paging", "--time-limit-s", "60", "--output", path});
  command.stderr_is_terminal = true;
  command.interrupt_after = "smallest RAM";
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_EQ(contents_of(path), earlier);
  EXPECT_EQ(document(run).at("status"), "unknown");
}

TEST(Limits, AnInterruptWhileRefiningLeavesWhatIsProven) {
  Command command = poet_solve_command(problem("vgg16_cifar", "a72", "1261156", "3"));
  command.interrupt_after = "refining the extra energy";
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 0) << "what was asked for is proven";
  EXPECT_EQ(document(run).at("status"), "optimal");
  EXPECT_EQ(document(run).at("code"), 0);
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST(Limits, FastSolvesDoNotRefine) {
  const Words vgg = problem("vgg16_cifar", "m4", "1473736", "3");
  EXPECT_THAT(poet_solve(vgg).err, testing::HasSubstr("refining the extra energy"));
  EXPECT_THAT(poet_solve(vgg + Words{"--effort", "fast"}).err,
              testing::Not(testing::HasSubstr("refining")));
}

TEST(Limits, SigtermEndsLikeAnInterrupt) {
  Command command = poet_solve_command(slow_problem() + Words{"--time-limit-s", "60"});
  command.interrupt_after = "gap";
  command.signals = {SIGTERM};
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_EQ(document(run).at("status"), "feasible");
}

TEST(Limits, AnInterruptInTheRelaxationKeepsWhatWasKnownBeforeIt) {
  Command command = poet_solve_command(slow_problem() + Words{"--time-limit-s", "60"});
  command.interrupt_after = "relaxation";
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  const auto summary = document(run).at("summary");
  EXPECT_GE(summary.at("lower_bound_joules"), summary.at("baseline_energy_joules"));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

// Whatever is left of them would keep stderr open, and the run would not end.
TEST(Limits, AnInterruptEndsAllProcessesOfASolve) {
  Command command =
      poet_solve_command(problem("resnet18_cifar", "a72", "350000", "3") +
                         Words{"--gap", "0", "--time-limit-s", "120", "--solve-threads", "3"});
  command.stderr_is_terminal = true;
  command.interrupt_after = "counts";
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_LT(run.wall_seconds, 60);
  EXPECT_EQ(document(run).at("status"), "feasible");
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST(Limits, ASecondInterruptEndsAtOnceAndLeavesNothing) {
  const TemporaryFolder folder;
  Command command = poet_solve_command(
      slow_problem() + Words{"--time-limit-s", "60", "--output", folder.file("s.json")});
  command.interrupt_after = "gap";
  command.signals = {SIGINT, SIGTERM};  // two of the same kind could become one
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(folder.contents(), testing::IsEmpty());
}

TEST(Limits, WithoutTimeForAScheduleEndsWithFour) {
  // Nothing that is quick finds a schedule this close to the working set and to one pass. In a
  // hundredth of a second a glance shows that there is none.
  const Finished run = poet_solve(problem("resnet50", "m4", "12390400", "1.0000001") +
                                  Words{"--no-paging", "--time-limit-s", "0.0001"});
  EXPECT_EQ(run.status, 4);
  const auto file = document(run);
  expect_error_document(file, 4);
  EXPECT_EQ(file.at("status"), "unknown");
  EXPECT_THAT(file.at("error").get<std::string>(), HasSubstr("limit"));
}

}  // namespace
}  // namespace poet::test
