// A device that trains and then classifies computes what `run` computes of both.
#include <filesystem>

#include <fmt/format.h>

#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

/// Norms of three kinds: trained, without gradients, and frozen if `frozen` says so; what is
/// dropped in a training; a pool with indices, which are bytes; two outputs.
std::string network(bool frozen, const std::string& keys) {
  return R"({"format": "poet-model", "version": 2, "name": "net",)" + keys + R"(
 "input": {"shape": ["N", 2, 9, 9]}, "layers": [
 {"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 6, "kernel": 3, "padding": 1},
 {"name": "bn1", "op": "batch_norm2d", "inputs": ["conv1"], "epsilon": 0.01, "frozen": )" +
         (frozen ? "true" : "false") + R"(},
 {"name": "relu1", "op": "relu", "inputs": ["bn1"]},
 {"name": "drop", "op": "dropout", "inputs": ["relu1"], "rate": 0.25},
 {"name": "conv2", "op": "conv2d", "inputs": ["drop"], "out_channels": 6, "kernel": 3, "padding": 1},
 {"name": "bn2", "op": "batch_norm2d", "inputs": ["conv2"], "trainable": false},
 {"name": "sum", "op": "add", "inputs": ["bn2", "drop"]},
 {"name": "bn3", "op": "batch_norm2d", "inputs": ["sum"], "momentum": 0.3},
 {"name": "pool", "op": "max_pool2d", "inputs": ["bn3"], "kernel": 3, "stride": 2},
 {"name": "flat", "op": "flatten", "inputs": ["pool"]},
 {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 5},
 {"name": "p", "op": "softmax", "inputs": ["fc"]},
 {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 5}]})";
}

class ExportedInference : public Export {
 protected:
  std::string forward_of(const std::string& model, const Words& options = {}) const {
    const std::string path = folder_.file("forward.json");
    const Finished finished = poet_solve(
        problem(model, "m4", "100%", "3") +
        Words{"--backward", "none", "--effort", "fast", "--replace", "--output", path} + options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return path;
  }

  std::string build(const std::string& program, const Words& options) const {
    Words words{"-O1",
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Wshadow",
                "-Wconversion",
                "-Werror",
                "-ffp-contract=off",
                "-I" + plan_,
                "-o",
                folder_.file(program),
                POET_SOURCE_DIR "/tests/support/exported_inference.c"};
    const Finished finished = compile(POET_CC, words + options + compiled_once());
    EXPECT_EQ(finished.status, 0) << finished.err;
    return folder_.file(program);
  }

  std::string in_plan(const std::string& name) const { return plan_ + "/" + name; }

  /// What a run says of its outputs, and what a program has computed.
  static void expect_outputs(const json& run, const Finished& step, const std::string& outputs) {
    ASSERT_EQ(step.status, 0) << step.out << step.err;
    EXPECT_EQ(run.at("equal"), true);
    EXPECT_EQ(std::stod(step.out), run.at("losses")[0].get<double>());
    std::size_t at = 0;
    for (const json& each : run.at("outputs")) {
      const std::size_t bytes = 4 * each.at("count").get<std::size_t>();
      ASSERT_LE(at + bytes, outputs.size());
      EXPECT_EQ(sha256_hex(std::string_view(outputs).substr(at, bytes)), each.at("sha256"))
          << each.at("name");
      at += bytes;
    }
    EXPECT_EQ(at, outputs.size());
    EXPECT_GT(at, 0U);
  }
};

TEST_F(ExportedInference, TrainsAndThenClassifiesWithTheBitsOfRun) {
  struct Case {
    const char* keys;
    Words train, forward;
  };
  const Case cases[] = {
      {R"("optimizer": "momentum",)", {"--batch-size", "4"}, {}},
      {R"("optimizer": "adam", "update": "accumulate",)", {"--no-remat"}, {"--batch-size", "3"}},
      {R"("update": "buffered",)",
       {"--batch-size", "2"},
       {"--batch-size", "2", "--order", "search"}}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.keys);
    const std::string model = folder_.write("net.json", network(false, each.keys));
    const std::string train = solved(model, "70%", each.train);
    const std::string forward = forward_of(model, each.forward);
    const Finished finished =
        exported(train, {"--model", model, "--inference", forward, "--seed", "7"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("; inference in "));
    const std::string program = build(
        "both", {in_plan("poet_plan.c"), in_plan("poet_inference.c"), in_plan("poet_constants.c")});
    const std::string outputs = folder_.file("outputs");
    const Finished step = run_step(program, {"20", "7", outputs});

    const std::string trained = folder_.file("trained.npz");
    const json training = document(poet_solve({"run", train, "--model", model, "--steps", "20",
                                               "--seed", "7", "--parameters-output", trained}));
    EXPECT_EQ(training.at("statistics").size(), 2U);
    const Words run{"run", forward, "--model", model, "--seed", "7"};
    const json inferred = document(poet_solve(run + Words{"--parameters", trained}));
    expect_outputs(inferred, step, contents_of(outputs));
    // Statistics and parameters have an effect.
    EXPECT_NE(document(poet_solve(run)).at("outputs"), inferred.at("outputs"));
  }
}

// The training plan is the one that is written without an inference, but for constants of norms.
TEST_F(ExportedInference, LeavesTheTrainingPlanAsItIs) {
  const std::string model = "ds_cnn";
  const std::string train = solved(model, "70%");
  ASSERT_EQ(exported(train, {"--model", model}).status, 0);
  const std::string source = file_of("poet_plan.c");
  const std::string header = file_of("poet_plan.h");
  const std::string snippet = file_of("poet.mk");
  std::filesystem::remove_all(plan_);
  ASSERT_EQ(exported(train, {"--model", model, "--inference", forward_of(model)}).status, 0);
  EXPECT_EQ(file_of("poet_plan.c"), source);
  EXPECT_EQ(file_of("poet_plan.h"), header);
  EXPECT_THAT(snippet, testing::Not(HasSubstr("poet_inference.c")));
  EXPECT_THAT(file_of("poet.mk"), HasSubstr("poet_inference.c"));
  EXPECT_THAT(file_of("poet_inference.h"), HasSubstr("#define POET_SHARED_ARENA_BYTES "));
}

TEST_F(ExportedInference, IsAPlanOfItsOwnWithoutATraining) {
  const std::string model = folder_.write("net.json", network(false, ""));
  const std::string trained = folder_.file("trained.npz");
  ASSERT_EQ(poet_solve({"run", solved(model, "100%", {"--batch-size", "3"}), "--model", model,
                        "--steps", "3", "--parameters-output", trained})
                .status,
            0);
  const std::string forward = forward_of(model);
  for (const Words& given : {Words{"--parameters", trained}, Words{}}) {
    const Finished finished = exported(forward, Words{"--model", model, "--seed", "9"} + given);
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_PARAMETER_COUNT 0 "));
    EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_OUTPUT_1_COUNT 5 /* p "));
    const std::string program =
        build("alone", {"-DALONE", in_plan("poet_plan.c"), in_plan("poet_constants.c")});
    const std::string outputs = folder_.file("outputs");
    const Finished step = run_step(program, {"0", "9", outputs});
    expect_outputs(
        document(poet_solve(Words{"run", forward, "--model", model, "--seed", "9"} + given)), step,
        contents_of(outputs));
  }
}

TEST_F(ExportedInference, ComputesLossesThatALayerReads) {
  const std::string model = folder_.write("two.json", R"({"format": "poet-model", "version": 2,
 "name": "two", "input": {"shape": ["N", 6]}, "layers": [
 {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
 {"name": "b", "op": "linear", "inputs": ["input"], "out_features": 3},
 {"name": "loss1", "op": "mse", "inputs": ["a"]},
 {"name": "loss2", "op": "cross_entropy", "inputs": ["b"], "classes": 3},
 {"name": "total", "op": "add", "inputs": ["loss1", "loss2"]}]})");
  const std::string forward = forward_of(model);
  ASSERT_EQ(exported(forward, {"--model", model, "--seed", "4"}).status, 0);
  EXPECT_THAT(file_of("poet_plan.c"), HasSubstr(".reads_losses = 1"));
  const std::string program =
      build("alone", {"-DALONE", in_plan("poet_plan.c"), in_plan("poet_constants.c")});
  const std::string outputs = folder_.file("outputs");
  const Finished step = run_step(program, {"0", "4", outputs});
  const json run = document(poet_solve({"run", forward, "--model", model, "--seed", "4"}));
  EXPECT_EQ(run.at("outputs").back().at("name"), "total");
  expect_outputs(run, step, contents_of(outputs));
}

// What a device begins with is what `run` begins with, statistics included.
TEST_F(ExportedInference, BeginsWithGivenStatisticsOfTrainedAndFrozenNorms) {
  const std::string model = folder_.write("net.json", network(false, ""));
  const std::string frozen = folder_.write("frozen.json", network(true, ""));
  const std::string given = folder_.file("given.npz");
  ASSERT_EQ(poet_solve({"run", solved(model, "100%", {"--batch-size", "3"}), "--model", model,
                        "--steps", "3", "--parameters-output", given})
                .status,
            0);
  for (const std::string& each : {model, frozen}) {
    const std::string schedule = solved(each, "100%", {"--batch-size", "2"});
    ASSERT_EQ(exported(schedule, {"--model", each, "--parameters", given}).status, 0);
    EXPECT_THAT(file_of("poet_parameters.c"), HasSubstr("poet_reset_running"));
    const std::string gradients = folder_.file("gradients");
    const Finished step = run_step(built({in_plan("poet_parameters.c")}), {"3", "5", gradients});
    ASSERT_EQ(step.status, 0) << step.out << step.err;
    const json run = document(poet_solve(
        {"run", schedule, "--model", each, "--steps", "3", "--seed", "5", "--parameters", given}));
    expect_same(run, step.out, contents_of(gradients));
    expect_same_statistics(run, contents_of(gradients + ".running"));
  }
}

TEST_F(ExportedInference, RefusesSchedulesThatDoNotGoTogether) {
  const std::string model = folder_.write("net.json", network(false, ""));
  const std::string train = solved(model, "100%");
  const std::string forward = forward_of(model);
  const auto expect_error = [&](const std::string& schedule, const Words& options,
                                const std::string& message) {
    const Finished finished = exported(schedule, options);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(plan_));
  };
  expect_error(train, {"--model", model, "--inference", train}, "solved with --backward none");
  expect_error(forward, {"--model", model, "--inference", forward},
               "the schedule of a forward pass; expected one of a training step");
  expect_error(train, {"--model", model, "--inference", folder_.file("none.json")}, "No such file");
  expect_error(train, {"--format", "csv", "--inference", forward},
               "--inference: found with --format csv");
  expect_error("-", {"--model", model, "--inference", "-"}, "stdin");
  const std::string of_other = forward_of("ds_cnn");
  expect_error(train, {"--model", model, "--inference", of_other},
               "the model 'ds_cnn' which the schedule is about");
}

}  // namespace
}  // namespace poet::test
