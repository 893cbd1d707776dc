// What training keeps in RAM beside the tensors of a schedule.
#include <gtest/gtest.h>

#include <string>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

const Words kExact{"--backward", "exact", "--runtime-budget", "2"};

TEST(BesideTensors, AChipThatIsTooSmallForTheParametersIsSaidInOneLine) {
  const Finished run = poet_solve(kExact + Words{"--model", "resnet18_cifar", "--platform", "m4",
                                                 "--ram-budget", "chip", "-q"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("training keeps 989480 bytes in RAM beside tensors, 989480 of "
                                 "them parameters; that is no less than the 262144 bytes of "
                                 "platform 'm4', so no schedule fits; what helps: layers that "
                                 "are not trained"));
  EXPECT_THAT(run.err, HasSubstr(", or a platform with more RAM"));
  EXPECT_EQ(count_lines(run.err), 1U);
  EXPECT_EQ(document(run).at("status"), "infeasible");
  EXPECT_EQ(document(run).at("request").at("ram_budget_bytes"), 0) << "nothing is left for tensors";
}

TEST(BesideTensors, AChipThatIsTooSmallForTheTensorsSaysWhatElseIsInIt) {
  const Finished run = poet_solve(
      kExact + Words{"--model", "ds_cnn", "--platform", "stm32f401", "--ram-budget", "chip"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("in RAM beside the tensors: parameters 92.8 KiB"));
}

TEST(BesideTensors, ASweepSaysThatAChipIsTooSmallForTheParameters) {
  const TemporaryFolder folder;
  const Words grid = sweep("resnet18_cifar", "m4", "chip", "2", {"--backward", "exact"});
  const Finished run = poet_solve(grid);
  EXPECT_EQ(run.status, 0) << run.err;
  const Lines rows = as_lines(run.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("status"), "infeasible");
  EXPECT_EQ(rows[0].at("ram_budget_bytes"), 0);
  EXPECT_THAT(rows[0].at("reason").get<std::string>(),
              HasSubstr("training keeps 989480 bytes in RAM beside tensors"));

  // What the command of the point writes is about the point.
  const Words files{"--schedules", folder.path()};
  const Finished dry = poet_solve(grid + files + Words{"--dry-run"});
  const Finished shell = run_program({.program = "/bin/sh", .arguments = {"-c", dry.out}});
  EXPECT_EQ(shell.status, 3) << shell.err;
  const Finished collected = poet_solve(grid + Words{"--collect", folder.path()});
  EXPECT_EQ(collected.status, 0) << collected.err;
  EXPECT_EQ(as_lines(collected.out).at(0).at("reason"), rows[0].at("reason"));

  // A finished sweep goes on with the same point.
  const std::string output = folder.file("rows.jsonl");
  EXPECT_EQ(poet_solve(sweep("ds_cnn", "m0", "chip", "2", {"--output", output})).status, 0);
  const Finished resumed = poet_solve({"sweep", "--resume", output, "--time-limit-s", "10"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(lines_of(output).at(0).at("ram_budget_bytes"), 0);

  const Finished range =
      poet_solve(sweep("resnet18_cifar", "m4", "10%..chip:4", "2", {"--backward", "exact"}));
  EXPECT_EQ(range.status, 2);
  EXPECT_THAT(range.err, HasSubstr("--ram-budget: resnet18_cifar/m4: training keeps 989480 bytes"));
}

TEST(BesideTensors, AChipLeavesTensorsWhatTheParametersDoNotTake) {
  const Finished run =
      poet_solve(kExact + Words{"--model", "linear", "--platform", "m4", "--ram-budget", "chip"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto file = document(run);
  const auto& memory = file.at("summary").at("memory");
  EXPECT_GT(memory.at("parameters_bytes"), 0);
  EXPECT_EQ(file.at("request").at("ram_budget_bytes").get<int>(),
            262144 - memory.at("parameters_bytes").get<int>());
  EXPECT_THAT(run.err, HasSubstr("in RAM beside the tensors: parameters"));
}

TEST(BesideTensors, CountWithAnyBudgetIfAskedTo) {
  const Words solve = kExact + Words{"--model", "linear", "--platform", "m4", "--ram-budget"};
  const auto plain = document(poet_solve(solve + Words{"200000"}));
  const auto counted = document(poet_solve(solve + Words{"200000", "--count-parameters"}));
  EXPECT_EQ(plain.at("request").at("ram_budget_bytes"), 200000);
  EXPECT_EQ(counted.at("request").at("ram_budget_bytes").get<int>(),
            200000 - counted.at("summary").at("memory").at("parameters_bytes").get<int>());
  const Finished none = poet_solve(solve + Words{"4000", "--count-parameters"});
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("bytes of the RAM budget, so no schedule fits"));
  EXPECT_THAT(none.err, HasSubstr("or a RAM budget above"));
  EXPECT_EQ(document(none).at("request").at("ram_budget_bytes"), 0);
}

TEST(BesideTensors, TheSmallestBudgetIsOfTensorsWhetherTheyCountOrNot) {
  const Words solve = kExact + Words{"--model", "linear", "--platform", "m4"};
  for (const Words& smallest : {Words{"--ram-budget", "min"}, Words{"--objective", "ram"}}) {
    const auto plain = document(poet_solve(solve + smallest));
    const Finished run = poet_solve(solve + smallest + Words{"--count-parameters"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(document(run).at("request"), plain.at("request"));
    EXPECT_EQ(document(run).at("summary"), plain.at("summary"));
  }
}

TEST(BesideTensors, GraphsOfPoetHaveNothingThere) {
  const Finished run = poet_solve(
      {"--model", "linear", "--platform", "m4", "--ram-budget", "chip", "--runtime-budget", "2"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(document(run).at("request").at("ram_budget_bytes"), 262144);
  EXPECT_FALSE(document(run).at("summary").contains("memory"));
}

}  // namespace
}  // namespace poet::test
