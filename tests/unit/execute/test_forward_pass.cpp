// A forward pass without a training: PyTorch's evaluation mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "execute/run_schedule.hpp"
#include "execute/state_arrays.hpp"
#include "expect_input_error.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "step/permute_step.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNone = R"("backward": "none",)";

TrainingStep forward_step(const std::string& text) {
  InputErrors errors;
  ModelSpec spec = read_model(text, "tiny.json", errors);
  errors.throw_if_any();
  ask_for_backward(spec, Backward::none);
  return bind_step(spec, 1);
}

std::vector<float> input_of(const TrainingState& state, std::size_t i = 0) {
  std::vector<float> values;
  for (const std::uint32_t each : state.inputs[i]) values.push_back(std::bit_cast<float>(each));
  return values;
}

std::vector<std::string> names_of_outputs(const TrainingStep& step) {
  std::vector<std::string> names;
  for (const int node : step.outputs) names.push_back(step.nodes[node].name);
  return names;
}

TEST(ForwardPass, UsesRunningStatistics) {
  const TrainingStep step = forward_step(exact_text("[3, 2, 2, 3]", R"(
      {"name": "n", "op": "batch_norm2d", "inputs": ["input"], "epsilon": 0.01})"));
  TrainingState state = initial_state(step, 4);
  const TrainingState start = state;
  const std::vector<float> gamma_and_beta{0.5F, -2, 0.25F, 3};
  const std::vector<float> running{-0.5F, 2, 0.3F, 4};
  GivenData given;
  given.parameters[0] = gamma_and_beta;
  given.statistics[0] = {.running = running, .batches = 7};
  apply(step, given, state);
  const std::vector<float> x = input_of(state);
  compute_unscheduled(step, state);
  ASSERT_EQ(state.results.size(), 1U);
  for (int n = 0; n < 3; ++n) {
    for (int c = 0; c < 2; ++c) {
      for (int i = 0; i < 6; ++i) {
        const int at = (n * 2 + c) * 6 + i;
        const double h =
            (double{x[at]} - double{running[c]}) / std::sqrt(double{running[2 + c]} + 0.01);
        EXPECT_NEAR(state.results[0][at],
                    h * double{gamma_and_beta[c]} + double{gamma_and_beta[2 + c]}, 2e-6);
      }
    }
  }
  EXPECT_EQ(state.running[0], running);
  EXPECT_EQ(state.batches[0], 7);
  EXPECT_EQ(state.parameters[0], gamma_and_beta);
}

// They are a scale and a shift already, as in a training.
TEST(ForwardPass, TakesFrozenNormsAsTheyAreFolded) {
  const TrainingStep step = forward_step(exact_text("[3, 2, 2, 3]", R"(
      {"name": "n", "op": "batch_norm2d", "inputs": ["input"], "frozen": true, "epsilon": 0.5})"));
  TrainingState state = initial_state(step, 4);
  GivenData given;
  given.parameters[0] = {2, 4, 1, 1};
  given.statistics[0] = {.running = {1, 0, 3.5F, 15.5F}, .batches = 1};
  apply(step, given, state);
  const std::vector<float> x = input_of(state);
  compute_unscheduled(step, state);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_FLOAT_EQ(state.results[0][i], x[i]);              // 2 (x - 1) / 2 + 1
    EXPECT_FLOAT_EQ(state.results[0][6 + i], x[6 + i] + 1);  // 4 x / 4 + 1
  }
}

TEST(ForwardPass, DropsNothing) {
  for (const char* const op : {"dropout", "stochastic_depth"}) {
    TrainingStep step = forward_step(exact_text("[3, 2, 5]", std::string(R"(
      {"name": "d", "rate": 0.9, "inputs": ["input"], "op": ")") +
                                                                 op + R"("})"));
    TrainingState state = initial_state(step, 4);
    seed_dropout(step, 4, 3);
    compute_unscheduled(step, state);
    EXPECT_EQ(state.results[0], input_of(state)) << op;
  }
}

TEST(ForwardPass, HasNoTrainedParametersAndNeedsNoLoss) {
  const TrainingStep step = forward_step(exact_text("[3, 4]", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
      {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 2},
      {"name": "c", "op": "relu", "inputs": ["a"]})"));
  EXPECT_TRUE(step.is_forward);
  EXPECT_EQ(step.loss_count, 0);
  for (const StepParameters& each : step.parameters) EXPECT_FALSE(each.is_trained);
  EXPECT_THAT(names_of_outputs(step), ElementsAre("b", "c"));
}

TEST(ForwardPass, ComputesItsLossAndShowsWhatTheLossIsComputedFrom) {
  const TrainingStep step = forward_step(exact_text("[3, 4]", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
      {"name": "s", "op": "softmax", "inputs": ["a"]},
      {"name": "loss", "op": "cross_entropy", "inputs": ["a"], "classes": 3})"));
  EXPECT_THAT(names_of_outputs(step), ElementsAre("a", "s"));
  TrainingState state = initial_state(step, 1);
  compute_unscheduled(step, state);
  double expected = 0;
  for (std::size_t row = 0; row < 3; ++row) {
    const float p = state.results[1][3 * row + state.targets[0][row]];
    expected -= std::log(double{p}) / 3;
  }
  EXPECT_NEAR(state.losses[0], expected, 1e-5);
  const std::vector<ArrayToWrite> arrays = output_arrays(step, state);
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[1].name, "s");
  EXPECT_EQ(std::get<std::vector<float>>(arrays[1].values), state.results[1]);
}

constexpr const char* kTwoBranches = R"(
    {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 3, "kernel": 1},
    {"name": "n", "op": "batch_norm2d", "inputs": ["a"]},
    {"name": "p", "op": "max_pool2d", "inputs": ["n"], "kernel": 2, "stride": 1},
    {"name": "b", "op": "conv2d", "inputs": ["a"], "out_channels": 2, "kernel": 1})";

TEST(ForwardPass, OutputsFollowAnotherOrderOfTheNodes) {
  const TrainingStep step = forward_step(exact_text("[1, 2, 3, 4]", kTwoBranches));
  EXPECT_THAT(names_of_outputs(step), ElementsAre("p", "b"));
  const TrainingStep other = permuted(step, {0, 1, 5, 2, 3, 4});
  EXPECT_THAT(names_of_outputs(other), ElementsAre("p", "b"));
  TrainingState state = initial_state(step, 5);
  TrainingState of_other = initial_state(other, 5);
  compute_unscheduled(step, state);
  compute_unscheduled(other, of_other);
  EXPECT_EQ(state.results, of_other.results);
}

// Bytes of a pool's index are no multiple of 4 here.
TEST(ForwardPass, OfAScheduleHasTheBitsOfTheUnscheduledOne) {
  const std::string text = exact_text("[1, 2, 3, 4]", kTwoBranches, kNone);
  const Platform platform = load_platform("m4");
  const Graph graph = cost_graph(parse_model(text, "tiny.json"), &platform);
  const TrainingStep step = forward_step(text);
  std::vector<Instruction> program = to_program(graph, baseline(graph).schedule);
  RunResult result =
      run_schedule(step, graph, program, kUsualAlignment, {.steps = 2, .check = true});
  EXPECT_TRUE(result.equal());
  EXPECT_TRUE(result.is_forward);
  EXPECT_TRUE(result.losses.empty());
  EXPECT_TRUE(result.gradients.empty());
  ASSERT_EQ(result.outputs.size(), 2U);
  EXPECT_EQ(result.outputs[0].count, 18);
  EXPECT_EQ(result.outputs[0].sha256.size(), 64U);
  result.outputs[1].is_equal = false;
  EXPECT_FALSE(result.equal());
}

TEST(ForwardPass, OfAFileOfVersion1IsCountedExactlyOnlyIfItIsAskedFor) {
  const auto flop = [](int version, const char* says, std::optional<Backward> wanted) {
    const std::string text = R"({"format": "poet-model", "name": "old", "version": )" +
                             std::to_string(version) + "," + says +
                             R"("input": {"shape": [1, 3, 4, 4]}, "layers": [
        {"name": "c", "op": "conv2d", "inputs": ["input"], "out_channels": 2, "kernel": 3},
        {"name": "n", "op": "batch_norm2d", "inputs": ["c"]},
        {"name": "r", "op": "relu", "inputs": ["n"]}]})";
    std::vector<std::int64_t> all;
    for (const ModelNode& node : parse_model(text, "old.json", 1, wanted).nodes) {
      all.push_back(node.flop);
    }
    return all;
  };
  const std::vector<std::int64_t> counted_by_poet = flop(1, kNone, {});
  EXPECT_EQ(flop(1, kNone, Backward::none), counted_by_poet);
  EXPECT_NE(flop(1, "", Backward::none), counted_by_poet);
  EXPECT_EQ(flop(1, "", Backward::none), flop(2, kNone, {}));
}

}  // namespace
}  // namespace poet::test
