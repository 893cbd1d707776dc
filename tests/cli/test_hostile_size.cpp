// Files that are far too large are refused at once, in little memory.
#include <filesystem>

#include <fmt/format.h>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

constexpr double kAtOnce = 10;  // seconds, on a slow and busy machine
constexpr const char* kMemory = "--as=1000000000";

/// poet-solve with at most kMemory bytes of address space.
Finished poet_solve_in_little_memory(Words arguments) {
  Words words = Words{kMemory, POET_SOLVE} + arguments;
  return run_program({.program = "prlimit", .arguments = std::move(words)});
}

void expect_refused(const Finished& run, const std::string& reason) {
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr(reason));
  expect_error_document(document(run), 2);
  EXPECT_LT(run.wall_seconds, kAtOnce);
}

/// A model file with a list of `count` times `element`.
std::string model_with(const char* list, const char* element, std::size_t count) {
  std::string text =
      fmt::format(R"({{"format": "poet-model", "version": 1, "name": "big", "{}": [)", list);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += element;
  }
  return text + "]}";
}

class HostileSize : public testing::Test {
 protected:
  void SetUp() override {
#ifdef POET_SANITIZE
    GTEST_SKIP() << "the sanitizers need address space without limit";
#endif
  }

  TemporaryFolder folder_;
};

TEST_F(HostileSize, TenMillionNodesAreRefused) {
  const std::string path = folder_.write("model.json", model_with("nodes", "{}", 10'000'000));
  expect_refused(poet_solve_in_little_memory(problem(path, "m4", "1MB", "2")),
                 "/nodes: found more than 4000000 values in one file");
}

TEST_F(HostileSize, ThirtyMillionNumbersAreRefused) {
  const std::string path = folder_.write("model.json", model_with("layers", "1", 30'000'000));
  expect_refused(poet_solve_in_little_memory(problem(path, "m4", "1MB", "2")),
                 "/layers: found more than 4000000 values in one file");
}

TEST_F(HostileSize, AFileOf200MegabytesIsRefusedUnread) {
  const std::string path = folder_.write("model.json", "{");
  std::filesystem::resize_file(path, 200'000'000);
  const std::string reason = "model.json: cannot read: larger than 64 MiB";
  expect_refused(poet_solve_in_little_memory(problem(path, "m4", "1MB", "2")), reason);
  expect_refused(poet_solve_in_little_memory(problem("linear", path, "1MB", "2")), reason);
  const Finished verified = poet_solve_in_little_memory({"verify", path});
  EXPECT_EQ(verified.status, 2);
  EXPECT_THAT(verified.err, HasSubstr(reason));
}

TEST_F(HostileSize, AStreamWithoutEndIsRefused) {
  const Finished run = poet_solve_in_little_memory(problem("/dev/zero", "m4", "1MB", "2"));
  expect_refused(run, "/dev/zero: cannot read: larger than 64 MiB");
}

}  // namespace
}  // namespace poet::test
