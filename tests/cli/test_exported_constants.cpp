// Parameters that are not trained lie in flash: they take no RAM of what `export` writes, which
// then is the RAM that was budgeted, and nothing writes them.
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

const std::string kExample = POET_SOURCE_DIR "/docs/examples/cortex-m4/";

const std::set<std::string> kFirstFour{"conv1", "conv2", "conv3", "conv4"};

/// The example's network with these layers frozen, and other keys.
json frozen_cnn(const std::set<std::string>& frozen, const json& keys = json::object()) {
  json model = json::parse(contents_of(kExample + "small_cnn.json"));
  model.update(keys);
  for (json& layer : model.at("layers")) {
    if (frozen.contains(layer.at("name").get<std::string>())) layer["trainable"] = false;
  }
  return model;
}

class ExportedConstants : public Export {
 protected:
  std::string model_of(const json& model) const {
    return folder_.write("frozen.json", model.dump());
  }

  /// Solves for the example's chip, which has flash.
  json solved_for_chip(const std::string& model, const std::string& ram,
                       const Words& options = {}) const {
    const Finished finished = poet_solve(
        problem(model, kExample + "netduinoplus2.json", ram, "2") +
        Words{"--effort", "fast", "--time-limit-s", "5", "--replace", "--output", schedule_} +
        options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return json::parse(contents_of(schedule_)).at("summary");
  }

  /// Returns what training needs beside tensors, as it was budgeted.
  json exported_for_chip(const std::string& model) const {
    json memory = solved_for_chip(model, "100%").at("memory");
    const Finished finished = exported(schedule_, {"--model", model});
    EXPECT_EQ(finished.status, 0) << finished.err;
    return memory;
  }

  /// Three steps of an exported program from the seed 7.
  void expect_bits_of_run(const std::string& program, const std::string& model) const {
    const std::string gradients = folder_.file("gradients");
    const Finished step = run_step(program, {"3", "7", gradients});
    ASSERT_EQ(step.status, 0) << step.out << step.err;
    expect_same(
        document(poet_solve({"run", schedule_, "--model", model, "--steps", "3", "--seed", "7"})),
        step.out, contents_of(gradients));
  }

  void expect_count(const std::string& name, std::int64_t count) const {
    EXPECT_THAT(file_of("poet_plan.h"), HasSubstr(fmt::format("#define POET_{} {} ", name, count)));
  }

  /// A program of a step with no more than what `members` of its memory are given.
  Finished run_main(const std::string& members) const {
    const std::string source = folder_.write("main.c", R"(#include "poet_plan.h"
static _Alignas(64) unsigned char arena[POET_ARENA_BYTES];
static float parameters[POET_PARAMETER_COUNT], input[POET_INPUT_0_COUNT];
static int32_t target[POET_TARGET_0_COUNT];
int main(void) {
  const void* inputs[] = {input};
  const void* targets[] = {target};
  struct poet_memory m = {.arena = arena, .inputs = inputs, .targets = targets,
                          .parameters = parameters)" + members +
                                                           R"(};
  poet_initialise(&poet_plan, &m, 1);
  return poet_step(&poet_plan, &m, 0) + 100;
})");
    Words words{"-std=c11", "-ffp-contract=off", "-I" + plan_, "-o", folder_.file("main"), source};
    for (const std::string& name : kCFiles) words.push_back(plan_ + "/" + name);
    const Finished compiled = compile(POET_CC, words);
    EXPECT_EQ(compiled.status, 0) << compiled.err;
    return run_step(folder_.file("main"), {});
  }
};

TEST_F(ExportedConstants, NeedTheRamAndTheFlashOfTheBudget) {
  const std::string model = model_of(frozen_cnn(kFirstFour));
  const json memory = exported_for_chip(model);
  EXPECT_EQ(memory.at("parameters_bytes"), 15320);
  EXPECT_EQ(memory.at("flash_bytes"), 26448);
  expect_count("PARAMETER_COUNT", 15320 / 4);
  expect_count("CONSTANT_COUNT", 26448 / 4);
  EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_CONSTANT_FIRST_CONV2 224\n"));
  EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_FIRST_CONV5 0\n"));
}

// Read-only data of a process: a kernel that wrote there would end it. Gradients pass through the
// frozen layers.
TEST_F(ExportedConstants, LieInReadOnlyMemoryAndGiveTheBitsOfRun) {
  for (const auto& [update, optimizer] :
       {std::pair("fused", "sgd"), {"buffered", "momentum"}, {"accumulate", "adam"}}) {
    SCOPED_TRACE(update);
    const std::string model =
        model_of(frozen_cnn({"conv2", "conv4"}, {{"update", update}, {"optimizer", optimizer}}));
    EXPECT_GT(solved_for_chip(model, "80%", {"--no-paging"}).at("recompute_count"), 0);
    ASSERT_EQ(exported(schedule_, {"--model", model, "--seed", "7"}).status, 0);
    const std::string program = built();
    const Finished symbols = compile(POET_NM, {"-S", program});
    EXPECT_THAT(symbols.out, HasSubstr(fmt::format("{:016x} R poet_constants\n", 16272)));
    expect_bits_of_run(program, model);
  }
}

/// Each kernel that reads bytes, between layers that are trained, so that gradients pass as well.
constexpr const char* kLayersOfBytes = R"({
  "format": "poet-model", "version": 2, "name": "bytes", "input": {"shape": ["N", 3, 9, 8]}, "layers": [
    {"name": "first", "op": "conv2d", "inputs": ["input"], "out_channels": 6, "kernel": 3},
    {"name": "apart", "op": "conv2d", "inputs": ["first"], "out_channels": 6, "kernel": 3, "groups": 6,
     "padding": 1},
    {"name": "groups", "op": "conv2d", "inputs": ["apart"], "out_channels": 8, "kernel": 3, "groups": 2,
     "stride": 2, "padding": "same"},
    {"name": "point", "op": "conv2d", "inputs": ["groups"], "out_channels": 5, "kernel": 1, "bias": false},
    {"name": "row", "op": "reshape", "inputs": ["point"], "shape": ["N", 5, 12]},
    {"name": "signal", "op": "conv1d", "inputs": ["row"], "out_channels": 7, "kernel": 3, "dilation": 2},
    {"name": "flat", "op": "flatten", "inputs": ["signal"]},
    {"name": "dense", "op": "linear_relu", "inputs": ["flat"], "out_features": 9},
    {"name": "plain", "op": "linear", "inputs": ["dense"], "out_features": 6, "bias": false},
    {"name": "last", "op": "linear", "inputs": ["plain"], "out_features": 4},
    {"name": "loss", "op": "cross_entropy", "inputs": ["last"], "classes": 4}]})";

/// A weight of one byte in these layers, or but these.
json with_bytes(json model, const std::set<std::string>& layers, bool are_bytes = true) {
  for (json& layer : model.at("layers")) {
    if (layers.contains(layer.at("name").get<std::string>()) != are_bytes) continue;
    layer["trainable"] = false;
    layer["frozen_weights"] = "int8";
  }
  return model;
}

// Bytes on the device, and floats in a run.
TEST_F(ExportedConstants, OfOneByteGiveTheBitsOfRun) {
  const std::string model = model_of(
      with_bytes(json::parse(kLayersOfBytes), {"first", "last", "row", "flat", "loss"}, false));
  const json memory = solved_for_chip(model, "100%", {"--batch-size", "2"}).at("memory");
  const Finished written = exported(schedule_, {"--model", model, "--seed", "7"});
  ASSERT_EQ(written.status, 0) << written.err;
  // 3 x 3 for each of 6 filters, 3 x 3 x 3 for each of 8, and so on; a scale for each filter or
  // output, and biases but for two layers.
  constexpr int kWeights = 6 * 9 + 8 * 27 + 5 * 8 + 7 * 15 + 9 * 56 + 6 * 9;
  constexpr int kFloats = 2 * (6 + 8 + 7 + 9) + 5 + 6;
  expect_count("CONSTANT_BYTE_COUNT", kWeights);
  expect_count("CONSTANT_COUNT", kFloats);
  EXPECT_EQ(memory.at("flash_bytes"), kWeights + 4 * kFloats);
  EXPECT_THAT(written.err, HasSubstr(fmt::format("constants {}", kWeights + 4 * kFloats)));
  EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_BYTE_FIRST_GROUPS 54\n"));
  const std::string program = built();
  const Finished symbols = compile(POET_NM, {"-S", program});
  EXPECT_THAT(symbols.out, HasSubstr(fmt::format("{:016x} R poet_constant_bytes\n", kWeights)));
  expect_bits_of_run(program, model);
}

/// Gradients of every kind of layer that reads its weight from a copy, in little RAM.
TEST_F(ExportedConstants, AreCopiedBeforeTheyAreUsedWithTheBitsOfRun) {
  const std::set<std::string> copied{"apart", "groups", "signal", "dense"};
  json layers = json::parse(kLayersOfBytes);
  for (json& layer : layers.at("layers")) {
    if (!copied.contains(layer.at("name").get<std::string>())) continue;
    layer["trainable"] = false;
    layer["frozen_parameters"] = "copied";
  }
  const std::string model = model_of(layers);
  const json summary = solved_for_chip(model, "95%", {"--no-paging", "--batch-size", "2"});
  EXPECT_GT(summary.at("recompute_count"), 0);
  constexpr int kFloats = 6 * 9 + 6 + 8 * 27 + 8 + 7 * 15 + 7 + 9 * 56 + 9;
  EXPECT_EQ(summary.at("memory").at("flash_bytes"), 4 * kFloats);
  const Finished written = exported(schedule_, {"--model", model, "--seed", "7"});
  ASSERT_EQ(written.status, 0) << written.err;
  expect_count("CONSTANT_COUNT", kFloats);
  // The copies alone read constants.
  const std::string plan = file_of("poet_plan.c");
  EXPECT_THAT(plan, HasSubstr("poet_copy("));
  std::set<std::string> constants;
  for (std::size_t at = 0; (at = plan.find("{POET_CONSTANTS, ", at)) != std::string::npos; ++at) {
    constants.insert(plan.substr(at, plan.find('}', at) - at));
  }
  EXPECT_EQ(constants.size(), 4U);
  expect_bits_of_run(built(), model);
}

// A file of parameters keeps floats, and what has been rounded is not rounded once more.
TEST_F(ExportedConstants, OfOneByteAreRoundedOnce) {
  const json usual = frozen_cnn(kFirstFour);
  const std::string model = model_of(with_bytes(usual, kFirstFour));
  solved_for_chip(model, "100%");
  const std::string parameters = folder_.file("parameters.npz");
  const json first = document(poet_solve(
      {"run", schedule_, "--model", model, "--seed", "7", "--parameters-output", parameters}));
  ASSERT_EQ(exported(schedule_, {"--model", model, "--seed", "7"}).status, 0);
  const auto bytes = [&] {
    const std::string source = file_of("poet_constants.c");
    return source.substr(source.find("#include"));
  };
  const std::string of_seed = bytes();
  ASSERT_EQ(exported(schedule_, {"--model", model, "--parameters", parameters}).status, 0);
  EXPECT_EQ(bytes(), of_seed);
  // Rounding has changed something, and not much.
  const std::string floats = model_of(usual);
  solved_for_chip(floats, "100%");
  const json other = document(poet_solve({"run", schedule_, "--model", floats, "--seed", "7"}));
  EXPECT_NE(first.at("losses")[0], other.at("losses")[0]);
  EXPECT_NEAR(first.at("losses")[0].get<double>(), other.at("losses")[0].get<double>(), 0.05);
}

// What `run` has trained goes on on the device: frozen parameters, and trained ones that
// poet_initialise() copies.
TEST_F(ExportedConstants, AndTrainedParametersMayBeGiven) {
  const std::string model = model_of(frozen_cnn({"conv2", "conv4"}, {{"optimizer", "momentum"}}));
  solved_for_chip(model, "80%", {"--no-paging"});
  const std::string parameters = folder_.file("p.npz");
  const Words run{"run", schedule_, "--model", model, "--steps", "3", "--seed", "7"};
  ASSERT_EQ(poet_solve(run + Words{"--parameters-output", parameters}).status, 0);
  const Finished written = exported(schedule_, {"--model", model, "--parameters", parameters});
  ASSERT_EQ(written.status, 0) << written.err;
  const std::string program = built({plan_ + "/poet_parameters.c"});
  const Finished symbols = compile(POET_NM, {"-S", program});
  EXPECT_THAT(symbols.out, HasSubstr("R poet_reset_parameters\n"));
  const std::string gradients = folder_.file("gradients");
  const Finished step = run_step(program, {"3", "7", gradients});
  ASSERT_EQ(step.status, 0) << step.out << step.err;
  expect_same(document(poet_solve(run + Words{"--parameters", parameters})), step.out,
              contents_of(gradients));
}

TEST_F(ExportedConstants, HaveToBeGiven) {
  exported_for_chip(model_of(frozen_cnn(kFirstFour)));
  EXPECT_EQ(run_main("").status, 97);
  EXPECT_EQ(run_main(", .constants = poet_constants").status, 100);
}

// Steps of such models go on without the pointer, in the directory of an export that has constants.
TEST_F(ExportedConstants, AreNotNeededIfEverythingIsTrained) {
  exported_for_chip(model_of(frozen_cnn(kFirstFour)));
  const json memory = exported_for_chip(kExample + "small_cnn.json");
  EXPECT_EQ(memory.at("parameters_bytes"), 41768);
  EXPECT_EQ(memory.value("flash_bytes", 0), 0);
  expect_count("PARAMETER_COUNT", 41768 / 4);
  expect_count("CONSTANT_COUNT", 0);
  EXPECT_EQ(run_main("").status, 100);
}

}  // namespace
}  // namespace poet::test
