// The files of the command that writes schedules for devices, and what it refuses.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

const Words kWarnings{"-std=c99", "-Wall",   "-Wextra", "-Wpedantic",       "-Wconversion",
                      "-Wshadow", "-Wundef", "-Werror", "-ffp-contract=off"};
// Names of layers come from the user, and stand in comments, strings and identifiers.
TEST_F(Export, WritesCThatCompilersTakeWithoutAWarningWhateverNamesThereAre) {
  const std::string model = folder_.write("odd.json", R"({"format": "poet-model", "version": 2,
    "name": "*/ #error ??/", "input": {"shape": [2, 4]}, "layers": [
    {"name": "*/ \"a\" /* \\", "op": "linear", "inputs": ["input"], "out_features": 6},
    {"name": "a b", "op": "linear", "inputs": ["*/ \"a\" /* \\"], "out_features": 6},
    {"name": "a-b", "op": "linear", "inputs": ["a b"], "out_features": 3},
    {"name": "count", "op": "linear", "inputs": ["a-b"], "out_features": 3},
    {"name": "é??/%n", "op": "cross_entropy", "inputs": ["count"], "classes": 3}]})");
  ASSERT_EQ(exported(solved(model, "100%"), {"--model", model}).status, 0);
  for (const std::string& compiler :
       {std::string(POET_CC), std::string(POET_OTHER_CC), std::string(POET_ARM_CC)}) {
    if (compiler.empty()) continue;
    for (const std::string& name : kCFiles) {
      const Finished finished =
          compile(compiler, kWarnings + Words{"-I" + plan_, "-c", plan_ + "/" + name, "-o",
                                              folder_.file("object.o")});
      EXPECT_EQ(finished.status, 0) << compiler << " " << name << "\n" << finished.err;
    }
  }
  EXPECT_EQ(run_step(built(), {"1", "1", folder_.file("gradients")}).status, 0);
}

TEST_F(Export, WritesTheSameFilesEachTime) {
  const std::string path = solved("ds_cnn", "60%");
  ASSERT_EQ(exported(path, {"--model", "ds_cnn"}).status, 0);
  std::vector<std::string> names;
  std::map<std::string, std::string> first;
  for (const auto& entry : std::filesystem::directory_iterator(plan_)) {
    const std::string name = entry.path().filename().string();
    names.push_back(name);
    if (entry.is_regular_file()) first[name] = contents_of(entry.path().string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_THAT(names,
              ElementsAre("CMakeLists.txt", "LICENSE", "README.md", "examples", "idf_component.yml",
                          "library.json", "library.properties", "poet.mk", "poet_block.h",
                          "poet_constants.c", "poet_conv.h", "poet_copies.h", "poet_gates.h",
                          "poet_kernels.c", "poet_kernels.h", "poet_lanes.h", "poet_math.c",
                          "poet_math.h", "poet_plan.c", "poet_plan.h", "poet_product.h",
                          "poet_runtime.c", "poet_runtime.h", "poet_seed.c", "poet_seed.h",
                          "poet_sink.h", "poet_state.c", "poet_state.h", "zephyr"));
  ASSERT_EQ(exported(path, {"--model", "ds_cnn"}).status, 0);
  for (const auto& [name, text] : first) EXPECT_EQ(file_of(name), text) << name;
}

TEST_F(Export, WritesAnOfflineMemoryPlanOfAnySchedule) {
  poet_solve(quick_problem() + Words{"--output", schedule_});
  ASSERT_EQ(exported(schedule_, {"--format", "tflm"}).status, 0);
  const std::string metadata = file_of("offline_memory_plan.bin");
  const std::vector<std::string> rows = lines_of(file_of("offline_memory_plan.csv"));
  ASSERT_EQ(metadata.size() % 4, 0U);
  std::vector<std::int32_t> numbers(metadata.size() / 4);
  std::memcpy(numbers.data(), metadata.data(), metadata.size());
  ASSERT_GT(numbers.size(), 3U);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], 1);
  ASSERT_EQ(static_cast<std::size_t>(numbers[2]) + 3, numbers.size());
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(numbers[2]) + 1);
  EXPECT_EQ(rows[0], "tensor,node,name,first,end,offset,bytes");

  // Each computation and page-in begins a tensor, at the offset that `place` gives it.
  const json placed = document(poet_solve({"place", schedule_}));
  std::size_t tensor = 0;
  int number = 0;
  for (const json& step : placed.at("program")) {
    if (step.contains("offset")) {
      ASSERT_LT(tensor + 1, rows.size());
      EXPECT_EQ(numbers[tensor + 3], step.at("offset").get<int>());
      EXPECT_THAT(rows[tensor + 1],
                  testing::StartsWith(fmt::format("{},{},", tensor, step.at("node").get<int>())));
      EXPECT_THAT(rows[tensor + 1], HasSubstr(fmt::format(",{},", number)));
      ++tensor;
    }
    ++number;
  }
  EXPECT_EQ(tensor + 1, rows.size());
}

TEST_F(Export, LeavesOtherFilesAlone) {
  const std::string path = solved("linear", "100%");
  std::filesystem::create_directory(plan_);
  const std::string other = folder_.write("plan/notes.txt", "mine");
  const std::string own = folder_.write("plan/program.csv", "earlier");
  const Finished refused = exported(path, {"--format", "csv"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--output: "), HasSubstr("found 'notes.txt'")));
  EXPECT_EQ(contents_of(own), "earlier");
  EXPECT_EQ(exported(path, {"--format", "csv", "--force"}).status, 0);
  EXPECT_EQ(contents_of(other), "mine");
  EXPECT_THAT(contents_of(own), HasSubstr("instruction,op,"));
}

TEST_F(Export, RefusesWhatIsNoTrainingStepInFloatsAndWritesNothing) {
  const std::string chain = folder_.file("chain.json");
  poet_solve(quick_problem() + Words{"--output", chain});
  EXPECT_THAT(exported(chain, {"--model", "linear"}).err,
              HasSubstr("the backward pass 'poet-chain', which is not a training"));

  const std::string small = folder_.write("int8.json", R"({"format": "poet-model", "version": 2,
    "name": "int8", "dtype": "int8", "input": {"shape": [2, 4]}, "layers": [
    {"name": "fc", "op": "linear", "inputs": ["input"], "out_features": 3},
    {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]})");
  const std::string schedule = solved(small, "100%");
  EXPECT_THAT(exported(schedule, {"--model", small}).err,
              HasSubstr("found elements of 1 byte; expected 4"));
  EXPECT_THAT(exported(schedule, {"--model", "linear"}).err,
              HasSubstr("found a model with the SHA-256"));
  EXPECT_THAT(exported(schedule, {}).err, HasSubstr("--model"));
  EXPECT_THAT(exported(schedule, {"--model", small, "--format", "rust"}).err,
              HasSubstr("--format"));
  EXPECT_THAT(poet_solve({"export", schedule, "--model", small}).err, HasSubstr("--output"));
  EXPECT_EQ(poet_solve({"export", "-", "--model", "-", "--output", plan_}, "{}").status, 2);

  json changed = json::parse(contents_of(solved("linear", "60%", {"--no-remat"})));
  changed["program"].erase(changed["program"].size() - 1);
  const Finished invalid =
      exported(folder_.write("changed.json", changed.dump()), {"--model", "linear"});
  EXPECT_EQ(invalid.status, 5);
  EXPECT_THAT(invalid.err, HasSubstr("nothing was written"));
  EXPECT_FALSE(std::filesystem::exists(plan_));
}

// The tensor is in RAM all the same, as other nodes read it later.
TEST_F(Export, NamesTheNodeThatLacksAnInput) {
  json lacking = json::parse(contents_of(solved("linear", "100%")));
  for (json& node : lacking["nodes"]) {
    if (node.at("name") == "fc2") node["inputs"] = json::array();
  }
  const std::string path = folder_.write("lacking.json", lacking.dump());
  EXPECT_EQ(poet_solve({"verify", path}).status, 0);
  const Finished run = exported(path, {"--model", "linear"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("lacking.json: the schedule's node 'fc2' has no input 'relu1'"));
  EXPECT_FALSE(std::filesystem::exists(plan_));
}

TEST_F(Export, RefusesOffsetsThatAFloatCannotHave) {
  const std::string path = solved("linear", "100%");
  json placed = document(poet_solve({"place", path}));
  const auto end = placed["summary"]["arena_bytes"].get<std::int64_t>();
  for (json& step : placed["program"]) {
    if (step.contains("offset")) step["offset"] = step["offset"].get<std::int64_t>() + 2;
  }
  placed["summary"]["arena_bytes"] = end + 2;
  const Finished odd = exported(folder_.write("odd.json", placed.dump()), {"--model", "linear"});
  EXPECT_EQ(odd.status, 5);
  EXPECT_THAT(odd.err, HasSubstr("expected a multiple of 4"));
  EXPECT_FALSE(std::filesystem::exists(plan_));
}

TEST_F(Export, TakesParametersThatFit) {
  const std::string arrays = POET_TEST_DATA "/arrays/";
  const std::string model = arrays + "model.json";
  const std::string schedule = solved(model, "100%");
  const Finished found =
      exported(schedule, {"--model", model, "--parameters", arrays + "stored.npz"});
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(file_of("poet_plan.c"), HasSubstr(".reset = poet_reset_parameters"));
  EXPECT_THAT(file_of("poet_parameters.c"), HasSubstr("/* conv */"));
  EXPECT_THAT(file_of("poet.mk"), HasSubstr("poet_parameters.c"));
  std::filesystem::remove_all(plan_);
  const auto expect_error = [&](const Words& options, const std::string& part) {
    const Finished refused = exported(schedule, options);
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(plan_));
  };
  expect_error({"--model", model, "--parameters", arrays + "input.npy"}, "--parameters: ");
  expect_error({"--format", "csv", "--parameters", arrays + "stored.npz"},
               "--parameters: found with --format csv");
  expect_error({"--model", model, "--parameters", folder_.file("none.npz")}, "No such file");
}

}  // namespace
}  // namespace poet::test
