// What a company ships: whose each file of an export is, a program to begin with, and two networks
// in one program.
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

using Shipped = Export;

constexpr const char* kApache = "SPDX-License-Identifier: Apache-2.0";
constexpr const char* kOwner = "SPDX-License-Identifier: LicenseRef-Model-Owner";

std::string norm_model(const std::string& optimizer, int classes) {
  return fmt::format(R"({{"format": "poet-model", "version": 2, "name": "net", "optimizer": "{}",
 "input": {{"shape": [2, 2, 8, 8]}}, "layers": [
 {{"name": "poet_conv", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 3}},
 {{"name": "bn", "op": "batch_norm2d", "inputs": ["poet_conv"]}},
 {{"name": "relu", "op": "relu", "inputs": ["bn"]}},
 {{"name": "pool", "op": "global_avg_pool", "inputs": ["relu"]}},
 {{"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": {}}},
 {{"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": {}}}]}})",
                     optimizer, classes, classes);
}

Words sources_of(const std::string& folder) {
  Words sources;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".c") sources.push_back(entry.path().string());
  }
  return sources;
}

std::vector<double> losses_of(const Finished& finished) {
  std::vector<double> losses;
  for (const std::string& line : lines_of(finished.out)) losses.push_back(std::stod(line));
  return losses;
}

TEST_F(Shipped, EveryFileSaysItsLicence) {
  for (const auto& entry : std::filesystem::directory_iterator(POET_SOURCE_DIR "/runtime")) {
    if (const auto kind = entry.path().extension(); kind != ".c" && kind != ".h") continue;
    EXPECT_THAT(contents_of(entry.path().string()),
                testing::StartsWith(fmt::format("/* {} */\n", kApache)))
        << entry.path();
  }
  const std::string path = solved("linear", "100%");
  ASSERT_EQ(
      poet_solve({"--model", "linear", "--backward", "none", "--platform", "m4", "--ram-budget",
                  "min", "--runtime-budget", "3", "--output", folder_.file("forward.json")})
          .status,
      0);
  ASSERT_EQ(
      exported(path, {"--model", "linear", "--inference", folder_.file("forward.json")}).status, 0);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(plan_)) {
    if (entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    const std::string text = contents_of(entry.path().string());
    ++files;
    if (name == "LICENSE") {
      EXPECT_EQ(text, contents_of(POET_SOURCE_DIR "/LICENSE"));
    } else if (name == "library.json") {
      EXPECT_EQ(json::parse(text).at("license"), "Apache-2.0");
    } else {
      const bool is_of_model = name.starts_with("poet_plan.") || name == "poet_constants.c" ||
                               name.starts_with("poet_inference.");
      EXPECT_THAT(text.substr(0, text.find('\n')), HasSubstr(is_of_model ? kOwner : kApache))
          << name;
    }
  }
  EXPECT_GT(files, 30);
}

// The program of the folder trains on the data of a seed, as `run` does: with pages, moments and
// statistics, and as a forward pass.
TEST_F(Shipped, TheProgramOfTheFolderDoesWhatRunDoes) {
  const std::string model = folder_.write("net.json", norm_model("momentum", 3));
  const Words warned{"-std=c11",     "-O1",      "-Wall",   "-Wextra",          "-Wpedantic",
                     "-Wconversion", "-Wshadow", "-Werror", "-ffp-contract=off"};
  for (const char* backward : {"exact", "none"}) {
    const std::string path = solved(model, "min", {"--no-remat"});
    if (backward == std::string("none")) {
      ASSERT_EQ(
          poet_solve({"--model", model, "--backward", "none", "--platform", "m4", "--ram-budget",
                      "min", "--runtime-budget", "3", "--replace", "--output", path})
              .status,
          0);
    }
    ASSERT_EQ(exported(path, {"--model", model}).status, 0);
    const Finished finished = run_step(linked(warned + Words{plan_ + "/examples/main.c"}), {});
    ASSERT_EQ(finished.status, 0) << finished.out;
    const json run = document(poet_solve(
        {"run", path, "--model", model, "--steps", backward == std::string("none") ? "1" : "3"}));
    if (run.contains("losses") && backward == std::string("exact")) {
      EXPECT_THAT(file_of("poet_plan.c"), HasSubstr("POET_PAGE_IN"));
      std::vector<double> rounded;
      for (const double loss : run.at("losses").get<std::vector<double>>())
        rounded.push_back(std::stod(fmt::format("{:.9g}", loss)));
      EXPECT_EQ(losses_of(finished), rounded);
    } else {
      std::string bits;
      for (const double value : losses_of(finished)) {
        const auto number = static_cast<float>(value);
        bits.append(reinterpret_cast<const char*>(&number), sizeof number);
      }
      EXPECT_EQ(sha256_hex(bits), run.at("outputs").at(0).at("sha256"));
    }
  }
}

// Each has a name of its own, and the bits of its own run.
TEST_F(Shipped, TwoNetworksAreInOneProgram) {
  Words sources;
  std::vector<std::string> expected;
  std::string program = "#include <stdio.h>\n";
  std::string calls;
  for (const auto& [name, optimizer, classes] :
       {std::tuple("kws", "adam", 3), std::tuple("vww_2", "sgd", 4)}) {
    const std::string model =
        folder_.write(fmt::format("{}.json", name), norm_model(optimizer, classes));
    const std::string path = solved(model, "100%");
    const std::string folder = folder_.file(name);
    ASSERT_EQ(
        poet_solve({"export", path, "--model", model, "--name", name, "--output", folder}).status,
        0);
    EXPECT_THAT(contents_of(folder + fmt::format("/{}_plan.c", name)), HasSubstr("{\"poet_conv\""));
    sources = sources + sources_of(folder) + Words{"-I" + folder};
    const json run = document(poet_solve({"run", path, "--model", model, "--steps", "3"}));
    for (const json& loss : run.at("losses"))
      expected.push_back(fmt::format("{:.9g}", loss.get<double>()));
    std::string main = contents_of(folder + "/examples/main.c");
    EXPECT_EQ(main.find("poet_"), std::string::npos);
    main.replace(main.find("int main"), 8, fmt::format("int train_{}", name));
    sources.push_back(folder_.write(fmt::format("train_{}.c", name), main));
    program += fmt::format("int train_{}(void);\n", name);
    calls += fmt::format("train_{}() || ", name);
  }
  sources.push_back(
      folder_.write("main.c", program + "int main(void) { return " + calls + "0; }\n"));
  const std::string binary = folder_.file("both");
  const Finished linked = compile(
      POET_CC, Words{"-std=c11", "-O1", "-ffp-contract=off", "-Wall", "-o", binary} + sources);
  ASSERT_EQ(linked.status, 0) << linked.err;
  const Finished finished = run_step(binary, {});
  ASSERT_EQ(finished.status, 0) << finished.out;
  EXPECT_EQ(lines_of(finished.out), expected);
  EXPECT_EQ(compile(POET_NM, {binary}).out.find("poet_"), std::string::npos);
}

TEST_F(Shipped, ANameThatTheSourcesUseIsRefused) {
  const std::string path = solved("linear", "100%");
  for (const char* name : {"call", "Kws", "2nd", "a__b", "a_", "a-b"}) {
    const Finished refused = exported(path, {"--model", "linear", "--name", name});
    EXPECT_EQ(refused.status, 2) << name;
    EXPECT_THAT(refused.err, HasSubstr("--name")) << name;
    EXPECT_FALSE(std::filesystem::exists(plan_));
  }
  EXPECT_THAT(exported(path, {"--name", "kws", "--format", "csv"}).err,
              HasSubstr("--name: found with --format csv"));
}

}  // namespace
}  // namespace poet::test
