// A step in another order: whatever a node refers to is found by name, in both.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "step/permute_step.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"
#include "support/random_orders.hpp"

namespace poet::test {
namespace {

/// Shared weights, dropped elements, two inputs, two losses and a loss's own target.
std::string shared_text(const std::string& update) {
  return fmt::format(R"({{"format": "poet-model", "version": 2, "name": "tiny", "update": "{}",
 "inputs": {{"x": {{"shape": [3, 6]}}, "y": {{"shape": [3, 6]}}}}, "layers": [
 {{"name": "a", "op": "linear", "inputs": ["x"], "out_features": 6}},
 {{"name": "b", "op": "linear", "inputs": ["y"], "out_features": 6, "weights": "a"}},
 {{"name": "drop", "op": "dropout", "inputs": ["a"]}},
 {{"name": "drop2", "op": "dropout", "inputs": ["b"]}},
 {{"name": "rest", "op": "sub", "inputs": ["drop", "drop2"]}},
 {{"name": "far", "op": "mse", "inputs": ["rest"], "target": "y"}},
 {{"name": "near", "op": "cross_entropy", "inputs": ["drop"], "classes": 6}}]}})",
                     update);
}

std::string named(const TrainingStep& step, int node) {
  return node < 0 ? "-" : step.nodes[node].name;
}

/// Everything about a node, with names for indices.
std::string about(const TrainingStep& step, const StepNode& node) {
  std::string text = fmt::format("{} {} {} bytes, loss {}, writes {};", node.name, node.op,
                                 node.bytes, node.loss, node.writes_tensor);
  for (const KernelCall& call : node.calls) {
    text += fmt::format(" {}", call.kernel.name);
    if (const auto* const drop = std::get_if<poet_dropout_spec>(&call.spec)) {
      text += fmt::format(" of seed {}", drop->seed[0]);
    }
    for (const OperandSource& source : call.in) {
      const bool is_tensor = source.kind == OperandSource::Kind::tensor;
      text += fmt::format(" {}:{}+{}", static_cast<int>(source.kind),
                          is_tensor ? named(step, source.index) : std::to_string(source.index),
                          source.offset);
    }
  }
  if (node.sink) {
    text += fmt::format("; sink {} of {}, sum {}, first {}", static_cast<int>(node.sink->into),
                        node.sink->parameters, named(step, node.sink->sum), node.sink->is_first);
  }
  return text;
}

std::map<std::string, std::string> all_about(const TrainingStep& step) {
  std::map<std::string, std::string> all;
  for (const StepNode& node : step.nodes) all[node.name] = about(step, node);
  return all;
}

std::vector<std::string> names_of_inputs(const TrainingStep& step) {
  std::vector<std::string> names;
  for (const StepData& input : step.inputs) {
    EXPECT_EQ(named(step, input.node), input.name);
    names.push_back(input.name);
  }
  return names;
}

class PermutedStep : public testing::TestWithParam<const char*> {
 protected:
  std::string text_ = shared_text(GetParam());
  Model model_ = parse_model(text_, "tiny.json");
  TrainingStep step_ = bound_step(text_);
};

TEST_P(PermutedStep, RefersToTheSameThings) {
  Twister random(4);
  for (int number = 0; number < 20; ++number) {
    const NodeOrder order = random_order(random, model_);
    const TrainingStep other = permuted(step_, order);
    EXPECT_EQ(other.order, order);
    for (std::size_t p = 0; p < order.size(); ++p) {
      EXPECT_EQ(other.nodes[p].name, named(step_, order[p]));
    }
    EXPECT_EQ(all_about(other), all_about(step_));
    EXPECT_EQ(names_of_inputs(other), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(other.loss_count, 2);
    const Model ordered = permuted(model_, order);
    for (std::size_t p = 0; p < order.size(); ++p) {
      EXPECT_EQ(other.nodes[p].name, ordered.nodes[p].name);
    }
  }
}

TEST_P(PermutedStep, HasTheSameDataAndTrainsAlike) {
  Twister random(5);
  TrainingState expected = initial_state(step_, 3);
  const TrainingState start = expected;
  compute_unscheduled(step_, expected);
  EXPECT_EQ(expected.losses.size(), 2U);
  EXPECT_NE(expected.losses[0], expected.losses[1]);
  for (int number = 0; number < 20; ++number) {
    const TrainingStep other = permuted(step_, random_order(random, model_));
    TrainingState state = initial_state(other, 3);
    EXPECT_EQ(state.inputs, start.inputs);
    EXPECT_EQ(state.targets, start.targets);
    compute_unscheduled(other, state);
    EXPECT_EQ(state.losses, expected.losses);
    EXPECT_EQ(state.gradients, expected.gradients);
    EXPECT_EQ(state.parameters, expected.parameters);
  }
}

TEST_P(PermutedStep, IsPutBack) {
  Twister random(6);
  const NodeOrder order = random_order(random, model_);
  const TrainingStep other = permuted(step_, order);
  const TrainingStep back = permuted(other, inverse(order));
  EXPECT_TRUE(back.order.empty());
  for (std::size_t k = 0; k < step_.nodes.size(); ++k) {
    EXPECT_EQ(about(back, back.nodes[k]), about(step_, step_.nodes[k]));
  }
  // Of an order of an order, the step knows each node's place in the model's list.
  const NodeOrder again = random_order(random, permuted(model_, order));
  const TrainingStep twice = permuted(other, again);
  for (std::size_t p = 0; p < twice.nodes.size(); ++p) {
    EXPECT_EQ(twice.nodes[p].name, named(step_, twice.order[p]));
  }
}

INSTANTIATE_TEST_SUITE_P(Updates, PermutedStep, testing::Values("fused", "buffered", "accumulate"),
                         [](const auto& update) { return update.param; });

}  // namespace
}  // namespace poet::test
