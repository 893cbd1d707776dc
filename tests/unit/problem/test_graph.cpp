#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "support/tiny_schedules.hpp"

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

TEST(Graph, TheLastUseIsTheLastReaderOrTheNodeItself) {
  const Graph graph = make_graph({{}, {.inputs = {0}}, {.inputs = {0, 1}}, {}});
  EXPECT_EQ(last_use(graph, 0), 2);
  EXPECT_EQ(last_use(graph, 1), 2);
  EXPECT_EQ(last_use(graph, 3), 3);
}

/// What make_graph says of nodes that make no graph.
std::string complaint(const std::vector<Node>& nodes) {
  try {
    make_graph(nodes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Graph, RefusesToTakeOverWhatDoesNotFit) {
  EXPECT_EQ(complaint({{.name = "a", .bytes = 8}, {.name = "b", .bytes = 8, .in_place = 0}}),
            "node 1 ('b'): in_place is 0; expected one of its inputs");
  EXPECT_EQ(complaint({{.name = "a", .bytes = 8},
                       {.name = "b", .bytes = 4, .inputs = {0}, .in_place = 0}}),
            "node 1 ('b'): in_place is 0 ('a') of 8 bytes; expected an input of 4 bytes");
  EXPECT_NO_THROW(make_graph({{.bytes = 8}, {.bytes = 8, .inputs = {0}, .in_place = 0}}));
}

TEST(Graph, RefusesSizesThatAreNoSizes) {
  EXPECT_EQ(complaint({{.name = "a", .workspace_bytes = -1}}),
            "node 0 ('a'): workspace_bytes is -1; expected 0 to 2^53 bytes");
  EXPECT_THROW(make_graph({{.storage_bytes = -1}}), InputError);
  EXPECT_THROW(make_graph({{.bytes = 8, .storage_bytes = 7}}), InputError);
  EXPECT_EQ(make_graph({{.bytes = 8, .storage_bytes = 8}}).size(), 1);
  EXPECT_THROW(make_graph({{.storage_bytes = kMaxBytes + 1}}), InputError);
}

TEST(Graph, RefusesParametersThatMayChangeTwiceOrAreReadTooLate) {
  EXPECT_EQ(complaint({{.name = "a", .writes_parameters = {"W"}}}),
            "node 0 ('a') changes the parameters 'W' and may be computed again; expected "
            "\"recompute\": false");
  EXPECT_EQ(complaint({{.name = "a", .recompute = false, .writes_parameters = {"W"}},
                       {.name = "b", .reads_parameters = {"V", "W"}}}),
            "node 1 ('b') reads the parameters 'W', which the earlier node 0 ('a') changes");
}

TEST(Graph, LastStagesFollowFromWhatIsComputedOnceAndFromChangedParameters) {
  const Graph graph =
      make_graph({{.recompute = false},
                  {.reads_parameters = {"W"}},
                  {.reads_parameters = {"V", "W"}},
                  {.recompute = false, .reads_parameters = {"W"}, .writes_parameters = {"W"}},
                  {},
                  {.recompute = false, .writes_parameters = {"V"}}});
  EXPECT_THAT(graph.last_stage, testing::ElementsAre(0, 3, 3, 3, 5, 5));
}

// The digest of the text "100 1 1 0.25 0.5 false \n10 2 2 0.25 0.5 false 0\n...".
TEST(GraphDigest, OfAGraphOfPoetsIsThatOfItsSizesCostsAndEdges) {
  EXPECT_EQ(graph_sha256(test::tiny_graph()),
            "600921d22022a19bab773416b144998161abd651bdeaeca9a46a1343c30ed652");
}

TEST(GraphDigest, DependsOnEveryAttribute) {
  const Graph graph = make_graph({{.bytes = 8}, {.bytes = 8, .inputs = {0}}});
  std::vector<std::string> digests = {graph_sha256(graph)};
  const auto add = [&](auto&& change) {
    Graph changed = graph;
    change(changed.nodes[1]);
    digests.push_back(graph_sha256(changed));
  };
  add([](Node& node) { node.in_place = 0; });
  add([](Node& node) { node.workspace_bytes = 1; });
  add([](Node& node) { node.recompute = false; });
  add([](Node& node) { node.page = false; });
  add([](Node& node) { node.storage_bytes = 512; });
  add([](Node& node) { node.reads_parameters = {"W"}; });
  add([](Node& node) { node.writes_parameters = {"W"}; });
  add([](Node& node) { node.reads_parameters = {"V"}; });
  add([](Node& node) { node.reads_parameters = {"V", "W"}; });
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());
}

TEST(GraphDigest, HasTheTimesOfTransfersIfTheyAreAskedFor) {
  Graph faster = test::tiny_graph();
  faster.nodes[0].page_in_seconds = 1;
  EXPECT_EQ(graph_sha256(faster), graph_sha256(test::tiny_graph()));
  EXPECT_NE(graph_sha256(faster, true), graph_sha256(test::tiny_graph(), true));
}

TEST(GraphDigest, ACopyOfTheSameSizeIsTheDefault) {
  Graph graph = test::tiny_graph();
  graph.nodes[0].storage_bytes = graph.nodes[0].bytes;
  EXPECT_EQ(graph_sha256(graph), graph_sha256(test::tiny_graph()));
}

}  // namespace
}  // namespace poet
