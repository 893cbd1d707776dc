// What the formulas of models ask of an order, and models in one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "support/exact_model.hpp"
#include "support/order_rules.hpp"

namespace poet::test {
namespace {

using testing::Contains;
using testing::Not;
using testing::Pair;

/// A built-in model as an exact one.
OrderedModel exact_step(const std::string& name, Update update, Optimizer optimizer) {
  std::ifstream file(std::string(POET_SOURCE_DIR "/models/") + name + ".json");
  return ordered_model(std::string(std::istreambuf_iterator<char>(file), {}), update, optimizer);
}

NodeOrder given_order(std::size_t size) {
  NodeOrder order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(ModelPrecedence, AppliesAKeptGradientAfterItsLastAddition) {
  const Model model = exact_step("ds_cnn", Update::accumulate, Optimizer::sgd).model;
  const Precedence pairs = precedence(model);
  const int sum = index_of(model, "gradw(fc)");
  const int update = index_of(model, "update(fc)");
  EXPECT_THAT(model.nodes[update].inputs, testing::IsEmpty()) << "the graph has no edge for it";
  EXPECT_THAT(pairs, Contains(Pair(sum, update)));
  EXPECT_THAT(pairs, Contains(Pair(index_of(model, "fc"), update)));
  const Platform platform = load_platform("m4");
  EXPECT_THAT(precedence(cost_graph(model, &platform)), Not(Contains(Pair(sum, update))))
      << "a graph knows nothing of kept gradients";
}

/// Two layers with the parameters of a.
Model shared_model(const std::string& update) {
  return exact_model("[1, 3]", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
      {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 3, "weights": "a"},
      {"name": "c", "op": "linear", "inputs": ["b"], "out_features": 3, "weights": "a"},
      {"name": "loss", "op": "mse", "inputs": ["c"]})",
                     fmt::format(R"("update": "{}", "optimizer": "adam",)", update));
}

TEST(ModelPrecedence, AddsUpKeptGradientsOfSharedParametersInTheirOrder) {
  const Model model = shared_model("accumulate");
  const Precedence pairs = precedence(model);
  const int first = index_of(model, "gradw(a by c)");
  const int second = index_of(model, "gradw(a by b)");
  const int third = index_of(model, "gradw(a)");
  EXPECT_THAT(pairs, Contains(Pair(first, second)));
  EXPECT_THAT(pairs, Contains(Pair(second, third)));
  EXPECT_THAT(pairs, Contains(Pair(third, index_of(model, "update(a)"))));
  EXPECT_THAT(pairs, Not(Contains(Pair(first, third)))) << "it follows";
}

TEST(ModelPrecedence, ReadsSharedParametersBeforeTheirUpdate) {
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    const Model model = shared_model(update);
    const Precedence pairs = precedence(model);
    for (const char* const reader : {"a", "b", "c", "grad(a)", "grad(b)"}) {
      EXPECT_THAT(pairs, Contains(Pair(index_of(model, reader), index_of(model, "update(a)"))))
          << update << ' ' << reader;
    }
  }
}

TEST(PermutedModel, MovesNodesOperandsAndChoicesAndRemembersTheirPlaces) {
  const Model model = shared_model("accumulate");
  NodeOrder order = given_order(model.nodes.size());
  // The weight gradient of c waits until b has its own gradient.
  const int waits = index_of(model, "gradw(a by c)");
  ASSERT_EQ(model.nodes[waits + 1].name, "grad(b)");
  std::swap(order[waits], order[waits + 1]);
  const Model moved = permuted(model, order);
  EXPECT_EQ(moved.order, order);
  EXPECT_EQ(moved.nodes[waits].name, "grad(b)");
  for (const ModelNode& node : model.nodes) {
    EXPECT_EQ(inputs_of(moved, node.name).size(), inputs_of(model, node.name).size());
    const ModelNode& after = node_of(moved, node.name);
    ASSERT_EQ(after.operands.size(), node.operands.size());
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      EXPECT_EQ(moved.nodes[after.operands[i].node].name, model.nodes[node.operands[i].node].name)
          << "operand " << i << " of " << node.name << " is never exchanged with another";
    }
  }
  const Model back = permuted(moved, inverse(order));
  EXPECT_TRUE(back.order.empty());
  const Platform platform = load_platform("m4");
  EXPECT_EQ(graph_sha256(cost_graph(back, &platform)), graph_sha256(cost_graph(model, &platform)));
  EXPECT_EQ(graph_sha256(cost_graph(moved, &platform)),
            graph_sha256(permuted(cost_graph(model, &platform), order)));
}

TEST(PermutedModel, NamesTheNodesOfTheFileAfterASecondChangeToo) {
  const Model model = exact_model("[1, 3]", R"(
      {"name": "a", "op": "tanh", "inputs": ["input"]}, {"name": "b", "op": "tanh", "inputs": ["input"]},
      {"name": "c", "op": "tanh", "inputs": ["input"]}, {"name": "d", "op": "add", "inputs": ["a", "b"]},
      {"name": "e", "op": "add", "inputs": ["c", "d"]}, {"name": "loss", "op": "mse", "inputs": ["e"]})");
  ASSERT_EQ(model.nodes.size(), 7U);
  const Model once = permuted(model, {0, 2, 1, 3, 4, 5, 6});
  const Model twice = permuted(once, {0, 1, 3, 2, 4, 5, 6});
  EXPECT_EQ(twice.order, (NodeOrder{0, 2, 3, 1, 4, 5, 6}));
  for (std::size_t p = 0; p < twice.order.size(); ++p) {
    EXPECT_EQ(twice.nodes[p].name, model.nodes[twice.order[p]].name);
  }
}

}  // namespace
}  // namespace poet::test
