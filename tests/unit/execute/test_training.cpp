// Epochs over samples: which sample comes when, what a checkpoint keeps, and that the loop computes
// the steps that single runs compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "arrays/read_arrays.hpp"
#include "arrays/write_arrays.hpp"
#include "execute/run_schedule.hpp"
#include "execute/state_arrays.hpp"
#include "execute/train.hpp"
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
using testing::Not;

constexpr std::size_t kMostOfCheckpoint = std::size_t{1} << 20;
constexpr std::int64_t kBatch = 2;
const auto kGoesOn = [] { return false; };

std::vector<NamedArray> read_back(const std::vector<ArrayToWrite>& arrays) {
  return parse_npz(npz_bytes(arrays), "c.npz", kMostOfCheckpoint);
}

// The keys of docs/run-format.md, by NumPy with uint64: argsort(kind="stable").
TEST(EpochOrders, AreThoseThatTheDocumentationMakes) {
  EXPECT_THAT(epoch_order(8, 1, 1, true), ElementsAre(7, 4, 2, 0, 3, 6, 5, 1));
  EXPECT_THAT(epoch_order(8, 1, 2, true), ElementsAre(6, 5, 7, 4, 2, 1, 3, 0));
  EXPECT_THAT(epoch_order(8, 2, 1, true), ElementsAre(0, 7, 5, 3, 6, 4, 2, 1));
  EXPECT_THAT(epoch_order(4, 1, 5, false), ElementsAre(0, 1, 2, 3));
}

TEST(EpochOrders, HaveEachSampleOnce) {
  std::vector<std::int64_t> order = epoch_order(1000, 3, 4, true);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, epoch_order(1000, 3, 4, false));
}

/// A classifier of two samples a step.
class Training : public testing::Test {
 protected:
  explicit Training(const std::string& keys = {})
      : text_(exact_text(R"(["N", 3])", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
      {"name": "r", "op": "tanh", "inputs": ["a"]},
      {"name": "b", "op": "linear", "inputs": ["r"], "out_features": 3},
      {"name": "loss", "op": "cross_entropy", "inputs": ["b"], "classes": 3})",
                         keys)) {}

  DataSet samples(std::int64_t count) const {
    DataSet data{.samples = count};
    for (std::int64_t i = 0; i < count; ++i) {
      for (int k = 0; k < 3; ++k) {
        const float value = static_cast<float>((i * 7 + k * 5) % 11) / 11 - 0.5F;
        data.inputs[0].push_back(std::bit_cast<std::uint32_t>(value));
      }
      data.targets[0].push_back(static_cast<std::uint32_t>(i % 3));
    }
    return data;
  }

  TrainingRun run_of(TrainingStep& step, const DataSet& data, bool shuffle = true) const {
    return TrainingRun(step, graph_, program_, kUsualAlignment, {.seed = 5, .check = true}, data,
                       kBatch, shuffle);
  }

  std::string text_;
  Model model_ = parse_model(text_, "tiny.json", kBatch);
  Platform platform_ = load_platform("m4");
  Graph graph_ = cost_graph(model_, &platform_);
  TrainingStep step_ = bound_step(text_, kBatch);
  std::vector<Instruction> program_ = to_program(graph_, baseline(graph_).schedule);
};

TEST_F(Training, ComputesTheStepsOfItsBatchesOneByOne) {
  const DataSet data = samples(7);
  TrainingRun run = run_of(step_, data);
  EXPECT_TRUE(run.compare_next_step().equal());
  TrainingStep step = bound_step(text_, kBatch);
  TrainingState state = initial_state(step, 5);
  double losses = 0;
  for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
    const std::vector<std::int64_t> order = run.order_of(epoch);
    ASSERT_EQ(order.size(), 6U) << "three batches; one sample is left out";
    losses = 0;
    for (std::size_t first = 0; first < order.size(); first += 2) {
      apply(step, batch_of(data, std::span(order).subspan(first, 2)), state);
      compute_unscheduled(step, state);
      losses += double{state.losses[0]};
    }
    const std::optional<EpochResult> result = run.run_epoch(kGoesOn);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->epoch, epoch);
    EXPECT_EQ(result->loss, losses / 3);
    EXPECT_EQ(result->hits.rows, 6);
  }
  const RunArrays arrays = run.arrays();
  EXPECT_EQ(std::get<std::vector<float>>(arrays.parameters.at(0).values),
            std::vector<float>(state.parameters[0].begin(), state.parameters[0].begin() + 12));
  EXPECT_EQ(arrays.outputs.at(0).name, "b");
  EXPECT_THAT(arrays.outputs.at(0).shape, ElementsAre(2, 3));
}

TEST_F(Training, CountsTheRowsWhoseClassIsTheLargestOutput) {
  TrainingState state = initial_state(step_, 1);
  state.outputs = {{0.1F, 0.3F, 0.2F, -1, -3, -2}};
  state.targets[0] = {1, 2};
  const Hits hits = hits_of(step_, state);
  EXPECT_EQ(hits.correct, 1);
  EXPECT_EQ(hits.rows, 2);
}

TEST_F(Training, StopsBetweenSteps) {
  const DataSet data = samples(8);
  TrainingRun run = run_of(step_, data);
  int asked = 0;
  EXPECT_FALSE(run.run_epoch([&] { return ++asked > 2; }));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(run.progress().epochs, 0);
}

TEST_F(Training, WantsABatchOfSamples) {
  const DataSet data = samples(1);
  EXPECT_THAT(input_error([&] { run_of(step_, data); }),
              HasSubstr("found 1 samples; expected at least 2, the schedule's batch size"));
}

TEST_F(Training, TakesSamplesOfAnyNumber) {
  const NumberArray x{.shape = {5, 3}, .values = std::vector<double>(15, 0.5)};
  EXPECT_EQ(samples_of(step_.inputs[0], kBatch, x, "x.npy").count, 5);
  const NumberArray raw{.shape = {}, .has_shape = false, .values = std::vector<double>(9, 0.5)};
  EXPECT_EQ(samples_of(step_.inputs[0], kBatch, raw, "x.bin").count, 3);
  const NumberArray wrong{.shape = {5, 4}, .values = std::vector<double>(20, 0.5)};
  EXPECT_THAT(input_error([&] { samples_of(step_.inputs[0], kBatch, wrong, "x.npy"); }),
              HasSubstr("x.npy: found the shape (5, 4); expected (samples, 3) for 'input'"));
  const NumberArray classes{.shape = {2}, .is_integer = true, .values = {0, 3}};
  EXPECT_THAT(input_error([&] { samples_of(step_.targets[0], kBatch, classes, "y.npy"); }),
              HasSubstr("element 1 is 3; expected an index from 0 to 2"));
}

/// The optimizer with the most state.
class TrainingByAdam : public Training {
 protected:
  TrainingByAdam() : Training(R"("optimizer": "adam",)") {}
};

TEST_F(TrainingByAdam, GoesOnFromACheckpointWithTheSameBits) {
  const DataSet data = samples(8);
  TrainingRun whole = run_of(step_, data);
  TrainingStep other = bound_step(text_, kBatch);
  TrainingRun first = run_of(other, data);
  for (int epoch = 0; epoch < 2; ++epoch) {
    whole.run_epoch(kGoesOn);
    first.run_epoch(kGoesOn);
  }
  const std::vector<NamedArray> checkpoint = read_back(first.checkpoint());
  TrainingStep third = bound_step(text_, kBatch);
  TrainingRun resumed = run_of(third, data);
  resumed.go_on_from(checkpoint, "c.npz");
  EXPECT_EQ(resumed.progress(), whole.progress());
  const auto expected = whole.run_epoch(kGoesOn);
  const auto found = resumed.run_epoch(kGoesOn);
  EXPECT_EQ(found->loss, expected->loss);
  EXPECT_EQ(npz_bytes(resumed.checkpoint()), npz_bytes(whole.checkpoint()));
}

TEST_F(TrainingByAdam, RefusesACheckpointOfAnotherRun) {
  const DataSet data = samples(8);
  TrainingRun run = run_of(step_, data);
  run.run_epoch(kGoesOn);
  std::vector<ArrayToWrite> arrays = run.checkpoint();
  const auto error_of = [&](const std::vector<ArrayToWrite>& changed, const DataSet& samples,
                            bool shuffle) {
    TrainingStep step = bound_step(text_, kBatch);
    TrainingRun other = run_of(step, samples, shuffle);
    return input_error([&] { other.go_on_from(read_back(changed), "c.npz"); });
  };
  const DataSet fewer = samples(6);
  EXPECT_THAT(error_of(arrays, fewer, true),
              AllOf(HasSubstr("c.npz: found a checkpoint after 1 epochs of 4 steps, 8 samples"),
                    HasSubstr("expected 3 steps, 6 samples")));
  EXPECT_THAT(error_of(arrays, data, false), HasSubstr("not shuffled"));
  const auto without = [&](const std::string& name) {
    std::vector<ArrayToWrite> left = arrays;
    std::erase_if(left, [&](const ArrayToWrite& each) { return each.name == name; });
    return error_of(left, data, true);
  };
  EXPECT_THAT(without("poet/epochs"), HasSubstr("'poet/epochs': missing"));
  EXPECT_THAT(without("a.weight"), HasSubstr("'a.weight': missing"));
  EXPECT_THAT(without("poet/exp_avg_sq/b.bias"),
              AllOf(HasSubstr("'poet/exp_avg_sq/b.bias': missing"), Not(HasSubstr("a.weight"))));
}

TEST_F(TrainingByAdam, CheckpointsAreParametersAsWell) {
  const DataSet data = samples(4);
  TrainingRun run = run_of(step_, data);
  run.run_epoch(kGoesOn);
  GivenData given;
  give_parameters(step_, read_back(run.checkpoint()), "c.npz", given);
  EXPECT_EQ(given.parameters.size(), 2U);
}

}  // namespace
}  // namespace poet::test
