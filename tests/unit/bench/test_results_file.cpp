// A run of the benchmark that was ended goes on where it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/files/files.hpp"
#include "base/sha256.hpp"
#include "bench/jsonl.hpp"
#include "bench/results_file.hpp"
#include "expect_input_error.hpp"
#include "support/temporary_folder.hpp"

namespace poet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Instance kFirst{"linear", "m4", 4000, 1.5};
const Instance kSecond{"linear", "m4", 5000, 1.5};

Conditions conditions() {
  return {.solve = {.settings = {.gap = 1e-3, .time_limit_seconds = 20}},
          .memory_limit_bytes = 1 << 30};
}

Measurement measured(const Instance& instance) {
  return {.instance = instance,
          .gap_asked = 1e-3,
          .time_limit_seconds = 20,
          .figures = {.finished = true, .valid = true, .energy_joules = 110},
          .memory_limit_bytes = 1 << 30,
          .program_sha256 = program_sha256()};
}

TEST(ResultsFile, HasWhatAnEarlierRunWrote) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("run.jsonl");
  {
    ResultsFile file(path, conditions());
    EXPECT_EQ(file.find(kFirst, ""), nullptr);
    file.append(measured(kFirst));
  }
  ResultsFile file(path, conditions());
  ASSERT_NE(file.find(kFirst, ""), nullptr);
  EXPECT_EQ(file.find(kFirst, "")->figures.energy_joules, 110);
  EXPECT_EQ(file.find(kFirst, "windows"), nullptr) << "solved with every technique";
  EXPECT_EQ(file.find(kSecond, ""), nullptr);
  file.append(measured(kSecond));
  EXPECT_EQ(read_file(path),
            json_line(measured(kFirst)) + "\n" + json_line(measured(kSecond)) + "\n");
}

TEST(ResultsFile, CutsATornLine) {
  const test::TemporaryFolder folder;
  const std::string line = json_line(measured(kFirst)) + "\n";
  const std::string path = folder.write("run.jsonl", line + line.substr(0, 50));
  ResultsFile file(path, conditions());
  EXPECT_NE(file.find(kFirst, ""), nullptr);
  file.append(measured(kSecond));
  EXPECT_EQ(read_file(path), line + json_line(measured(kSecond)) + "\n");
}

TEST(ResultsFile, SolvesAgainWhatDidNotEndWell) {
  const test::TemporaryFolder folder;
  Measurement crashed = measured(kFirst);
  crashed.figures.finished = false;
  crashed.failure = "out of memory";
  const std::string second = json_line(measured(kSecond)) + "\n";
  const std::string path = folder.write("run.jsonl", json_line(crashed) + "\n" + second);
  const ResultsFile file(path, conditions());
  EXPECT_EQ(file.find(kFirst, ""), nullptr);
  EXPECT_NE(file.find(kSecond, ""), nullptr);
  EXPECT_EQ(read_file(path), second);
}

TEST(ResultsFile, OfOtherOptionsIsRefusedAndStaysAsItWas) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const Measurement& m) {
    const std::string path = folder.write("run.jsonl", json_line(m) + "\n");
    const std::string error = input_error([&] { ResultsFile(path, conditions()); });
    EXPECT_EQ(read_file(path), json_line(m) + "\n");
    return error;
  };
  Measurement other = measured(kFirst);
  other.time_limit_seconds = 60;
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("run.jsonl: linear/m4 4000 1.5x"),
                                    HasSubstr("found a time limit in s of 60, expected 20")));
  other = measured(kFirst);
  other.gap_asked = 0;
  EXPECT_THAT(refusal(other), HasSubstr("found a gap of 0, expected 0.001"));
  other = measured(kFirst);
  other.memory_limit_bytes = 0;
  EXPECT_THAT(refusal(other), HasSubstr("found a memory limit in bytes of 0"));
  other = measured(kFirst);
  other.program_sha256 = "another";
  EXPECT_THAT(refusal(other), HasSubstr("another build of the program"));
}

TEST(ResultsFile, NeedsAFolder) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(input_error([&] { ResultsFile(folder.file("none/run.jsonl"), conditions()); }),
              HasSubstr("none"));
}

}  // namespace
}  // namespace poet::bench
