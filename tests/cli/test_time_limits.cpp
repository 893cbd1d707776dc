// Wall-clock limits, on their own: nothing else may take the processor meanwhile.
#include <string>
#include <string_view>
#include <vector>

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

std::string name_of(const testing::TestParamInfo<Limited>& test) {
  return fmt::format("{}_{}_{}", test.param.model, test.param.platform, test.param.seconds);
}

std::vector<Limited> every_instance() {
  std::vector<Limited> all;
  for (const char* model : {"bert", "linear", "resnet18", "resnet18_cifar", "resnet50",
                            "transformer", "vgg16", "vgg16_cifar"}) {
    // 60 % is less than the working set of transformer.
    const char* ram = std::string_view(model) == "transformer" ? "90%" : "60%";
    for (const char* platform : {"a72", "a72nocache", "jetsontx2", "m0", "m4"}) {
      all.push_back({.model = model, .platform = platform, .seconds = "1", .ram = ram});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryInstance, TimeLimit, testing::ValuesIn(every_instance()), name_of);

// The first linear program of the whole model takes seconds here: the limit runs out in it.
INSTANTIATE_TEST_SUITE_P(FirstLinearProgram, TimeLimit,
                         testing::Values(Limited{"bert", "jetsontx2", "5"},
                                         Limited{"resnet50", "a72", "5"}),
                         name_of);

/// A chain of so many layers with their gradients, as a model file.
std::string chain_model(int layers) {
  std::string nodes;
  const auto add = [&](const std::string& name, const std::string& inputs, bool backward) {
    nodes += fmt::format(
        R"({}{{"name": "{}", "bytes": 1000, "runtime_seconds": 0.001, "energy_joules": 0.001,
  "page_in_energy_joules": 0.0005, "page_out_energy_joules": 0.0005, "inputs": [{}],
  "backward": {}}})",
        nodes.empty() ? "" : ",\n", name, inputs, backward);
  };
  for (int i = 0; i < layers; ++i) {
    add(fmt::format("f{}", i), i == 0 ? "" : fmt::format("\"f{}\"", i - 1), false);
  }
  for (int i = layers - 1; i >= 0; --i) {
    const std::string next = i + 1 < layers ? fmt::format(", \"g{}\"", i + 1) : "";
    add(fmt::format("g{}", i), fmt::format("\"f{}\"{}", i, next), true);
  }
  return fmt::format(R"({{"format": "poet-model", "version": 1, "name": "chain", "nodes": [{}]}})",
                     nodes);
}

// No step of the search takes long on the built-in models; on thousands of nodes any can.
TEST(TimeLimit, IsKeptOnAGraphOfThousandsOfNodes) {
  const Finished run = poet_solve(
      {"--model", "-", "--ram-budget", "60%", "--runtime-budget", "1.5", "--time-limit-s", "1"},
      chain_model(3000));
  EXPECT_LE(run.wall_seconds, 1.1 * 1 + 1);
  const int unknown = 4;
  EXPECT_TRUE(run.status == 0 || run.status == unknown) << run.err;
}

}  // namespace
}  // namespace poet::test
