// Wall-clock limits, on their own: nothing else may take the processor meanwhile.
#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

class TimeLimit : public testing::TestWithParam<const char*> {};

TEST_P(TimeLimit, IsKeptWithinATenthAndASecond) {
  constexpr double kLimit = 1;
  const Finished run =
      poet_solve(problem(GetParam(), "m4", "60%", "1.5") + Words{"--time-limit-s", "1"});
  EXPECT_LE(run.wall_seconds, 1.1 * kLimit + 1);
  EXPECT_TRUE(run.status == 0 || run.status == 3 || run.status == 4) << run.err;
  const bool valid = run.status != 0 || poet_solve({"verify", "-"}, run.out).status == 0;
  EXPECT_TRUE(valid) << run.out;
}

INSTANTIATE_TEST_SUITE_P(EveryModel, TimeLimit,
                         testing::Values("bert", "linear", "resnet18", "resnet18_cifar", "resnet50",
                                         "transformer", "vgg16", "vgg16_cifar"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace poet::test
