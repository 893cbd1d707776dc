#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "cli/poet_solve.hpp"

// Calls of the command that writes schedules for devices, and of compilers for what it wrote.
namespace poet::test {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline const Words kCFiles{"poet_constants.c", "poet_kernels.c", "poet_math.c", "poet_plan.c",
                           "poet_runtime.c",   "poet_seed.c",    "poet_state.c"};

/// Losses and gradients of all steps have to equal what `run` has, bit by bit.
inline void expect_same(const nlohmann::json& run, const std::string& printed,
                        const std::string& gradients) {
  const std::vector<std::string> lines = lines_of(printed);
  const nlohmann::json& losses = run.at("losses");
  ASSERT_GT(lines.size(), losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_EQ(std::stod(lines[i]), losses[i].get<double>()) << "step " << i;
  }
  std::size_t at = 0;
  for (const nlohmann::json& gradient : run.at("gradients")) {
    const std::size_t bytes = 4 * gradient.at("count").get<std::size_t>();
    ASSERT_LE(at + bytes, gradients.size());
    EXPECT_EQ(sha256_hex(std::string_view(gradients).substr(at, bytes)), gradient.at("sha256"))
        << gradient.at("name");
    at += bytes;
  }
  EXPECT_EQ(at, gradients.size());
  EXPECT_GT(at, 0U);
}

/// Likewise the running statistics of batch norms after the last step.
inline void expect_same_statistics(const nlohmann::json& run, const std::string& running) {
  std::size_t at = 0;
  for (const nlohmann::json& norm : run.value("statistics", nlohmann::json::array())) {
    const std::size_t bytes = 4 * norm.at("count").get<std::size_t>();
    ASSERT_LE(at + bytes, running.size());
    EXPECT_EQ(norm.at("equal"), true);
    // Means before variances.
    EXPECT_EQ(sha256_hex(std::string_view(running).substr(at, bytes)), norm.at("sha256"))
        << norm.at("name");
    at += bytes;
  }
  EXPECT_EQ(at, running.size());
}

class Export : public testing::Test {
 protected:
  Finished solve(const std::string& model, const std::string& ram, const Words& options) const {
    return poet_solve(problem(model, "m4", ram, "3") +
                      Words{"--backward", "exact", "--effort", "fast", "--time-limit-s", seconds_,
                            "--replace", "--output", schedule_} +
                      options);
  }

  /// The path of a schedule that there is.
  std::string solved(const std::string& model, const std::string& ram,
                     const Words& options = {}) const {
    const Finished finished = solve(model, ram, options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return schedule_;
  }

  Finished exported(const std::string& schedule, const Words& options) const {
    return poet_solve(Words{"export", schedule, "--output", plan_} + options);
  }

  Finished compile(const std::string& compiler, const Words& words) const {
    Command command{.program = compiler, .arguments = words};
    command.kill_after_seconds = 120;
    return run_program(command);
  }

  static bool is_of_model(const std::string& source) {
    return source == "poet_plan.c" || source == "poet_constants.c";
  }

  /// The objects of what is exported alike with every model, compiled once for all tests.
  Words compiled_once() const {
    static const TemporaryFolder kFolder;
    static Words objects;
    if (!objects.empty()) return objects;
    for (const std::string& source : kCFiles) {
      if (is_of_model(source)) continue;
      objects.push_back(kFolder.file(source + ".o"));
      const Finished finished =
          compile(POET_CC, {"-O1", "-std=c11", "-ffp-contract=off", "-ffunction-sections", "-c",
                            "-I" + plan_, plan_ + "/" + source, "-o", objects.back()});
      EXPECT_EQ(finished.status, 0) << finished.err;
    }
    return objects;
  }

  /// Compiles and links what was exported with the main program of these tests.
  std::string built(const Words& options = {}) const {
    const std::string program = folder_.file("step");
    Words words{"-O1",
                "-std=c11",
                "-ffp-contract=off",
                "-ffunction-sections",
                "-Wl,--gc-sections",
                "-I" + plan_,
                "-o",
                program,
                POET_SOURCE_DIR "/tests/support/exported_step.c"};
    const Words usual = options.empty() ? compiled_once() : Words{};
    for (const std::string& name : kCFiles) {
      if (usual.empty() || is_of_model(name)) words.push_back(plan_ + "/" + name);
    }
    const Finished finished = compile(POET_CC, words + usual + options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return program;
  }

  /// Compiles and links all that was exported with a main program and options.
  std::string linked(const Words& words) const {
    const std::string program = folder_.file("main");
    Words all = Words{"-I" + plan_, "-o", program} + words;
    for (const std::string& name : kCFiles) all.push_back(plan_ + "/" + name);
    const Finished finished = compile(POET_CC, all);
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.err, "");
    return program;
  }

  Finished run_step(const std::string& program, const Words& words) const {
    return run_program({.program = program, .arguments = words});
  }

  std::string file_of(const std::string& name) const { return contents_of(plan_ + "/" + name); }

  std::string seconds_ = "5";  // of a solve
  TemporaryFolder folder_;
  std::string schedule_ = folder_.file("schedule.json");
  std::string plan_ = folder_.file("plan");
};

}  // namespace poet::test
