// Firmware runs a step by instructions, saves what it has learned, and reads bytes:
// tests/support/exported_firmware.c, with three optimizers, whose states differ.
#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

class FirmwareWith : public Export, public testing::WithParamInterface<const char*> {};

TEST_P(FirmwareWith, StepsSavesAndReadsBytes) {
  const std::string model = folder_.write(
      "net.json",
      std::string(R"({"format": "poet-model", "version": 2, "name": "net", "optimizer": ")") +
          GetParam() +
          R"(", "input": {"shape": [2, 2, 8, 8]}, "layers": [
 {"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 3, "padding": 1},
 {"name": "bn1", "op": "batch_norm2d", "inputs": ["conv1"]},
 {"name": "relu1", "op": "relu", "inputs": ["bn1"]},
 {"name": "drop", "op": "dropout", "inputs": ["relu1"]},
 {"name": "pool", "op": "global_avg_pool", "inputs": ["drop"]},
 {"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": 3},
 {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]})");
  ASSERT_EQ(exported(solved(model, "100%"), {"--model", model}).status, 0);
  Words words{"-std=c11",
              "-O1",
              "-Wall",
              "-Wextra",
              "-ffp-contract=off",
              "-I" + plan_,
              "-o",
              folder_.file("main"),
              POET_SOURCE_DIR "/tests/support/exported_firmware.c"};
  for (const std::string& name : kCFiles) words.push_back(plan_ + "/" + name);
  const Finished compiled = compile(POET_CC, words);
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_EQ(compiled.err, "");
  const Finished finished = run_step(folder_.file("main"), {});
  EXPECT_EQ(finished.status, 0) << finished.out;
}

INSTANTIATE_TEST_SUITE_P(Optimizers, FirmwareWith, testing::Values("sgd", "momentum", "adam"));

// States are told apart by what parameters mean, not by the schedule.
TEST_F(Export, PlansOfOneModelHaveOneHash) {
  const auto hash_of = [&](const std::string& schedule, const std::string& model) {
    EXPECT_EQ(exported(schedule, {"--model", model, "--force"}).status, 0);
    const std::string text = file_of("poet_plan.c");
    const std::size_t at = text.find(".hash = ");
    EXPECT_NE(at, std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string kept = hash_of(solved("linear", "100%"), "linear");
  EXPECT_EQ(hash_of(solved("linear", "60%"), "linear"), kept);
  EXPECT_NE(hash_of(solved("ds_cnn", "100%"), "ds_cnn"), kept);
}

}  // namespace
}  // namespace poet::test
