// Wall-clock limits, on their own: nothing else may take the processor meanwhile.
#include <string>

#include <fmt/format.h>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

struct Limited {
  const char* model;
  const char* platform;
  const char* seconds;
  const char* ram = "60%";
};

void PrintTo(const Limited& limited, std::ostream* out) {
  *out << limited.model << " on " << limited.platform << " for " << limited.seconds << " s";
}

class TimeLimit : public testing::TestWithParam<Limited> {};

// Nothing here is proven so soon, or it is the quick ones: in either case the best schedule and the
// best bound come out.
TEST_P(TimeLimit, IsKeptWithinATenthAndASecond) {
  const Limited& limited = GetParam();
  const Finished run = poet_solve(problem(limited.model, limited.platform, limited.ram, "1.5") +
                                  Words{"--gap", "0", "--time-limit-s", limited.seconds});
  EXPECT_LE(run.wall_seconds, 1.1 * std::stod(limited.seconds) + 1);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto summary = document(run).at("summary");
  EXPECT_GE(summary.at("lower_bound_joules"), summary.at("baseline_energy_joules"));
  EXPECT_LE(summary.at("lower_bound_joules"), summary.at("energy_joules"));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

// The first linear program of bert and of resnet50 takes several seconds: limits run out in it.
INSTANTIATE_TEST_SUITE_P(
    EveryModel, TimeLimit,
    testing::Values(Limited{"bert", "a72", "1"}, Limited{"bert", "jetsontx2", "5"},
                    Limited{"linear", "m0", "1"}, Limited{"resnet18", "m4", "1"},
                    Limited{"resnet18_cifar", "a72nocache", "1"}, Limited{"resnet50", "m4", "1"},
                    Limited{"resnet50", "a72", "5"}, Limited{"transformer", "a72", "1", "90%"},
                    Limited{"vgg16", "jetsontx2", "1"}, Limited{"vgg16_cifar", "m0", "1"}),
    [](const auto& test) {
      return fmt::format("{}_{}_{}", test.param.model, test.param.platform, test.param.seconds);
    });

}  // namespace
}  // namespace poet::test
