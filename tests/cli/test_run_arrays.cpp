// What the command run leaves as arrays, and training over epochs with it.
#include <algorithm>
#include <filesystem>

#include "arrays/read_arrays.hpp"
#include "cli/poet_solve.hpp"
#include "support/npy.hpp"

namespace poet::test {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 22;
constexpr int kSamples = 11;

const std::string kNet = R"({"format": "poet-model", "version": 2, "name": "net",
 "backward": "exact", "optimizer": "momentum", "input": {"shape": ["N", 2, 4]}, "layers": [
 {"name": "conv", "op": "conv1d", "inputs": ["input"], "out_channels": 3, "kernel": 3},
 {"name": "act", "op": "relu", "inputs": ["conv"]},
 {"name": "flat", "op": "flatten", "inputs": ["act"]},
 {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 3},
 {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]})";

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

class RunArraysOf : public testing::Test {
 protected:
  void SetUp() override {
    const Finished solved =
        poet_solve(problem(model_, "m4", "100%", "1.5") +
                   Words{"--batch-size", "4", "--effort", "fast", "--output", schedule_});
    ASSERT_EQ(solved.status, 0) << solved.err;
  }

  Finished run(const Words& options) const {
    return poet_solve(Words{"run", schedule_, "--model", model_} + options);
  }

  /// Training with these options, which ends with 0.
  std::vector<json> epochs_of(const Words& options) const {
    const Finished finished = run(Words{"--data", x_, y_} + options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    std::vector<json> epochs;
    std::istringstream lines(finished.out);
    for (std::string line; std::getline(lines, line);) epochs.push_back(json::parse(line));
    for (json& epoch : epochs) epoch.erase("seconds");
    return epochs;
  }

  /// Expects bad input, said so, with nothing on stdout and no file of this name.
  void expect_error(const Words& options, const std::string& part) const {
    const Finished finished = run(options);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(out_)) << part;
  }

  static std::vector<NamedArray> arrays_in(const std::string& path) {
    return parse_npz(contents_of(path), path, kMostBytes);
  }

  static Words names_in(const std::string& path) {
    Words names;
    for (const NamedArray& each : arrays_in(path)) names.push_back(each.name);
    return names;
  }

  static std::vector<float> pixels() {
    std::vector<float> values;
    for (int i = 0; i < kSamples * 8; ++i) values.push_back(static_cast<float>(i * 37 % 17) / 17);
    return values;
  }

  static std::vector<std::int64_t> classes() {
    std::vector<std::int64_t> values;
    for (int i = 0; i < kSamples; ++i) values.push_back(i * i % 3);
    return values;
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.write("net.json", kNet);
  std::string schedule_ = folder_.file("schedule.json");
  std::string out_ = folder_.file("out.npz");
  std::string x_ =
      folder_.write("x.npy", npy_text(npy_header("<f4", "(11, 2, 4)"), bytes_of(pixels())));
  std::string y_ =
      folder_.write("y.npy", npy_text(npy_header("<i8", "(11,)"), bytes_of(classes())));
};

TEST_F(RunArraysOf, AStepHaveTheNamesAndShapesOfPyTorch) {
  const std::string gradients = folder_.file("g.npz");
  const std::string outputs = folder_.file("o.npz");
  const Finished finished = run(
      {"--parameters-output", out_, "--gradients-output", gradients, "--outputs-output", outputs});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(names_in(out_), ElementsAre("conv.weight", "conv.bias", "fc.weight", "fc.bias"));
  EXPECT_EQ(names_in(gradients), names_in(out_));
  EXPECT_THAT(arrays_in(gradients)[0].array.shape, ElementsAre(3, 2, 3));
  const NamedArray logits = arrays_in(outputs).at(0);
  EXPECT_EQ(logits.name, "fc");
  EXPECT_THAT(logits.array.shape, ElementsAre(4, 3));
}

// w1 = w0 - 0.01 g in the first step of momentum: what is written fits together.
TEST_F(RunArraysOf, AStepAreItsUpdate) {
  const std::string gradients = folder_.file("g.npz");
  const std::string after = folder_.file("after.npz");
  ASSERT_EQ(run({"--steps", "1", "--parameters-output", out_}).status, 0);
  ASSERT_EQ(
      run({"--parameters", out_, "--gradients-output", gradients, "--parameters-output", after})
          .status,
      0);
  const auto before_values = arrays_in(out_)[2].array.values;
  const auto gradient_values = arrays_in(gradients)[2].array.values;
  const auto after_values = arrays_in(after)[2].array.values;
  for (std::size_t i = 0; i < before_values.size(); ++i) {
    const float step = 0.01F * static_cast<float>(gradient_values[i]);
    EXPECT_EQ(static_cast<float>(after_values[i]), static_cast<float>(before_values[i]) - step);
  }
}

TEST_F(RunArraysOf, AStepGiveBackWhatWasGiven) {
  ASSERT_EQ(run({"--parameters-output", out_}).status, 0);
  const std::string again = folder_.file("again.npz");
  ASSERT_EQ(run({"--parameters", out_, "--data", x_, y_, "--epochs", "1", "--rate", "0",
                 "--parameters-output", again})
                .status,
            0);
  EXPECT_TRUE(contents_of(again) == contents_of(out_));
}

TEST_F(RunArraysOf, BadOptionsAreNotWritten) {
  expect_error({"--parameters-output", folder_.file("none/p.npz")}, "--parameters-output: ");
  expect_error({"--gradients-output", schedule_},
               "--gradients-output: found " + schedule_ + ", the same file as SCHEDULE");
  expect_error({"--gradients-output", out_, "--outputs-output", out_},
               "the same file as --gradients-output");
  expect_error({"--storage", out_, "--parameters-output", out_}, "the same file as --storage");
  expect_error({"--parameters-output", out_, "--parameters", y_}, "--parameters: ");
}

TEST_F(RunArraysOf, TrainingLowersTheLossAndRepeats) {
  const std::vector<json> epochs = epochs_of({"--epochs", "20", "--rate", "0.05"});
  ASSERT_EQ(epochs.size(), 20U);
  EXPECT_EQ(epochs[0].at("epoch"), 1);
  EXPECT_EQ(epochs[0].at("steps"), 2);
  EXPECT_EQ(epochs[0].at("rows"), 8) << "three of eleven samples fill no batch of four";
  EXPECT_LT(epochs.back().at("loss"), epochs.front().at("loss"));
  EXPECT_EQ(epochs_of({"--epochs", "20", "--rate", "0.05", "--batch", "4"}), epochs);
  EXPECT_NE(epochs_of({"--epochs", "20", "--rate", "0.05", "--no-shuffle"}), epochs);
  EXPECT_NE(epochs_of({"--epochs", "20", "--rate", "0.01"}), epochs);
}

TEST_F(RunArraysOf, TrainingGoesOnFromACheckpointWithTheSameBits) {
  const std::string whole = folder_.file("whole.npz");
  const std::vector<json> epochs =
      epochs_of({"--epochs", "3", "--rate", "0.05", "--checkpoint", whole});
  EXPECT_THAT(names_in(whole), testing::IsSupersetOf({"fc.weight", "poet/momentum_buffer/fc.weight",
                                                      "poet/epochs", "poet/seed"}));
  EXPECT_EQ(epochs_of({"--epochs", "2", "--rate", "0.05", "--checkpoint", out_}).size(), 2U);
  const std::vector<json> rest =
      epochs_of({"--epochs", "3", "--rate", "0.05", "--checkpoint", out_});
  EXPECT_THAT(rest, ElementsAre(epochs.back()));
  EXPECT_TRUE(contents_of(out_) == contents_of(whole));
  const std::string trained = folder_.file("trained.npz");
  const Finished again = run(
      {"--data", x_, y_, "--epochs", "3", "--checkpoint", out_, "--parameters-output", trained});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(names_in(trained), testing::Contains("fc.weight"));
  EXPECT_EQ(again.out, "");
  EXPECT_THAT(again.err, HasSubstr("has all 3 epochs"));
  const Finished fewer = run({"--data", x_, y_, "--epochs", "2", "--checkpoint", out_});
  EXPECT_EQ(fewer.status, 2);
  EXPECT_THAT(fewer.err, HasSubstr("--epochs: found 2; expected at least the 3"));
  const std::string gradients = folder_.file("gradients.npz");
  const Finished none = run(
      {"--data", x_, y_, "--epochs", "3", "--checkpoint", out_, "--gradients-output", gradients});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--epochs: found 3; expected more than the 3"));
  const Finished other =
      run({"--data", x_, y_, "--epochs", "4", "--seed", "2", "--checkpoint", out_});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("--checkpoint: "), HasSubstr("the seed 2")));
  EXPECT_TRUE(contents_of(out_) == contents_of(whole));
}

TEST_F(RunArraysOf, TrainingStatesItsOrder) {
  const std::string order = folder_.file("order.npy");
  epochs_of({"--epochs", "2", "--no-shuffle", "--order-output", order});
  const NumberArray found = parse_npy(contents_of(order), order);
  EXPECT_THAT(found.shape, ElementsAre(2, 8));
  EXPECT_THAT(std::vector<double>(found.values.begin() + 8, found.values.end()),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(RunArraysOf, TrainingWritesItsLinesIntoAFile) {
  const std::string lines = folder_.file("epochs.jsonl");
  const Finished finished =
      run({"--data", "input=" + x_, "loss=" + y_, "--epochs", "2", "--output", lines});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(count_lines(contents_of(lines)), 2U);
}

TEST_F(RunArraysOf, TrainingRefusesWhatDoesNotFit) {
  const Words data{"--data", x_, y_, "--parameters-output", out_};
  expect_error(data, "--epochs: missing");
  expect_error(data + Words{"--epochs", "1", "--batch", "8"},
               "--batch: found 8; expected 4, the batch size of the schedule: leave the option "
               "out, or solve again with --batch-size 8");
  expect_error({"--epochs", "1"}, "--epochs: found without --data");
  expect_error({"--rate", "0.1"}, "--rate: found without --data");
  expect_error(data + Words{"--epochs", "1", "--steps", "3"}, "--steps: found with --data");
  expect_error(data + Words{"--epochs", "0"}, "--epochs: found 0; expected at least 1");
  expect_error(data + Words{"--epochs", "1", "--rate", "-1"}, "--rate: found -1");
  expect_error({"--data", y_, x_, "--epochs", "1"}, "found the shape (11); expected");
  expect_error({"--data", x_, y_, x_, "--epochs", "1"}, "found a third file without a name");
  expect_error({"--data", x_, "input=" + x_, "--epochs", "1"}, "'input' has a file already");
  expect_error({"--data", x_, "los=" + y_, "--epochs", "1"}, "did you mean 'loss'?");
  const std::string short_y = folder_.write(
      "short.npy",
      npy_text(npy_header("<i8", "(9,)"), bytes_of(classes()).substr(0, 9 * sizeof(double))));
  expect_error({"--data", x_, short_y, "--epochs", "1"}, "found 9 samples; expected 11, as in");
  const std::string few = folder_.write(
      "few.npy", npy_text(npy_header("<f4", "(3, 2, 4)"), bytes_of(pixels()).substr(0, 3 * 32)));
  expect_error({"--data", few, "--epochs", "1"}, "found 3 samples; expected at least 4");
  expect_error(data + Words{"--epochs", "1", "--checkpoint", x_}, "--checkpoint: ");
  expect_error({"--data", x_, "--epochs", "1"}, "--data: found no samples for 'loss'");
  expect_error(data + Words{"--epochs", "1", "--input", x_}, "--input: ");
}

TEST_F(RunArraysOf, TrainingEndsWithItsLastCheckpointWhenItIsInterrupted) {
  Command command = poet_solve_command(Words{"run", schedule_, "--model", model_, "--data", x_, y_,
                                             "--epochs", "100000000", "--checkpoint", out_});
  command.interrupt_after = "epoch 3 of";
  const Finished finished = run_program(command);
  EXPECT_EQ(finished.status, 130) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("interrupted in epoch"));
  const std::vector<NamedArray> arrays = arrays_in(out_);
  const auto epochs = std::find_if(arrays.begin(), arrays.end(), [](const NamedArray& each) {
    return each.name == "poet/epochs";
  });
  ASSERT_NE(epochs, arrays.end());
  EXPECT_EQ(epochs->array.values.at(0), static_cast<double>(count_lines(finished.out)));
}

}  // namespace
}  // namespace poet::test
