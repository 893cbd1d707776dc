// What is a legal order, and a graph in one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expect_input_error.hpp"
#include "poet/graph.hpp"
#include "poet/order.hpp"
#include "support/unit_node.hpp"

namespace poet {
namespace {

using test::unit_node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Node writer(std::string name, std::vector<int> inputs, std::vector<std::string> parameters) {
  Node node = unit_node(std::move(name), 0, std::move(inputs));
  node.recompute = false;
  node.writes_parameters = std::move(parameters);
  return node;
}

/// a and b read W, u and v change it in turn; c has nothing to do with it.
Graph graph_of_parameters() {
  std::vector<Node> nodes{unit_node("a", 8, {}), unit_node("b", 8, {}), writer("u", {}, {"W"}),
                          writer("v", {}, {"W"}), unit_node("c", 8, {0})};
  nodes[0].reads_parameters = nodes[1].reads_parameters = {"W"};
  return make_graph(std::move(nodes));
}

TEST(Precedence, HasReadsBeforeTheFirstChangeAndChangesInTurn) {
  EXPECT_THAT(precedence(graph_of_parameters()),
              testing::UnorderedElementsAre(Pair(0, 2), Pair(1, 2), Pair(2, 3)));
}

TEST(Precedence, OfANodeThatReadsAndChangesTheSameIsNoPairWithItself) {
  Node both = writer("both", {}, {"W"});
  both.reads_parameters = {"W"};
  EXPECT_THAT(precedence(make_graph({both})), IsEmpty());
  std::vector<Node> nodes{unit_node("a", 8, {}), both};
  nodes[0].reads_parameters = {"W"};
  EXPECT_THAT(precedence(make_graph(std::move(nodes))), ElementsAre(Pair(0, 1)));
}

TEST(Precedence, OfDifferentParametersIsNone) {
  std::vector<Node> nodes{unit_node("a", 8, {}), writer("u", {}, {"W"}), writer("v", {}, {"V"})};
  nodes[0].reads_parameters = {"U"};
  EXPECT_THAT(precedence(make_graph(std::move(nodes))), IsEmpty());
}

TEST(Order, IsLegalIfItKeepsEdgesAndPairs) {
  const Graph graph = graph_of_parameters();
  const Precedence pairs = precedence(graph);
  EXPECT_TRUE(is_legal(graph, pairs, {0, 1, 2, 3, 4}));
  EXPECT_TRUE(is_legal(graph, pairs, {1, 0, 4, 2, 3}));
  EXPECT_FALSE(is_legal(graph, pairs, {0, 2, 1, 3, 4})) << "b reads what u has changed";
  EXPECT_FALSE(is_legal(graph, pairs, {0, 1, 3, 2, 4})) << "v builds on u";
  EXPECT_FALSE(is_legal(graph, pairs, {1, 4, 0, 2, 3})) << "c reads a";
  EXPECT_TRUE(is_legal(graph, {}, {0, 2, 1, 3, 4}));
}

TEST(Order, IsRefusedByName) {
  const Graph graph = graph_of_parameters();
  const Precedence pairs = precedence(graph);
  EXPECT_THAT(input_error([&] {
                check_order(graph, pairs, {1, 4, 0, 2, 3});
              }),
              HasSubstr("node 4 ('c') comes before node 0 ('a'), which it reads"));
  EXPECT_THAT(input_error([&] {
                check_order(graph, pairs, {0, 2, 1, 3, 4});
              }),
              HasSubstr("node 2 ('u') comes before node 1 ('b')"));
  EXPECT_THAT(input_error([&] { check_order(graph, pairs, {0, 1, 2, 3}); }), HasSubstr("4 nodes"));
  EXPECT_THAT(input_error([&] { check_order(graph, pairs, {0, 1, 2, 3, 3}); }), HasSubstr("twice"));
  EXPECT_THAT(input_error([&] {
                check_order(graph, pairs, {0, 1, 2, 3, 5});
              }),
              HasSubstr("0 to 4"));
  EXPECT_THAT(input_error([&] {
                check_order(graph, pairs, {0, 1, 2, 3, -1});
              }),
              HasSubstr("0 to 4"));
}

TEST(Order, AndItsInversePutEachOtherBack) {
  const NodeOrder order{2, 0, 3, 1};
  EXPECT_THAT(places_of(order), ElementsAre(1, 3, 0, 2));
  EXPECT_EQ(inverse(inverse(order)), order);
}

/// x and y are of equal size; s may take over either, and r reads x as well.
Graph graph_of_choices() {
  std::vector<Node> nodes{unit_node("x", 8, {}), unit_node("y", 8, {}), unit_node("r", 4, {0}),
                          unit_node("s", 8, {0, 1})};
  nodes[3].in_place_choices = {0, 1};
  nodes[3].in_place = 0;
  return make_graph(std::move(nodes));
}

TEST(Order, HasNoInverseUnlessEachIndexIsThereOnce) {
  EXPECT_THAT(input_error([] { inverse({0, 0, 1}); }), HasSubstr("found node 0 twice"));
  EXPECT_THAT(input_error([] { inverse({0, 3, 1}); }), HasSubstr("found node 3 in an order"));
  EXPECT_THAT(input_error([] { inverse({0, -1, 1}); }), HasSubstr("found node -1"));
}

TEST(PermutedGraph, ChoosesAnewWhatANodeTakesOver) {
  const Graph given = graph_of_choices();
  const auto over = [&](const NodeOrder& order) {
    const Graph graph = permuted(given, order);
    for (const Node& node : graph.nodes) {
      if (node.name == "s") return graph.nodes[*node.in_place].name;
    }
    return std::string();
  };
  EXPECT_EQ(over({0, 1, 2, 3}), "x") << "s is its last reader";
  EXPECT_EQ(over({0, 1, 3, 2}), "y") << "r still reads x";
  EXPECT_EQ(over({1, 0, 2, 3}), "x") << "the choices keep their order of preference";
}

TEST(PermutedGraph, KeepsTheFirstChoiceIfOthersAreReadLaterToo) {
  std::vector<Node> nodes = graph_of_choices().nodes;
  nodes.push_back(unit_node("t", 4, {0, 1}));
  const Graph graph = permuted(make_graph(std::move(nodes)), {1, 0, 3, 4, 2});
  EXPECT_EQ(graph.nodes[2].name, "s");
  EXPECT_EQ(graph.nodes[*graph.nodes[2].in_place].name, "x");
}

TEST(PermutedGraph, FindsUsersAndLastStagesOfItsOrder) {
  const Graph graph = permuted(graph_of_parameters(), {1, 0, 4, 2, 3});
  EXPECT_THAT(graph.users[1], ElementsAre(2));
  EXPECT_THAT(graph.last_stage, ElementsAre(3, 3, 4, 3, 4));
  std::vector<Node> nodes{unit_node("forward", 8, {}), unit_node("other", 8, {}),
                          unit_node("backward", 8, {0})};
  nodes[2].backward = true;
  EXPECT_EQ(permuted(make_graph(std::move(nodes)), {0, 2, 1}).first_backward, 1)
      << "the first backward node of the order; a forward one is behind it";
}

TEST(PermutedGraph, HasTheDigestOfTheGivenOneOncePutBack) {
  const Graph given = graph_of_choices();
  const NodeOrder order{1, 0, 3, 2};
  const Graph moved = permuted(given, order);
  EXPECT_NE(graph_sha256(moved), graph_sha256(given));
  EXPECT_EQ(graph_sha256(permuted(moved, inverse(order))), graph_sha256(given));
}

}  // namespace
}  // namespace poet
