// The kernel calls of every op, by what they compute: a wrong stride, operand, offset or sink
// changes a loss or a gradient, and the two no longer agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "expect_input_error.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"
#include "support/tiny_steps.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

class Bindings : public testing::TestWithParam<Tiny> {};

TEST_P(Bindings, GradientsAreThoseOfTheLoss) {
  const TrainingStep step = bound_step(GetParam().text);
  const TrainingState start = initial_state(step, 3);
  TrainingState after = start;
  compute_unscheduled(step, after);
  int checked = 0;
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    if (!step.parameters[p].is_trained) continue;
    EXPECT_NEAR(gradient_quotient(step, start, after.gradients[p], p), 1, 0.03)
        << step.parameters[p].name;
    ++checked;
  }
  EXPECT_GE(checked, 2);
}

INSTANTIATE_TEST_SUITE_P(Ops, Bindings, testing::ValuesIn(tiny_steps()),
                         [](const auto& tiny) { return tiny.param.name; });

TEST(BindingsOfData, AFirstStateIsZerosUnlessItIsGiven) {
  const TrainingStep step = bound_step(R"({"format": "poet-model", "version": 2, "name": "tiny",
    "inputs": {"input": {"shape": [3, 4]}, "start": {"shape": [3, 4], "zeros": true}}, "layers": [
    {"name": "sum", "op": "add", "inputs": ["input", "start"]},
    {"name": "fc", "op": "linear", "inputs": ["sum"], "out_features": 2},
    {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 2}]})");
  const TrainingState state = initial_state(step, 1);
  EXPECT_THAT(state.inputs[0], testing::Not(testing::Contains(0U)));
  EXPECT_EQ(state.inputs[1], std::vector<std::uint32_t>(12, 0));
}

TEST(BindingsOfData, AnInputOfIndicesHasALimitAndATargetMayBeAnInput) {
  const TrainingStep step = bound_step(R"({"format": "poet-model", "version": 2, "name": "tiny",
    "inputs": {"input": {"shape": [3, 4]}, "wanted": {"shape": [3, 4, 5]}}, "layers": [
    {"name": "e", "op": "embedding", "inputs": ["input"], "vocabulary": 9, "width": 5},
    {"name": "loss", "op": "mse", "inputs": ["e"], "target": "wanted"}]})");
  ASSERT_EQ(step.inputs.size(), 2U);
  EXPECT_EQ(step.inputs[0].index_limit, 9);
  EXPECT_EQ(step.inputs[1].index_limit, 0);
  EXPECT_TRUE(step.targets.empty());
  const TrainingState start = initial_state(step, 1);
  for (const std::uint32_t index : start.inputs[0]) EXPECT_LT(index, 9U);
  TrainingState after = start;
  compute_unscheduled(step, after);
  EXPECT_NEAR(gradient_quotient(step, start, after.gradients[0], 0), 1, 0.03);
}

class Updates : public testing::TestWithParam<const char*> {};

// Whenever a gradient is applied, it is complete: parameters are the same, bit by bit.
TEST_P(Updates, TrainAlikeFusedBufferedAndAccumulated) {
  std::vector<std::vector<float>> expected;
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    const TrainingStep step = bound_step(
        trained_text(fmt::format(R"("update": "{}", "optimizer": "{}",)", update, GetParam())));
    TrainingState state = initial_state(step, 5);
    const std::vector<std::vector<float>> before = state.parameters;
    const double first = loss_of(step, state);
    for (int i = 0; i < 3; ++i) compute_unscheduled(step, state);
    EXPECT_LT(loss_of(step, state), first) << update;
    if (expected.empty()) expected = state.parameters;
    for (std::size_t p = 0; p < expected.size(); ++p) {
      EXPECT_NE(state.parameters[p], before[p]) << update << " leaves " << step.parameters[p].name;
      EXPECT_EQ(std::memcmp(state.parameters[p].data(), expected[p].data(),
                            expected[p].size() * sizeof(float)),
                0)
          << update << " of " << step.parameters[p].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, Updates, testing::Values("sgd", "momentum", "adam"),
                         [](const auto& optimizer) { return optimizer.param; });

TEST(NoKernel, IsAnErrorThatNamesTheLayer) {
  const auto error = [](const std::string& layer, const std::string& keys = "") {
    const std::string layers = R"({"name": "a", "op": "linear", "inputs": ["input"],
      "out_features": 4}, {"name": "x", "inputs": ["a"], )" +
                               layer + "}";
    return input_error([&] { bound_step(exact_text("[2, 4]", classified(layers, "x"), keys)); });
  };
  EXPECT_THAT(error(R"("op": "custom", "shape": [2, 4], "flops": 1)"),
              HasSubstr("layer 'x' (custom): there is no kernel for this op"));
  EXPECT_THAT(error(R"("op": "relu", "mask": true)"), HasSubstr("layer 'x' (relu): there is no "));
  EXPECT_THAT(error(R"("op": "softmax", "dtype": "int8")"),
              HasSubstr("layer 'x' (softmax): found elements of 1 byte; expected 4"));
  EXPECT_THAT(error(R"("op": "linear", "out_features": 4, "in_place": true)"),
              HasSubstr("poet_linear, cannot do that"));
}

}  // namespace
}  // namespace poet::test
