#include "solver/formulation/tail_values.hpp"

#include <gtest/gtest.h>

namespace poet {
namespace {

/// Tensors a (1 J) and b (10 J, from a), and their gradients: the first reads b, and the second,
/// which reads a, takes its place. All have one byte. A page-in of a costs a quarter of a joule.
Graph two_tensors() {
  std::vector<Node> nodes;
  const auto add = [&](Joules energy, std::vector<int> inputs) -> Node& {
    Node node{.name = "n" + std::to_string(nodes.size()),
              .op = "custom",
              .bytes = nodes.empty() ? 0 : 1,
              .runtime_seconds = 1,
              .energy_joules = energy,
              .page_in_energy_joules = 0.25,
              .page_out_energy_joules = 0.25};
    node.inputs = std::move(inputs);
    node.backward = nodes.size() > 2;
    nodes.push_back(std::move(node));
    return nodes.back();
  };
  add(0, {});
  add(1, {0});
  add(10, {1});
  add(5, {2});
  add(5, {1, 3}).in_place = 3;
  return make_graph(std::move(nodes));
}

constexpr double kBaselineJoules = 21;
constexpr TailValues::Set kA = 1;
constexpr TailValues::Set kB = 2;

Joules least(const TailValues& tail, TailValues::Set resident, TailValues::Set pageable) {
  const auto found = std::ranges::find(tail.sets(), resident);
  return tail.least(pageable)[found - tail.sets().begin()] * kBaselineJoules /
         TailValues::kBaseline;
}

TEST(TailValues, AreWhatIsComputedAndPagedInAgain) {
  const Graph graph = two_tensors();
  const TailValues roomy(graph, 3, 4);
  ASSERT_EQ(roomy.stage(), 3);
  EXPECT_NEAR(least(roomy, 0, 0), 11, 1e-5);
  EXPECT_NEAR(least(roomy, kA, 0), 10, 1e-5);
  EXPECT_NEAR(least(roomy, kB, 0), 1, 1e-5);
  EXPECT_NEAR(least(roomy, kA | kB, 0), 0, 1e-5);
  EXPECT_NEAR(least(roomy, kB, kA), 0.25, 1e-5);
}

/// Two bytes have no room for a beside b and the gradient of b.
TEST(TailValues, CountWhatHasToGo) {
  const Graph graph = two_tensors();
  const TailValues narrow(graph, 2, 4);
  EXPECT_NEAR(least(narrow, kA | kB, 0), 1, 1e-5);
  EXPECT_NEAR(least(narrow, 0, 0), 12, 1e-5);
  EXPECT_NEAR(least(narrow, 0, kA), 11.25, 1e-5);
}

TEST(TailValues, BeginAtTheFirstStageOfFewSets) {
  const Graph graph = two_tensors();
  EXPECT_EQ(TailValues(graph, 3, 3).stage(), 4);
  EXPECT_EQ(TailValues(graph, 3, 1).steps(), 0);
  EXPECT_GT(TailValues(graph, 3, 2).steps(), 0);
}

}  // namespace
}  // namespace poet
