// Processes report whenever they like. However the bytes of their messages reach the pipe, the
// answer is the one of a single process.
#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

/// A problem whose search reports much at the same moment; its optimum is 69 J.
Words problem_on(const char* processes) {
  return {"--model",
          POET_TEST_DATA "/cases/threads-109.json",
          "--ram-budget",
          "14000042",
          "--runtime-budget",
          "12.552256916782144us",
          "--gap",
          "0",
          "--time-limit-s",
          "40",
          "--solve-threads",
          processes};
}

void expect_optimum(const Finished& run) {
  EXPECT_EQ(run.status, 0) << run.err;
  const auto file = document(run);
  ASSERT_EQ(file.value("status", ""), "optimal") << run.err;
  EXPECT_NEAR(file.at("summary").at("energy_joules").get<double>(), 69, 69e-9);
}

Finished solve_through_slow_pipe(const char* pipe, const Words& arguments) {
  Command command = poet_solve_command(arguments);
  command.environment = {{"LD_PRELOAD", POET_SLOW_PIPE}, {"POET_TEST_PIPE", pipe}};
  return run_program(command);
}

class SolveThreads : public testing::TestWithParam<const char*> {};

TEST_P(SolveThreads, GiveTheAnswerOfOne) {
  expect_optimum(poet_solve(problem_on(GetParam())));
}

TEST_P(SolveThreads, KeepMessagesWholeWhereThePipeTakesHalfOfThem) {
  expect_optimum(solve_through_slow_pipe("short", problem_on(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Each, SolveThreads, testing::Values("2", "4"),
                         [](const auto& test) { return std::string(test.param); });

/// Where the messages before are whole, a torn one has made a result of progress.
class TornMessages : public testing::TestWithParam<const char*> {};

TEST_P(TornMessages, DoNotBecomeAResult) {
  expect_optimum(
      solve_through_slow_pipe(GetParam(), problem_on("4") + Words{"--disable", "local-search"}));
}

INSTANTIATE_TEST_SUITE_P(From, TornMessages,
                         testing::Values("tear:34", "tear:37", "tear:40", "tear:43"),
                         [](const auto& test) { return std::string(test.param).substr(5); });

}  // namespace
}  // namespace poet::test
