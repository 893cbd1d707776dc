// What the benchmark measures arrives whole, also from a solve that does not end well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <new>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/problem_name.hpp"
#include "bench/subprocess.hpp"

namespace poet::bench {
namespace {

using testing::HasSubstr;

TEST(Measurement, OfASmallProblemIsProvenAndReplayed) {
  const Measurement m =
      measure("linear/m4 4000 2x", {.solve = {.settings = {.time_limit_seconds = 30}}});
  EXPECT_TRUE(m.settled()) << m.failure;
  EXPECT_TRUE(m.figures.valid);
  EXPECT_EQ(m.outcome(), "optimal");
  EXPECT_EQ(m.figures.graph_nodes, 27);
  EXPECT_GT(m.figures.extra_joules(), 0);
  EXPECT_LE(m.figures.gap(), 1e-4);
}

TEST(Measurement, SaysThatMemoryRanOut) {
  const auto too_much = []() -> Problem { throw std::bad_alloc(); };
  const Measurement m = measure("linear/m4 4000 2x", too_much, {});
  EXPECT_EQ(m.failure, "out of memory");
  EXPECT_EQ(m.outcome(), "FAILED");
  EXPECT_GT(m.figures.wall_seconds, 0);
}

TEST(Subprocess, PassesOnWhatWasSentBeforeACrash) {
  const SubprocessResult result = run_in_subprocess(
      [](const Send& send) {
        send("news");
        ::abort();
      },
      {});
  EXPECT_FALSE(result.clean);
  EXPECT_EQ(result.output, "news");
  EXPECT_THAT(result.message, HasSubstr("signal"));
}

TEST(Subprocess, LimitsMemory) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizer reserves address space in terabytes";
#endif
  const auto reserve = [](const Send& send) {
    std::vector<char> much;
    much.reserve(std::size_t{1} << 30);
    send(std::to_string(much.capacity()));
  };
  EXPECT_TRUE(run_in_subprocess(reserve, {}).clean);
  EXPECT_EQ(run_in_subprocess(reserve, {.memory_bytes = Bytes{1} << 29}).message, "out of memory");
}

}  // namespace
}  // namespace poet::bench
