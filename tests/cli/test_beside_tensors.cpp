// What training keeps in RAM beside the tensors of a schedule.
#include <gtest/gtest.h>

#include <string>

#include "poet_solve.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

const Words kExact{"--backward", "exact", "--runtime-budget", "2"};

TEST(BesideTensors, AChipThatIsTooSmallForTheParametersIsSaidInOneLine) {
  const Finished run = poet_solve(kExact + Words{"--model", "resnet18_cifar", "--platform", "m4",
                                                 "--ram-budget", "chip", "-q"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("training keeps 989480 bytes in RAM beside tensors, 989480 of "
                                 "them parameters; that is no less than the 262144 bytes of "
                                 "platform 'm4', so no schedule fits"));
  EXPECT_EQ(count_lines(run.err), 1U);
  EXPECT_EQ(document(run).at("status"), "infeasible");
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
