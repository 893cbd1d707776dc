#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/contents_of.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

namespace poet::test {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The words of a text, such as options.
inline Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The first column of the first table of docs/command-line.md, which is the list of commands that
/// is kept by hand. Tests compare it with --help.
inline Words commands_of_page() {
  std::ifstream page(POET_SOURCE_DIR "/docs/command-line.md");
  Words commands;
  for (std::string line; std::getline(page, line);) {
    const bool is_row = line.starts_with("| `");
    if (!is_row && !commands.empty()) break;
    if (is_row) commands.push_back(line.substr(3, line.find_first_of(" `", 3) - 3));
  }
  return commands;
}

inline const Words kCommands = commands_of_page();

inline Command poet_solve_command(Words arguments) {
  return {.program = POET_SOLVE, .arguments = std::move(arguments)};
}

inline Finished poet_solve(Words arguments, std::string stdin_text = {}) {
  Command command = poet_solve_command(std::move(arguments));
  command.stdin_text = std::move(stdin_text);
  return run_program(command);
}

inline Words problem(const std::string& model, const std::string& platform, const std::string& ram,
                     const std::string& runtime) {
  return {"--model",      model, "--platform",       platform,
          "--ram-budget", ram,   "--runtime-budget", runtime};
}

/// Solved and proven in well under a second, with recomputation.
inline Words quick_problem() {
  return problem("linear", "m4", "3500", "2");
}

/// Far from proven after seconds: what tests of limits and signals need.
inline Words slow_problem() {
  return problem("resnet18_cifar", "m4", "440000", "1.5");
}

/// The text as one JSON document and nothing else; the test fails where it is not.
inline nlohmann::json as_document(const std::string& text) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << "not one JSON document: " << text.substr(0, 500);
  EXPECT_TRUE(text.ends_with('\n')) << "the last line has no end";
  return parsed.is_discarded() ? nlohmann::json::object() : parsed;
}

inline nlohmann::json document(const Finished& run) {
  return as_document(run.out);
}

inline std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A document that a failed run must leave, with this code and its number as exit status.
inline void expect_error_document(const nlohmann::json& found, int code) {
  EXPECT_EQ(found.value("format", ""), "poet-schedule");
  const auto model = found.find("model");
  const bool exact =
      model != found.end() && model->is_object() && model->value("backward", "") == "exact";
  EXPECT_EQ(found.value("version", 0), exact ? 2 : 1);
  EXPECT_EQ(found.value("code", -1), code);
  EXPECT_TRUE(found.contains("status"));
  EXPECT_NE(found.value("error", ""), "");
  EXPECT_FALSE(found.contains("stages"));
}

/// Three nodes with measured costs: no platform needed. Baseline 6 J, 3 s, peak 60 bytes.
inline std::string measured_model() {
  return R"({"format": "poet-model", "version": 1, "name": "measured", "nodes": [
 {"name": "a", "bytes": 10, "runtime_seconds": 1, "energy_joules": 1,
  "page_in_energy_joules": 0.5, "page_out_energy_joules": 0.5, "inputs": []},
 {"name": "b", "bytes": 20, "runtime_seconds": 1, "energy_joules": 2,
  "page_in_energy_joules": 0.5, "page_out_energy_joules": 0.5, "inputs": ["a"]},
 {"name": "c", "bytes": 30, "runtime_seconds": 1, "energy_joules": 3,
  "page_in_energy_joules": 0.5, "page_out_energy_joules": 0.5, "inputs": ["a", "b"],
  "backward": true}]})";
}

}  // namespace poet::test
