// `run` of schedules without a backward pass.
#include <filesystem>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

constexpr const char* kLayers = R"("input": {"shape": ["N", 2, 6, 6]}, "layers": [
 {"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 3, "kernel": 3},
 {"name": "bn", "op": "batch_norm2d", "inputs": ["conv"]},
 {"name": "drop", "op": "dropout", "inputs": ["bn"]},
 {"name": "flat", "op": "flatten", "inputs": ["drop"]},
 {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 4})";
constexpr const char* kLoss =
    R"(, {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 4})";

class RunForward : public testing::Test {
 protected:
  std::string model_file(const std::string& keys, const std::string& loss = "") const {
    return folder_.write(
        "net.json", R"({"format": "poet-model", "name": "net",)" + keys + kLayers + loss + "]}");
  }

  std::string solved(const std::string& model, const Words& options) const {
    const Finished finished = poet_solve(problem(model, "m4", "100%", "2") +
                                         Words{"--replace", "--output", schedule_} + options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return schedule_;
  }

  void expect_error(const Words& words, const std::string& message) const {
    const Finished finished = poet_solve(words);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr(message));
  }

  TemporaryFolder folder_;
  std::string schedule_ = folder_.file("schedule.json");
};

TEST_F(RunForward, HasNoOutputOfWhereTheMaximaOfASignalAre) {
  const std::string model = folder_.write("signal.json", R"({"format": "poet-model", "version": 2,
 "name": "signal", "backward": "none", "input": {"shape": [1, 2, 6]}, "layers": [
 {"name": "pool", "op": "max_pool1d", "inputs": ["input"], "kernel": 2}]})");
  const json run = document(poet_solve({"run", solved(model, {}), "--model", model, "--check"}));
  ASSERT_EQ(run.at("outputs").size(), 1U);
  EXPECT_EQ(run.at("outputs")[0].at("name"), "pool");
}

TEST_F(RunForward, OfAModelFileOrOfAnOptionIsTheSame) {
  const std::string says = model_file(R"("version": 2, "backward": "none",)");
  const json of_file = document(poet_solve({"run", solved(says, {}), "--model", says, "--check"}));
  const std::string model = model_file(R"("version": 2, "backward": "poet-chain",)");
  solved(model, {"--backward", "none"});
  EXPECT_EQ(json::parse(contents_of(schedule_)).at("model").at("backward"), "none");
  const std::string arrays = folder_.file("outputs.npz");
  const Finished finished =
      poet_solve({"run", schedule_, "--model", model, "--check", "--outputs-output", arrays});
  const json run = document(finished);
  EXPECT_THAT(finished.err, HasSubstr("1 output equal to the unscheduled pass's, bit for bit"));
  EXPECT_EQ(run.at("equal"), true);
  EXPECT_EQ(run.at("outputs"), of_file.at("outputs"));
  EXPECT_EQ(run.at("outputs")[0].at("name"), "fc");
  EXPECT_EQ(run.at("outputs")[0].at("count"), 4);
  EXPECT_TRUE(run.at("losses").empty());
  EXPECT_TRUE(run.at("gradients").empty());
  EXPECT_FALSE(run.contains("statistics"));
  EXPECT_TRUE(std::filesystem::exists(arrays));
  EXPECT_EQ(poet_solve({"verify", schedule_, "--model", model, "--platform", "m4"}).status, 0);
  EXPECT_EQ(
      poet_solve({"run", schedule_, "--model", model, "--profile", folder_.file("costs")}).status,
      0);
}

// Another seed drops other elements in a training, and nothing here: without other parameters and
// inputs, outputs are the same.
TEST_F(RunForward, TakesParametersWithStatistics) {
  const std::string model = model_file(R"("version": 2,)", kLoss);
  const std::string input = folder_.write("x.raw", std::string(std::size_t{2} * 6 * 6 * 4, '\x3f'));
  const std::string given = folder_.file("given.npz");
  solved(model, {"--backward", "exact", "--batch-size", "5"});
  ASSERT_EQ(
      poet_solve({"run", schedule_, "--model", model, "--steps", "2", "--parameters-output", given})
          .status,
      0);
  const Words run{"run", solved(model, {"--backward", "none"}), "--model", model, "--input", input};
  const json plain = document(poet_solve(run));
  const json first = document(poet_solve(run + Words{"--parameters", given}));
  const json again =
      document(poet_solve(run + Words{"--parameters", given, "--seed", "9", "--steps", "3"}));
  EXPECT_NE(first.at("outputs"), plain.at("outputs"));
  EXPECT_EQ(first.at("outputs"), again.at("outputs"));
  const std::string after = folder_.file("after.npz");
  ASSERT_EQ(poet_solve(run + Words{"--parameters", given, "--parameters-output", after}).status, 0);
  EXPECT_EQ(contents_of(after), contents_of(given));
}

TEST_F(RunForward, RefusesWhatTrains) {
  const std::string model = model_file(R"("version": 2, "backward": "none",)");
  const Words run{"run", solved(model, {}), "--model", model};
  const std::string file = folder_.file("g.npz");
  expect_error(run + Words{"--gradients-output", file},
               "--gradients-output: found with the schedule of a forward pass");
  for (const char* option : {"--epochs", "--rate", "--checkpoint", "--order-output"}) {
    expect_error(run + Words{"--data", "x.npy", "y.npy", option, "1"},
                 std::string(option) + ": found with the schedule of a forward pass");
  }
  expect_error(run + Words{"--data", "x.npy", "y.npy", "--outputs-output", file},
               "--outputs-output: found with --data");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(RunForward, RefusesGraphsWithTheCountsOfPoet) {
  const std::string model = model_file(R"("version": 1, "backward": "none",)");
  expect_error({"run", solved(model, {}), "--model", model},
               "in a file of version 1, whose graph has POET's counts");
  expect_error({"fit", "ticks.csv", schedule_, "--model", model, "--output", folder_.file("fit")},
               "the backward pass 'none'");
}

}  // namespace
}  // namespace poet::test
