// Wall-clock limits, on their own: nothing else may take the processor meanwhile.
#include <future>
#include <string>

#include <fmt/format.h>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

struct Limited {
  std::string model;
  std::string platform;
  std::string seconds = "1";
};

Finished run_limited(const Limited& limited) {
  // 60 % is less than the working set of transformer.
  const char* ram = limited.model == "transformer" ? "90%" : "60%";
  return poet_solve(problem(limited.model, limited.platform, ram, "1.5") +
                    Words{"--gap", "0", "--time-limit-s", limited.seconds});
}

// Nothing here is proven so soon, or it is the quick ones: in either case the best schedule and the
// best bound come out.
void expect_kept(const Finished& run, const Limited& limited) {
  SCOPED_TRACE(fmt::format("{} on {} for {} s", limited.model, limited.platform, limited.seconds));
  EXPECT_LE(run.wall_seconds, 1.1 * std::stod(limited.seconds) + 1);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err.find("a first schedule takes"), std::string::npos) << run.err;
  const auto summary = document(run).at("summary");
  EXPECT_GE(summary.at("lower_bound_joules"), summary.at("baseline_energy_joules"));
  EXPECT_LE(summary.at("lower_bound_joules"), summary.at("energy_joules"));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

/// Two at a time: a solve has one process at work.
void expect_both_kept(const Limited& one, const Limited& other) {
  std::future<Finished> beside = std::async(std::launch::async, run_limited, other);
  expect_kept(run_limited(one), one);
  expect_kept(beside.get(), other);
}

TEST(TimeLimit, IsKeptWithinATenthAndASecondByEveryInstance) {
  // Transfers are dear on the one, and computing on the other.
  for (const char* platform : {"a72nocache", "m4"}) {
    expect_both_kept({"bert", platform}, {"linear", platform});
    expect_both_kept({"resnet18", platform}, {"resnet18_cifar", platform});
    expect_both_kept({"resnet50", platform}, {"transformer", platform});
    expect_both_kept({"vgg16", platform}, {"vgg16_cifar", platform});
  }
}

TEST(TimeLimit, IsKeptWhereItRunsOutInTheFirstLinearProgram) {
  expect_both_kept({"bert", "jetsontx2", "5"}, {"resnet50", "a72", "5"});
}

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
  EXPECT_NE(run.err.find("'chain' has 6000 nodes"), std::string::npos) << run.err;
}

// Estimates that grow with the square of the nodes took most of a second here. The first schedule
// takes longer than this limit, so no document of some hundred megabytes comes after it.
TEST(TimeLimit, IsKeptOnAGraphOfTwentyThousandNodes) {
  const std::string model = chain_model(10'000);
  const double reading = poet_solve({"info", "-", "--json"}, model).wall_seconds;
  const Finished run = poet_solve(
      {"--model", "-", "--ram-budget", "60%", "--runtime-budget", "1.5", "--time-limit-s", "2"},
      model);
  EXPECT_LE(run.wall_seconds, reading + 1.1 * 2 + 1);
  EXPECT_TRUE(run.status == 0 || run.status == 4) << run.err;
}

}  // namespace
}  // namespace poet::test
