#include <gtest/gtest.h>

#include "poet/error.hpp"
#include "poet/graph.hpp"

namespace poet {
namespace {

TEST(Graph, RepeatedInputsAreOneEdge) {
  const Graph graph = make_graph({{.name = "a"}, {.name = "b", .inputs = {0, 0}}});
  EXPECT_EQ(graph.nodes[1].inputs, std::vector<int>{0});
  EXPECT_EQ(graph.users[0], std::vector<int>{1});
}

TEST(Graph, InputsAndUsersAreAscending) {
  const Graph graph = make_graph({{.name = "a"},
                                  {.name = "b"},
                                  {.name = "c", .inputs = {1, 0}},
                                  {.name = "d", .inputs = {2, 0}}});
  EXPECT_EQ(graph.nodes[2].inputs, (std::vector<int>{0, 1}));
  EXPECT_EQ(graph.users[0], (std::vector<int>{2, 3}));
}

TEST(Graph, FindsTheFirstBackwardNode) {
  EXPECT_EQ(make_graph({{}, {}, {.inputs = {1}, .backward = true}}).first_backward, 2);
  EXPECT_EQ(make_graph({{}, {}}).first_backward, 2);
}

TEST(Graph, RefusesWhatIsNotATopologicalOrder) {
  EXPECT_THROW(make_graph({{.inputs = {1}}, {}}), InputError);
  EXPECT_THROW(make_graph({{.inputs = {0}}}), InputError);
  EXPECT_THROW(make_graph({{.inputs = {-1}}}), InputError);
}

TEST(Graph, RefusesCostsThatAreNotCosts) {
  EXPECT_THROW(make_graph({}), InputError);
  EXPECT_THROW(make_graph({{.bytes = -1}}), InputError);
  EXPECT_THROW(make_graph({{.energy_joules = -1.0}}), InputError);
  EXPECT_THROW(make_graph({{.runtime_seconds = 1.0 / 0.0}}), InputError);
  EXPECT_THROW(make_graph({{.page_in_energy_joules = 0.0 / 0.0}}), InputError);
  EXPECT_NO_THROW(make_graph({{.energy_joules = kMaxCost}}));
  EXPECT_THROW(make_graph({{.energy_joules = 2 * kMaxCost}}), InputError);
}

TEST(Graph, RefusesSizesThatADoubleCannotHoldExactly) {
  EXPECT_NO_THROW(make_graph({{.bytes = kMaxBytes}}));
  EXPECT_THROW(make_graph({{.bytes = kMaxBytes}, {.bytes = 1}}), InputError);
}

TEST(Graph, AncestorsAreTheNodesWithAPathToTheTarget) {
  const Graph graph = make_graph({{}, {}, {.inputs = {0}}, {.inputs = {1}}, {.inputs = {2}}});
  EXPECT_EQ(ancestors(graph, 4), (std::vector<bool>{true, false, true, false, true}));
}

}  // namespace
}  // namespace poet
