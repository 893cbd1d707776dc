// Whatever becomes of the solvers in the child process, the schedule known by then is written.
#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

Finished run_with_fault(const char* fault, const char* place, const Words& arguments) {
  Command command = poet_solve_command(arguments);
  command.environment = {
      {"LD_PRELOAD", POET_FAULTY_COIN}, {"POET_TEST_FAULT", fault}, {"POET_TEST_FAULT_IN", place}};
  return run_program(command);
}

/// What is left for CBC to prove: the moment models would have the proof before it.
Words problem_for_cbc() {
  return quick_problem() + Words{"--disable", "moment-proofs"};
}

/// What a fault is called on stderr; empty where the answer does not depend on it.
struct Fault {
  const char* kind;
  const char* told;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.kind;
}

class FaultOfCbc : public testing::TestWithParam<Fault> {};

TEST_P(FaultOfCbc, CostsOnlyTheProof) {
  const Finished run = run_with_fault(GetParam().kind, "cbc", problem_for_cbc());
  EXPECT_EQ(run.status, 0);
  const auto file = document(run);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_GT(file.at("summary").at("gap"), 0);
  EXPECT_THAT(run.err, HasSubstr(GetParam().told));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST_P(FaultOfCbc, WithoutAScheduleEndsWithOneAndSaysWhy) {
  const Finished run =
      run_with_fault(GetParam().kind, "cbc",
                     problem("linear", "m4", "3256", "1.0001") +
                         Words{"--no-paging", "--disable", "local-search,moment-proofs"});
  EXPECT_EQ(run.status, 1);
  const auto file = document(run);
  expect_error_document(file, 1);
  EXPECT_EQ(file.at("status"), "unknown");
  EXPECT_THAT(file.at("error").get<std::string>(), HasSubstr(GetParam().told));
  EXPECT_THAT(run.err, HasSubstr(GetParam().told));
}

INSTANTIATE_TEST_SUITE_P(Each, FaultOfCbc,
                         testing::Values(Fault{"abort", "signal 6"}, Fault{"segfault", "signal 11"},
                                         Fault{"exit", "gave no answer"},
                                         Fault{"throw", "ended by an exception"},
                                         Fault{"memory", "out of memory"}),
                         [](const auto& test) { return std::string(test.param.kind); });

TEST(Faults, AHangInCbcEndsWithTheTimeLimit) {
  const Finished run =
      run_with_fault("hang", "cbc", problem_for_cbc() + Words{"--time-limit-s", "1"});
  EXPECT_EQ(run.status, 0);
  EXPECT_LE(run.wall_seconds, 1 * 1.1 + 1);
  EXPECT_EQ(document(run).at("status"), "feasible");
}

TEST(Faults, WhatCbcPrintsDoesNotReachStdout) {
  const Finished run = run_with_fault("chatter", "cbc", problem_for_cbc());
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(document(run).at("status"), "optimal");
}

class FaultOfClp : public testing::TestWithParam<const char*> {};

TEST_P(FaultOfClp, InTheRootLoopCostsOnlyItsBound) {
  const Finished run =
      run_with_fault(GetParam(), "clp", slow_problem() + Words{"--effort", "fast"});
  EXPECT_EQ(run.status, 0);
  const auto file = document(run);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_EQ(file.at("summary").at("lower_bound_joules"),
            file.at("summary").at("baseline_energy_joules"));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, FaultOfClp, testing::Values("abort", "memory", "throw"),
                         [](const auto& test) { return std::string(test.param); });

class FaultOfNode : public testing::TestWithParam<const char*> {};

TEST_P(FaultOfNode, ProvesNothingWrong) {
  const Words words =
      problem("vgg16_cifar", "m4", "1100000", "3") + Words{"--gap", "0", "--solve-threads", "2"};
  const auto optimum = document(poet_solve(words)).at("summary").at("energy_joules").get<double>();
  const Finished run = run_with_fault(GetParam(), "node", words + Words{"--time-limit-s", "6"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto file = document(run);
  EXPECT_EQ(file.at("status"), "feasible");
  const auto& summary = file.at("summary");
  constexpr double kRounding = 1e-9;
  EXPECT_GE(summary.at("energy_joules").get<double>(), optimum * (1 - kRounding));
  EXPECT_LE(summary.at("lower_bound_joules").get<double>(), optimum * (1 + kRounding));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, FaultOfNode, testing::Values("abort", "exit", "throw", "hang"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace poet::test
