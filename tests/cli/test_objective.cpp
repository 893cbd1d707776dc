// --objective: what a solve has least of.
#include <fmt/format.h>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

const Words kLinear{"--model", "linear", "--platform", "m4"};
const Words kRuntime{"--objective", "runtime"};
const Words kRam{"--objective", "ram"};

void expect_valid(const Finished& run) {
  const Finished verified = poet_solve({"verify", "-"}, run.out);
  EXPECT_EQ(verified.status, 0) << verified.err;
  EXPECT_EQ(poet_solve({"plot", "-"}, run.out).status, 0);
}

TEST(Objective, LeastRuntimeNeedsNoRuntimeBudget) {
  const Finished run = poet_solve(kLinear + kRuntime + Words{"--ram-budget", "3500"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("optimal: runtime "));
  const auto file = document(run);
  EXPECT_EQ(file.at("request").at("objective"), "runtime");
  const auto& summary = file.at("summary");
  EXPECT_LE(summary.at("runtime_lower_bound_seconds"), summary.at("runtime_seconds"));
  EXPECT_GE(summary.at("runtime_lower_bound_seconds").get<double>(),
            summary.at("runtime_seconds").get<double>() * (1 - 1e-4 - 1e-9));
  expect_valid(run);
  // What has the least energy takes longer.
  const auto energy =
      document(poet_solve(kLinear + Words{"--ram-budget", "3500", "--runtime-budget", "2"}));
  EXPECT_FALSE(energy.at("request").contains("objective"));
  EXPECT_LE(summary.at("runtime_seconds"), energy.at("summary").at("runtime_seconds"));
  EXPECT_GE(summary.at("energy_joules"), energy.at("summary").at("energy_joules"));
}

TEST(Objective, LeastRuntimeWithoutPagingTakesRecomputations) {
  const Words common = kLinear + Words{"--ram-budget", "3500", "--no-paging"};
  const Finished run = poet_solve(common + kRuntime);
  EXPECT_EQ(run.status, 0) << run.err;
  const auto ratio = document(run).at("summary").at("runtime_ratio").get<double>();
  EXPECT_GT(ratio, 1);
  expect_valid(run);
  // A budget below the least time has no schedule, and one above it has.
  EXPECT_EQ(poet_solve(common + Words{"--runtime-budget", fmt::format("{}", ratio * 0.999)}).status,
            3);
  EXPECT_EQ(poet_solve(common + Words{"--runtime-budget", fmt::format("{}", ratio * 1.001)}).status,
            0);
  // As an upper limit, likewise.
  EXPECT_EQ(
      poet_solve(common + kRuntime + Words{"--runtime-budget", fmt::format("{}", ratio * 0.999)})
          .status,
      3);
}

// Only transfers take time, so there is nothing that a budget could be a multiple of.
TEST(Objective, LeastRuntimeOfComputationsThatTakeNone) {
  const Words common{"--model",       POET_SOURCE_DIR "/tests/data/cases/zero_runtime.json",
                     "--paging-time", "blocking",
                     "--ram-budget",  "16"};
  const Finished run = poet_solve(common + kRuntime);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto file = document(run);
  EXPECT_EQ(file.at("status"), "optimal");
  EXPECT_EQ(file.at("request").at("runtime_budget_seconds"), 2);
  EXPECT_EQ(file.at("summary").at("runtime_seconds"), 2) << "'a' is written once and read once";
  EXPECT_NEAR(file.at("summary").at("runtime_lower_bound_seconds").get<double>(), 2, 2.1e-4);
  expect_valid(run);
  // An upper limit is a time.
  EXPECT_EQ(poet_solve(common + kRuntime + Words{"--runtime-budget", "1s"}).status, 3);
  EXPECT_EQ(poet_solve(common + kRuntime + Words{"--runtime-budget", "3s"}).status, 0);
}

TEST(Objective, LeastRamIsWhatMinFinds) {
  const Finished run = poet_solve(kLinear + kRam + Words{"--runtime-budget", "2"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("optimal: RAM 3256 bytes, proven least; "));
  const auto file = document(run);
  EXPECT_EQ(file.at("request").at("objective"), "ram");
  EXPECT_EQ(file.at("request").at("ram_budget_bytes"), 3256);
  EXPECT_EQ(file.at("summary").at("peak_ram_bytes"), 3256);
  EXPECT_EQ(file.at("summary").at("ram_lower_bound_bytes"), 3256);
  expect_valid(run);
  auto min = document(poet_solve(problem("linear", "m4", "min", "2")));
  EXPECT_EQ(min.at("summary").at("energy_joules"), file.at("summary").at("energy_joules"));
  EXPECT_EQ(document(poet_solve(problem("linear", "m4", "min", "2") + kRam)).at("summary"),
            file.at("summary"));
}

TEST(Objective, EnergyIsTheDefaultAndChangesNothing) {
  auto plain = document(poet_solve(quick_problem()));
  auto named = document(poet_solve(quick_problem() + Words{"--objective", "energy"}));
  for (auto* const file : {&plain, &named}) {
    file->at("solver").erase("wall_seconds");
    file->at("solver").erase("timing");
  }
  EXPECT_EQ(plain, named);
}

TEST(Objective, AProblemWithoutAScheduleSaysSo) {
  const Finished run = poet_solve(kLinear + kRuntime + Words{"--ram-budget", "3255"});
  EXPECT_EQ(run.status, 3);
  expect_error_document(document(run), 3);
  EXPECT_EQ(document(run).at("request").at("objective"), "runtime");
}

TEST(Objective, RefusesWhatContradictsIt) {
  const Finished both =
      poet_solve(kLinear + kRam + Words{"--ram-budget", "3500", "--runtime-budget", "2"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--ram-budget: found with --objective ram, which looks "
                                  "for the smallest; expected min, or no such option"));
  const Finished no_ram = poet_solve(kLinear + kRuntime);
  EXPECT_EQ(no_ram.status, 2);
  EXPECT_THAT(no_ram.err, HasSubstr("--ram-budget: missing"));
  const Finished no_runtime = poet_solve(kLinear + kRam);
  EXPECT_EQ(no_runtime.status, 2);
  EXPECT_THAT(no_runtime.err, HasSubstr("--runtime-budget: missing"));
  const Finished word = poet_solve(quick_problem() + Words{"--objective", "time"});
  EXPECT_EQ(word.status, 2);
  EXPECT_THAT(word.err, HasSubstr("found 'time'; expected energy, runtime or ram"));
  const Finished sweep =
      poet_solve({"sweep", "--models", "linear", "--platforms", "m4", "--ram-budget", "60%",
                  "--runtime-budget", "2", "--objective", "runtime"});
  EXPECT_EQ(sweep.status, 2);
  EXPECT_THAT(sweep.err, HasSubstr("--objective: 'sweep' does not have it; 'solve' does"));
}

void expect_interrupted(const Words& words, const std::string& after) {
  Command command = poet_solve_command(words);
  command.stderr_is_terminal = true;
  command.interrupt_after = after;
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_EQ(document(run).at("status"), "feasible");
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST(Objective, AnInterruptKeepsTheBestSchedule) {
  expect_interrupted(problem("resnet18_cifar", "m4", "500000", "3") + kRuntime +
                         Words{"--no-paging", "--time-limit-s", "60"},
                     "gap");
  expect_interrupted(Words{"--model", "resnet18_cifar", "--platform", "m4", "--runtime-budget",
                           "1.001", "--no-paging", "--time-limit-s", "60"} +
                         kRam,
                     "smallest RAM");
}

}  // namespace
}  // namespace poet::test
