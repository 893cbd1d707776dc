// Where updates go, what goes with them, and what stays.
#include "problem/early_updates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "support/unit_node.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;

Node step_node(std::string name, std::vector<int> inputs, Bytes bytes = 8) {
  Node node = unit_node(std::move(name), bytes, std::move(inputs));
  node.backward = true;
  return node;
}

Node change(std::string name, std::vector<int> inputs, std::string parameter) {
  Node node = step_node(std::move(name), std::move(inputs), 0);
  node.recompute = false;
  node.writes_parameters = {std::move(parameter)};
  return node;
}

EarlyUpdates early(std::vector<Node> nodes) {
  const Graph graph = make_graph(std::move(nodes));
  EarlyUpdates found = early_updates(graph, precedence(graph));
  check_order(graph, precedence(graph), found.order);
  return found;
}

TEST(EarlyUpdates, ComeRightBehindTheirGradientAndTheReadersOfTheirParameters) {
  // dV reads W and dU does not: W waits for it.
  std::vector<Node> nodes{step_node("x", {}),          step_node("dW", {0}),
                          step_node("dV", {1}),        step_node("dU", {2}),
                          change("W -= dW", {1}, "W"), change("V -= dV", {2}, "V"),
                          change("U -= dU", {3}, "U")};
  nodes[2].reads_parameters = {"W"};
  EXPECT_THAT(early(nodes).order, ElementsAre(0, 1, 2, 4, 5, 3, 6));
}

// As in Adam: both moments change, a temporary is made of one, and all end in the update.
TEST(EarlyUpdates, BringWhatOnlyTheyNeed) {
  EXPECT_THAT(early({step_node("x", {}), step_node("dW", {0}), step_node("dX", {0}),
                     step_node("dV", {2}), step_node("dU", {2}), change("m *= b", {}, "m"),
                     change("m += dW", {1}, "m"), change("v += dW dW", {1}, "v"),
                     step_node("sqrt(v)", {7}), change("W -= m / sqrt(v)", {6, 8}, "W"),
                     change("V -= dV", {3}, "V"), change("U -= dU", {4}, "U")})
                  .order,
              ElementsAre(0, 1, 5, 6, 7, 8, 9, 2, 3, 10, 4, 11));
}

TEST(EarlyUpdates, LeaveCountersAndOthersWhereTheyAre) {
  EXPECT_THAT(early({step_node("x", {}), step_node("a", {0}), change("count += 1", {}, "count"),
                     step_node("b", {1})})
                  .order,
              ElementsAre(0, 1, 2, 3));
}

TEST(EarlyUpdates, SayWhatAllOfThemWaitFor) {
  std::vector<Node> nodes{step_node("x", {})};
  for (int k = 1; k <= 4; ++k) nodes.push_back(step_node("gradient", {k - 1}));
  nodes.push_back(step_node("norm", {1, 2, 3, 4}));
  for (int k = 1; k <= 4; ++k) nodes.push_back(change("update", {k, 5}, std::to_string(k)));
  const EarlyUpdates clipped = early(nodes);
  EXPECT_EQ(clipped.change_count, 4);
  EXPECT_EQ(clipped.waiting_count, 4);
  EXPECT_EQ(clipped.awaited, 5);
  for (int k = 6; k <= 9; ++k) nodes[k].inputs = {k - 5};
  EXPECT_EQ(early(nodes).waiting_count, 1);
}

}  // namespace
}  // namespace poet::test
