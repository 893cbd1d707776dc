// Running statistics of batch norms: PyTorch's formulas, once in a step, whatever a schedule
// computes again; and norms that do not train, into which they are folded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "execute/given_data.hpp"
#include "execute/run_schedule.hpp"
#include "execute/running_statistics.hpp"
#include "execute/scheduled_step.hpp"
#include "expect_input_error.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"

namespace poet::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Moments {
  double mean = 0, variance = 0;  ///< the variance over count - 1
};

/// Of a channel of N, C, plane.
Moments moments_of(const std::vector<float>& x, int batch, int channels, int plane, int channel) {
  const double count = batch * plane;
  Moments result;
  const auto each = [&](auto&& work) {
    for (int n = 0; n < batch; ++n) {
      for (int i = 0; i < plane; ++i) work(double{x[((n * channels + channel) * plane) + i]});
    }
  };
  each([&](double value) { result.mean += value / count; });
  each([&](double value) {
    result.variance += (value - result.mean) * (value - result.mean) / (count - 1);
  });
  return result;
}

std::vector<float> floats_of(const std::vector<std::uint32_t>& bits) {
  std::vector<float> values;
  for (const std::uint32_t each : bits) values.push_back(std::bit_cast<float>(each));
  return values;
}

std::size_t parameters_of(const TrainingStep& step, const std::string& name) {
  const auto found = std::find_if(step.parameters.begin(), step.parameters.end(),
                                  [&](const auto& each) { return each.name == name; });
  if (found == step.parameters.end()) throw std::runtime_error("no parameters " + name);
  return static_cast<std::size_t>(found - step.parameters.begin());
}

/// Two norms, the first of which sees the input, with another momentum than the usual one.
std::string two_norms(const std::string& keys = "") {
  return exact_text("[3, 2, 2, 3]", R"(
      {"name": "n", "op": "batch_norm2d", "inputs": ["input"], "momentum": 0.3, "epsilon": 0.01},
      {"name": "c", "op": "conv2d", "inputs": ["n"], "out_channels": 4, "kernel": 1},
      {"name": "m", "op": "batch_norm2d", "inputs": ["c"]},
      {"name": "r", "op": "relu", "inputs": ["m"]},
      {"name": "d", "op": "conv2d", "inputs": ["r"], "out_channels": 2, "kernel": 1},
      {"name": "loss", "op": "mse", "inputs": ["d"]})",
                    keys);
}

TEST(RunningStatistics, FollowTheFormulasOfPyTorch) {
  const TrainingStep step = bound_step(two_norms());
  TrainingState state = initial_state(step, 4);
  const std::size_t n = parameters_of(step, "n");
  EXPECT_THAT(state.running[n], ElementsAre(0, 0, 1, 1));
  const std::vector<float> x = floats_of(state.inputs[0]);
  for (int i = 0; i < 5; ++i) compute_unscheduled(step, state);
  // The batch is the same in each step.
  const double left = std::pow(0.7, 5);
  for (int c = 0; c < 2; ++c) {
    const Moments batch = moments_of(x, 3, 2, 6, c);
    EXPECT_NEAR(state.running[n][c], (1 - left) * batch.mean, 1e-6);
    EXPECT_NEAR(state.running[n][2 + c], left + (1 - left) * batch.variance, 1e-6);
  }
  EXPECT_EQ(state.batches[n], 5);
  EXPECT_EQ(state.batches[parameters_of(step, "m")], 5);
  EXPECT_EQ(state.batches[parameters_of(step, "c")], 0);
}

TEST(RunningStatistics, AreTheSameWithEveryUpdate) {
  std::vector<std::vector<float>> expected;
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    for (const char* const optimizer : {"sgd", "adam"}) {
      const TrainingStep step = bound_step(
          two_norms(fmt::format(R"("update": "{}", "optimizer": "{}",)", update, optimizer)));
      TrainingState state = initial_state(step, 4);
      compute_unscheduled(step, state);
      if (expected.empty()) expected = state.running;
      EXPECT_EQ(state.running, expected) << update << " " << optimizer;
      EXPECT_EQ(state.batches[parameters_of(step, "m")], 1);
    }
  }
}

TEST(RunningStatistics, AreArraysWithTheNamesOfPyTorch) {
  const TrainingStep step = bound_step(two_norms());
  TrainingState state = initial_state(step, 4);
  compute_unscheduled(step, state);
  const std::vector<ArrayToWrite> arrays = running_statistics(step, state);
  ASSERT_EQ(arrays.size(), 6U);
  EXPECT_EQ(arrays[0].name, "n.running_mean");
  EXPECT_EQ(arrays[1].name, "n.running_var");
  EXPECT_EQ(arrays[2].name, "n.num_batches_tracked");
  EXPECT_EQ(arrays[3].name, "m.running_mean");
  EXPECT_THAT(arrays[1].shape, ElementsAre(2));
  EXPECT_EQ(std::get<std::vector<float>>(arrays[1].values)[1],
            state.running[parameters_of(step, "n")][3]);
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(arrays[2].values), ElementsAre(1));
}

/// Every forward node but inputs and losses is computed again right before its first reader in the
/// backward pass.
std::vector<Instruction> with_norms_again(const Graph& graph, const Model& model) {
  using Op = Instruction::Op;
  std::vector<Instruction> program;
  for (int node = 0; node < graph.size(); ++node) {
    const std::string& name = model.nodes[node].name;
    if (name == "grad(r)" || name == "gradw(d)") {
      for (const char* const again : {"n", "c", "m", "r"}) {
        const int at = index_of(model, again);
        program.push_back({.op = Op::free, .node = at});
        if (std::string(again) == "n") program.push_back({.node = at});
        if (std::string(again) == "c") {
          program.push_back({.node = at});
        }
        if (std::string(again) == "m" || std::string(again) == "r") program.push_back({.node = at});
      }
    }
    program.push_back({.node = node});
  }
  return program;
}

TEST(RunningStatistics, TakeABatchOnceThoughTheNormIsComputedAgain) {
  const std::string text = two_norms(R"("update": "buffered",)");
  Model model = parse_model(text, "tiny.json");
  for (ModelNode& node : model.nodes) node.in_place.reset();
  const Platform platform = load_platform("m4");
  const Graph graph = cost_graph(model, &platform);
  const std::vector<Instruction> program = with_norms_again(graph, model);
  const auto computed = [&](const char* name) {
    return std::count_if(program.begin(), program.end(), [&](const Instruction& each) {
      return each.op == Instruction::Op::compute && each.node == index_of(model, name);
    });
  };
  ASSERT_GE(computed("n"), 2);
  ASSERT_GE(computed("m"), 2);
  const TrainingStep step = bound_step(text);
  TrainingState scheduled = initial_state(step, 2);
  TrainingState reference = scheduled;
  PageFile pages("", false);
  ScheduledStep run(step, graph, program, kUsualAlignment, true);
  for (int i = 0; i < 3; ++i) {
    run.run(scheduled, pages);
    compute_unscheduled(step, reference);
  }
  EXPECT_EQ(scheduled.running, reference.running);
  EXPECT_EQ(scheduled.batches, reference.batches);
  EXPECT_EQ(scheduled.batches[parameters_of(step, "n")], 3);
  const RunResult result =
      run_schedule(step, graph, program, kUsualAlignment, {.steps = 3, .seed = 2, .check = true});
  EXPECT_TRUE(result.equal());
  ASSERT_EQ(result.statistics.size(), 2U);
  EXPECT_EQ(result.statistics[0].name, "n");
  EXPECT_EQ(result.statistics[0].count, 4);
}

// As PyTorch's module that is called twice: first with the input, then with what is below.
TEST(SharedNorms, TakeBatchesInTheOrderOfTheForwardPass) {
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    const TrainingStep step = bound_step(exact_text("[3, 2, 2, 3]", R"(
        {"name": "n", "op": "batch_norm2d", "inputs": ["input"], "momentum": 0.3},
        {"name": "t", "op": "tanh", "inputs": ["other"]},
        {"name": "again", "op": "batch_norm2d", "inputs": ["t"], "weights": "n", "momentum": 0.4},
        {"name": "s", "op": "add", "inputs": ["n", "again"]},
        {"name": "loss", "op": "mse", "inputs": ["s"]})",
                                                    fmt::format(R"("update": "{}",
        "inputs": {{"other": {{"shape": [3, 2, 2, 3]}}}},)",
                                                                update)));
    TrainingState state = initial_state(step, 4);
    ASSERT_EQ(state.running.size(), 1U);
    compute_unscheduled(step, state);
    const std::vector<float> x = floats_of(state.inputs[0]);
    std::vector<float> t = floats_of(state.inputs[1]);
    for (float& each : t) each = std::tanh(each);
    for (int c = 0; c < 2; ++c) {
      const Moments first = moments_of(x, 3, 2, 6, c);
      const Moments second = moments_of(t, 3, 2, 6, c);
      EXPECT_NEAR(state.running[0][c], 0.6 * (0.3 * first.mean) + 0.4 * second.mean, 1e-6);
      EXPECT_NEAR(state.running[0][2 + c],
                  0.6 * (0.7 + 0.3 * first.variance) + 0.4 * second.variance, 1e-6);
    }
    EXPECT_EQ(state.batches[0], 2);
  }
}

TEST(SharedNorms, HaveToAgreeOnBeingFrozen) {
  const std::string text = exact_text("[3, 2, 2, 3]", R"(
      {"name": "n", "op": "batch_norm2d", "inputs": ["input"]},
      {"name": "again", "op": "batch_norm2d", "inputs": ["n"], "weights": "n", "frozen": true},
      {"name": "loss", "op": "mse", "inputs": ["again"]})");
  EXPECT_THAT(input_error([&] { bound_step(text); }),
              HasSubstr("layer 'again' (batch_norm2d): it shares the parameters of 'n'"));
}

/// A norm that does not train in front of a layer that does.
std::string frozen_norm(const std::string& more = "") {
  return exact_text("[2, 3]", fmt::format(R"(
      {{"name": "n", "op": "batch_norm1d", "inputs": ["input"], "frozen": true{}}},
      {{"name": "fc", "op": "linear", "inputs": ["n"], "out_features": 2}},
      {{"name": "loss", "op": "mse", "inputs": ["fc"]}})",
                                          more));
}

NamedArray floats(const std::string& name, const Shape& shape, std::vector<double> values) {
  return {name, {.shape = shape, .values = std::move(values)}};
}

std::vector<NamedArray> frozen_arrays() {
  return {floats("n.weight", {3}, {1, 2, 3}), floats("n.bias", {3}, {0.5, 0, -0.5}),
          floats("fc.weight", {2, 3}, {1, 1, 1, 1, 1, 1}), floats("fc.bias", {2}, {0, 0})};
}

TEST(FrozenNorms, AreGammaAndBetaIfNoStatisticsAreGiven) {
  const TrainingStep step = bound_step(frozen_norm());
  GivenData given;
  give_parameters(step, frozen_arrays(), "p.npz", given);
  TrainingState state = initial_state(step, 1);
  apply(step, given, state);
  EXPECT_THAT(state.parameters[0], ElementsAre(1, 2, 3, 0.5F, 0, -0.5F));
  EXPECT_TRUE(state.unfolded.empty());
}

TEST(FrozenNorms, HaveTheirStatisticsFoldedIn) {
  const TrainingStep step = bound_step(frozen_norm(R"(, "epsilon": 0.25)"));
  std::vector<NamedArray> arrays = frozen_arrays();
  arrays.push_back(floats("n.running_mean", {3}, {2, 1, 0}));
  arrays.push_back(floats("n.running_var", {3}, {3.75, 0.75, 0}));
  arrays.push_back({"n.num_batches_tracked", {.shape = {}, .is_integer = true, .values = {17}}});
  GivenData given;
  give_parameters(step, arrays, "p.npz", given);
  TrainingState state = initial_state(step, 1);
  apply(step, given, state);
  EXPECT_THAT(state.parameters[0], ElementsAre(0.5F, 2, 6, -0.5F, -2, -0.5F));
  EXPECT_THAT(stated_parameters(state, 0), ElementsAre(1, 2, 3, 0.5F, 0, -0.5F));
  compute_unscheduled(step, state);
  EXPECT_THAT(state.running[0], ElementsAre(2, 1, 0, 3.75F, 0.75F, 0));
  EXPECT_EQ(state.batches[0], 17);
  EXPECT_TRUE(tracked_norms(step).empty());
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(running_statistics(step, state)[2].values),
              ElementsAre(17));
}

TEST(GivenStatistics, AreWhereANormBegins) {
  const TrainingStep step = bound_step(two_norms());
  GivenData given;
  std::vector<NamedArray> arrays = {floats("n.weight", {2}, {1, 1}),
                                    floats("n.bias", {2}, {0, 0}),
                                    floats("c.weight", {4, 2, 1, 1}, std::vector<double>(8, 0.5)),
                                    floats("c.bias", {4}, {0, 0, 0, 0}),
                                    floats("m.weight", {4}, {1, 1, 1, 1}),
                                    floats("m.bias", {4}, {0, 0, 0, 0}),
                                    floats("d.weight", {2, 4, 1, 1}, std::vector<double>(8, 0.5)),
                                    floats("d.bias", {2}, {0, 0}),
                                    floats("n.running_mean", {2}, {5, 6}),
                                    floats("n.running_var", {2}, {7, 8})};
  give_parameters(step, arrays, "p.npz", given);
  TrainingState state = initial_state(step, 1);
  apply(step, given, state);
  EXPECT_THAT(state.running[parameters_of(step, "n")], ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(state.running[parameters_of(step, "m")], ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(state.parameters[parameters_of(step, "n")], ElementsAre(1, 1, 0, 0));
}

TEST(GivenStatistics, AreRefusedWithThePlace) {
  const TrainingStep step = bound_step(frozen_norm());
  const auto error = [&](const std::vector<NamedArray>& more) {
    std::vector<NamedArray> arrays = frozen_arrays();
    arrays.insert(arrays.end(), more.begin(), more.end());
    GivenData given;
    return input_error([&] { give_parameters(step, arrays, "p.npz", given); });
  };
  EXPECT_THAT(error({floats("n.running_mean", {3}, {0, 0, 0})}),
              HasSubstr("p.npz: 'n.running_var': missing; expected an array of the shape (3)"));
  EXPECT_THAT(
      error({floats("n.running_mean", {3}, {0, 0, 0}), floats("n.running_var", {3}, {1, -1, 1})}),
      HasSubstr("'n.running_var': element 1 is -1; expected a variance"));
  EXPECT_THAT(
      error({floats("n.running_mean", {2}, {0, 0}), floats("n.running_var", {3}, {1, 1, 1})}),
      HasSubstr("'n.running_mean': found the shape (2); expected (3)"));
  EXPECT_THAT(error({floats("n.num_batches_tracked", {}, {3})}),
              HasSubstr("'n.num_batches_tracked': found 1 floats; expected one integer from 0"));
}

// A device may leave the array out.
TEST(TrackedNorms, AreThoseThatTrain) {
  const TrainingStep step = bound_step(exact_text("[3, 2, 2, 3]", R"(
      {"name": "fixed", "op": "batch_norm2d", "inputs": ["input"], "frozen": true},
      {"name": "c", "op": "conv2d", "inputs": ["fixed"], "out_channels": 2, "kernel": 1},
      {"name": "still", "op": "batch_norm2d", "inputs": ["c"], "trainable": false},
      {"name": "n", "op": "batch_norm2d", "inputs": ["still"]},
      {"name": "loss", "op": "mse", "inputs": ["n"]})"));
  const std::vector<std::size_t> tracked = tracked_norms(step);
  EXPECT_THAT(tracked, ElementsAre(parameters_of(step, "n")));
  TrainingState state = initial_state(step, 1);
  compute_unscheduled(step, state);
  EXPECT_THAT(state.running[parameters_of(step, "still")], ElementsAre(0, 0, 1, 1));
}

}  // namespace
}  // namespace poet::test
