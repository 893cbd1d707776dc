// What the names of the benchmark's problems stand for, and the synthetic graphs among them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/problem_name.hpp"
#include "bench/synthetic.hpp"
#include "expect_input_error.hpp"
#include "formats/read_inputs.hpp"
#include "model/model_spec.hpp"
#include "poet/graph.hpp"
#include "poet/problem.hpp"

namespace poet::bench {
namespace {

using testing::HasSubstr;

TEST(ProblemName, OfAChainIsPoetsProblem) {
  const Problem problem = problem_of("resnet18_cifar/m4 737719 1.5x");
  EXPECT_EQ(problem.limits.ram_budget_bytes, 737719);
  EXPECT_EQ(problem.limits.runtime_budget_seconds, 1.5 * baseline(problem.graph).runtime_seconds);
  EXPECT_EQ(problem.limits.paging_time, PagingTime::free);
  EXPECT_TRUE(problem.limits.techniques.paging);
  EXPECT_FALSE(problem.limits.storage.storage_budget_bytes);
}

TEST(ProblemName, OfAnExactStepWaitsForTransfersAndUpdatesOnce) {
  const Problem problem = problem_of("exact vgg16_cifar/esp32s3 1045068 3x");
  EXPECT_EQ(problem.limits.paging_time, PagingTime::blocking);
  EXPECT_EQ(problem.limits.storage.storage_budget_bytes, 4194304);
  const auto& nodes = problem.graph.nodes;
  EXPECT_GT(std::count_if(nodes.begin(), nodes.end(),
                          [](const Node& node) { return !node.writes_parameters.empty(); }),
            0);
}

TEST(ProblemName, OfInferenceHasNoBackwardPass) {
  const Problem problem = problem_of("inference unet_small/m4 4000000 1.05x");
  EXPECT_EQ(problem.graph.first_backward, problem.graph.size());
  EXPECT_EQ(problem.limits.paging_time, PagingTime::free);
}

TEST(ProblemName, OfALayeredGraphOnlyRecomputesInAShareOfThePeak) {
  const Problem problem = problem_of("layered 100 graph 2 80 %");
  EXPECT_EQ(problem.graph.size(), 100);
  EXPECT_FALSE(problem.limits.techniques.paging);
  EXPECT_TRUE(problem.limits.techniques.remat);
  EXPECT_EQ(problem.limits.ram_budget_bytes, baseline(problem.graph).peak_ram_bytes * 80 / 100);
  EXPECT_EQ(problem.limits.runtime_budget_seconds, 1000 * baseline(problem.graph).runtime_seconds);
}

TEST(ProblemName, OfAnotherFormIsRefused) {
  for (const char* name : {"linear", "linear/m4 4000", "linear/m4 4000 1.5", "linear/m4 4k 1.5x",
                           "linear/m4 -4000 1.5x", "layered 100 graph two 80 %",
                           "linear/m4/m4 4000 1.5x", "exact", ""}) {
    EXPECT_THAT(input_error([&] { problem_of(name); }), HasSubstr("expected a name")) << name;
  }
  EXPECT_THAT(input_error([] { problem_of("lenear/m4 4000 1.5x"); }), HasSubstr("linear"));
}

TEST(SyntheticGraphs, HaveTheSizeAskedForAndABackwardChain) {
  for (const Family family : {Family::skips, Family::layered}) {
    const Graph graph = synthetic_graph(family, 500, 1);
    EXPECT_EQ(graph.size(), 499);
    EXPECT_EQ(graph.first_backward, 250);
    EXPECT_THAT(graph.nodes[250].inputs, testing::ElementsAre(248, 249));
    EXPECT_THAT(graph.nodes[251].inputs, testing::ElementsAre(247, 248, 250));
  }
}

TEST(SyntheticGraphs, ReachFarWithoutABackwardPass) {
  const Graph graph = synthetic_graph(Family::far_reaching, 500, 1);
  EXPECT_EQ(graph.size(), 500);
  EXPECT_EQ(graph.first_backward, 500);
  int far = 0;
  for (int k = 0; k < graph.size(); ++k) {
    for (const int input : graph.nodes[k].inputs) far += k - input > 100 ? 1 : 0;
  }
  EXPECT_GT(far, 50);
}

TEST(SyntheticGraphs, RepeatForASeed) {
  const auto energies = [](std::uint64_t seed) {
    std::vector<Joules> list;
    for (const Node& node : synthetic_graph(Family::layered, 100, seed).nodes) {
      list.push_back(node.energy_joules);
    }
    return list;
  };
  EXPECT_EQ(energies(1), energies(1));
  EXPECT_NE(energies(1), energies(2));
}

TEST(SyntheticGraphs, LeaveRoomBetweenTheBudgets) {
  const Graph graph = synthetic_graph(Family::skips, 200, 1);
  EXPECT_LT(working_set(graph).bytes, baseline(graph).peak_ram_bytes);
}

TEST(SyntheticGraphs, AreTheSameGraphsAsModelFiles) {
  for (const Family family : {Family::skips, Family::layered, Family::far_reaching}) {
    const Graph graph = synthetic_graph(family, 250, 3);
    InputErrors errors;
    const ModelSpec spec = read_model(model_file(graph, "graph"), "graph.json", errors);
    const Model model = build_model(spec, 1, errors);
    errors.throw_if_any();
    EXPECT_EQ(graph_sha256(cost_graph(model, nullptr), false), graph_sha256(graph, false));
  }
}

}  // namespace
}  // namespace poet::bench
