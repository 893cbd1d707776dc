// Firmware runs a step by instructions, saves what it has learned, and reads bytes:
// tests/support/exported_firmware.c, with three optimizers, whose states differ.
#include <algorithm>

#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

const Words kWarned{"-std=c11", "-O1", "-Wall", "-Wextra", "-ffp-contract=off"};

struct Training {
  const char* optimizer;
  const char* update;
};

class FirmwareWith : public Export, public testing::WithParamInterface<Training> {
 protected:
  /// What the program of that file makes of a part of its tests.
  void expect_right(const Words& part);
};

void FirmwareWith::expect_right(const Words& part) {
  const std::string model = folder_.write(
      "net.json",
      std::string(R"({"format": "poet-model", "version": 2, "name": "net", "optimizer": ")") +
          GetParam().optimizer + R"(", "update": ")" + GetParam().update +
          R"(", "input": {"shape": [2, 2, 8, 8]}, "layers": [
 {"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 3, "padding": 1},
 {"name": "bn1", "op": "batch_norm2d", "inputs": ["conv1"]},
 {"name": "relu1", "op": "relu", "inputs": ["bn1"]},
 {"name": "drop", "op": "dropout", "inputs": ["relu1"]},
 {"name": "pool", "op": "global_avg_pool", "inputs": ["drop"]},
 {"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": 3},
 {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]})");
  const std::string path = solved(model, "min", {"--no-remat"});
  ASSERT_EQ(exported(path, {"--model", model}).status, 0);
  const Words words = kWarned + Words{POET_SOURCE_DIR "/tests/support/exported_firmware.c"};
  const Finished finished = run_step(linked(words), part);
  EXPECT_EQ(finished.status, 0) << finished.out;
}

TEST_P(FirmwareWith, StepsSavesAndReadsBytes) {
  expect_right({});
}

TEST_P(FirmwareWith, RefusesLabelsOutsideTheClassesAndInputsThatAreNotNumbers) {
  expect_right({"bad-data"});
}

INSTANTIATE_TEST_SUITE_P(Optimizers, FirmwareWith,
                         testing::Values(Training{"sgd", "fused"}, Training{"sgd", "buffered"},
                                         Training{"momentum", "fused"},
                                         Training{"momentum", "accumulate"},
                                         Training{"adam", "fused"}, Training{"adam", "buffered"}),
                         [](const auto& each) {
                           return each.param.optimizer + std::string("_") + each.param.update;
                         });

// The driver of docs/examples/cortex-m4 keeps pages and states in NOR flash, by a chip's rules.
TEST_F(Export, PagesAndSavesToNorFlash) {
  const std::string model =
      folder_.write("net.json", R"({"format": "poet-model", "version": 2, "name": "net",
 "input": {"shape": [1, 2, 16, 16]}, "layers": [
 {"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 3, "padding": 1},
 {"name": "relu1", "op": "relu", "inputs": ["conv1"]},
 {"name": "conv2", "op": "conv2d", "inputs": ["relu1"], "out_channels": 8, "kernel": 3, "padding": 1},
 {"name": "relu2", "op": "relu", "inputs": ["conv2"]},
 {"name": "conv3", "op": "conv2d", "inputs": ["relu2"], "out_channels": 8, "kernel": 3, "padding": 1},
 {"name": "relu3", "op": "relu", "inputs": ["conv3"]},
 {"name": "pool", "op": "global_avg_pool", "inputs": ["relu3"]},
 {"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": 3},
 {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]})");
  json platform = json::parse(contents_of(POET_SOURCE_DIR "/platforms/m4.json"));
  platform["name"] = "nor";
  platform["block_bytes"] = 4096;
  const std::string path = folder_.write("nor.json", platform.dump());
  const Finished solved = poet_solve(
      Words{"--model", model, "--platform", path, "--ram-budget", "min", "--runtime-budget", "3",
            "--backward", "exact", "--effort", "fast", "--no-remat", "--output", schedule_});
  ASSERT_EQ(solved.status, 0) << solved.err;
  const json schedule = json::parse(contents_of(schedule_));
  const json& program = schedule["program"];
  ASSERT_TRUE(std::any_of(program.begin(), program.end(),
                          [](const json& each) { return each["op"] == "page_out"; }));
  ASSERT_EQ(exported(schedule_, {"--model", model}).status, 0);
  const std::string example = POET_SOURCE_DIR "/docs/examples/cortex-m4";
  const std::string support = POET_SOURCE_DIR "/tests/support";
  const Words words = kWarned + Words{"-I" + example, "-I" + support, support + "/exported_nor.c",
                                      support + "/nor_chip.c", example + "/storage_nor.c"};
  const Finished finished = run_step(linked(words), {});
  ASSERT_EQ(finished.status, 0) << finished.out;
  const Finished host = poet_solve({"run", schedule_, "--model", model, "--steps", "3"});
  ASSERT_EQ(host.status, 0) << host.err;
  const std::vector<std::string> lines = lines_of(finished.out);
  const json losses = json::parse(host.out)["losses"];
  ASSERT_EQ(lines.size(), 4U) << finished.out;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::stod(lines[i]), losses[i].get<double>());
  EXPECT_GE(std::stoi(lines[3]), 3);  // each of three steps erases where it pages to
}

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
