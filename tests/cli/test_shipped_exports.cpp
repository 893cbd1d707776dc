// What a company ships: whose each file of an export is, a program to begin with, and two networks
// in one program.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

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

/// The number behind a macro.
std::int64_t macro_of(const std::string& header, const std::string& name) {
  const std::size_t at = header.find(fmt::format("#define POET_{} ", name));
  return std::stoll(header.substr(header.find(' ', at + 8)));
}

// The sum of RAM is the bytes of the arrays that a linker places, and of the stack; what a summary
// counts has the bytes there.
TEST_F(Shipped, TheSumOfRamIsWhatTheLinkerPlaces) {
  const std::string accumulating =
      folder_.write("kept.json", norm_model("momentum\", \"update\": \"accumulate", 3));
  const std::string adam = folder_.write("adam.json", norm_model("adam", 5));
  for (const auto& [model, ram] :
       {std::pair(std::string("linear"), "100%"), std::pair(std::string("ds_cnn"), "60%"),
        std::pair(accumulating, "min"), std::pair(adam, "100%")}) {
    const std::string path = solved(model, ram);
    ASSERT_EQ(exported(path, {"--model", model}).status, 0);
    const std::string program =
        linked({"-std=c11", "-O0", "-ffp-contract=off", plan_ + "/examples/main.c"});
    std::int64_t placed = 0;
    int arrays = 0;
    for (const std::string& line : lines_of(compile(POET_NM, {"-S", "--radix=d", program}).out)) {
      std::istringstream words(line);
      std::string address, size, kind, name;
      words >> address >> size >> kind >> name;
      if (kind != "b" || name == "storage") continue;
      if (name.find('.') != std::string::npos) continue;  // of the C library
      placed += std::stoll(size);
      ++arrays;
    }
    EXPECT_GE(arrays, 4);
    const std::string header = file_of("poet_plan.h");
    EXPECT_EQ(macro_of(header, "TOTAL_RAM_BYTES"), placed + macro_of(header, "STACK_BYTES"));
    const json summary = json::parse(contents_of(path)).at("summary");
    const json& terms = summary.at("memory").at("exported");
    EXPECT_EQ(terms.size(), 8U);
    for (const auto& [key, bytes] : terms.items()) {
      std::string macro = key;
      std::transform(key.begin(), key.end(), macro.begin(), [](char c) { return std::toupper(c); });
      EXPECT_EQ(macro_of(header, macro), bytes) << model << " " << key;
    }
    EXPECT_EQ(terms.at("arena_bytes"), summary.at("peak_ram_bytes"));
  }
}

// Above 100 KB, constants and given parameters are words, with the same bits.
TEST_F(Shipped, LargeArraysAreWords) {
  const Words options{"-std=c11",   "-O1",          "-Wall",   "-Wextra",
                      "-Wpedantic", "-Wconversion", "-Werror", "-ffp-contract=off"};
  const std::string path = solved("linear", "100%");
  const std::string trained = folder_.file("trained.npz");
  const auto run_with = [&](const Words& words) {
    return document(poet_solve(Words{"run", path, "--model", "linear", "--steps", "3"} + words));
  };
  run_with({"--parameters-output", trained});
  ASSERT_EQ(exported(path, {"--model", "linear", "--parameters", trained}).status, 0);
  EXPECT_THAT(file_of("poet_parameters.c"),
              HasSubstr("const uint32_t poet_reset_parameters_words[] = {\n  /* fc1 */\n  0x"));
  EXPECT_LT(file_of("poet_parameters.c").size(),
            12 * static_cast<std::size_t>(macro_of(file_of("poet_plan.h"), "PARAMETER_COUNT")));
  const Words main{plan_ + "/examples/main.c", plan_ + "/poet_parameters.c"};
  std::vector<double> losses;
  for (const double loss :
       run_with({"--parameters", trained}).at("losses").get<std::vector<double>>())
    losses.push_back(std::stod(fmt::format("{:.9g}", loss)));
  EXPECT_EQ(losses_of(run_step(linked(options + main), {})), losses);
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
