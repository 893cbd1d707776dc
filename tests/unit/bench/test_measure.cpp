// What the benchmark measures arrives whole, also from a solve that does not end well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <new>
#include <string>
#include <vector>

#include "bench/jsonl.hpp"
#include "bench/measure.hpp"
#include "bench/progress_trace.hpp"
#include "bench/subprocess.hpp"
#include "bench/summary.hpp"
#include "bench/tally.hpp"
#include "expect_input_error.hpp"
#include "support/temporary_folder.hpp"

namespace poet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A feasible measurement: baseline 100 J, energy 110 J, bound 108 J, best known extra 8 J.
Measurement feasible_one() {
  return {.instance = {"linear", "m4", 4000, 1.5, 8},
          .gap_asked = 1e-4,
          .time_limit_seconds = 20,
          .figures = {.finished = true,
                      .status = Status::feasible,
                      .has_schedule = true,
                      .valid = true,
                      .wall_seconds = 20,
                      .baseline_joules = 100,
                      .energy_joules = 110,
                      .early_joules = 112,
                      .patient_joules = 111,
                      .bound_joules = 108}};
}

TEST(Measurement, OfASmallProblemIsProvenAndReplayed) {
  const Measurement m =
      measure({"linear", "m4", 4000, 2}, {.solve = {.settings = {.time_limit_seconds = 30}}});
  EXPECT_TRUE(m.settled()) << m.failure;
  EXPECT_TRUE(m.figures.valid);
  EXPECT_EQ(m.figures.graph_nodes, 27);
  EXPECT_GT(m.figures.extra_joules(), 0);
  EXPECT_EQ(m.figures.early_joules, m.figures.energy_joules);
  EXPECT_GT(m.figures.solver_rss_bytes, 0);
  EXPECT_GT(m.figures.processor_seconds, 0);
}

TEST(Measurement, ContradictsABetterSolutionThanTheBound) {
  // Nobody can need so little above the baseline in this RAM: the answer's bound is above it.
  const Measurement m =
      measure({"linear", "m4", 4000, 2, 1e-9}, {.solve = {.settings = {.time_limit_seconds = 30}}});
  EXPECT_FALSE(m.ok());
  EXPECT_THAT(m.failure, HasSubstr("above the best known energy"));
}

TEST(Measurement, SaysThatMemoryRanOut) {
  const auto too_much = []() -> Problem { throw std::bad_alloc(); };
  const Measurement m = measure({"linear", "m4", 4000, 2}, too_much, {});
  EXPECT_EQ(m.failure, "out of memory");
  EXPECT_EQ(outcome(m), "FAILED");
  EXPECT_GT(m.figures.wall_seconds, 0);
  EXPECT_GT(m.figures.solver_rss_bytes, 0);
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

TEST(ProgressTrace, KeepsWhatWasKnownEarly) {
  ProgressTrace trace;
  EXPECT_TRUE(trace.note({.elapsed_seconds = 1, .incumbent_joules = 120, .bound_joules = 100}));
  EXPECT_TRUE(trace.note({.elapsed_seconds = 4, .incumbent_joules = 115, .bound_joules = 100}));
  EXPECT_FALSE(trace.note({.elapsed_seconds = 6, .incumbent_joules = 115, .bound_joules = 100}));
  EXPECT_TRUE(trace.note({.elapsed_seconds = 8, .incumbent_joules = 110, .bound_joules = 105}));
  EXPECT_TRUE(trace.note({.elapsed_seconds = 11, .incumbent_joules = 109, .bound_joules = 105}));
  Figures figures;
  trace.write_to(figures, 12);
  EXPECT_EQ(figures.early_joules, 115);
  EXPECT_EQ(figures.patient_joules, 110);
  EXPECT_EQ(figures.energy_joules, 109);
  EXPECT_EQ(figures.first_schedule_seconds, 1);
  EXPECT_EQ(figures.bound_seconds, 8);
}

TEST(ProgressTrace, TakesABoundThatCameWithTheResult) {
  ProgressTrace trace;
  trace.note({.elapsed_seconds = 1, .incumbent_joules = 120, .bound_joules = 100});
  Figures figures{
      .has_schedule = true, .wall_seconds = 3, .energy_joules = 110, .bound_joules = 110};
  trace.write_history_to(figures);
  EXPECT_EQ(figures.bound_seconds, 3);
  EXPECT_EQ(figures.early_joules, 110);
}

TEST(Tally, ComparesWithTheBestKnown) {
  Measurement m = feasible_one();
  EXPECT_DOUBLE_EQ(*excess_over_best(m), 10.0 / 8 - 1);
  EXPECT_DOUBLE_EQ(*early_excess(m), 12.0 / 8 - 1);
  m.instance.best_extra_joules = 0;
  EXPECT_FALSE(excess_over_best(m));
  EXPECT_FALSE(early_excess(m)) << "nothing is proven either";
  m.figures.status = Status::optimal;
  EXPECT_DOUBLE_EQ(*early_excess(m), 12.0 / 10 - 1);
}

TEST(Summary, CountsWhatIsProvenByTheTimeItTook) {
  std::vector<Measurement> all(4, feasible_one());
  for (int i = 0; i < 3; ++i) all[i].figures.status = Status::optimal;
  all[0].figures.wall_seconds = 0.5;
  all[1].figures.wall_seconds = 9;
  const std::string text = summary(all);
  EXPECT_THAT(text, HasSubstr("3 of 4 points proven within the limit"));
  EXPECT_THAT(text, HasSubstr("1 in 1 s; 2 in 10 s; 3 in 60 s"));
  EXPECT_THAT(text, HasSubstr("over the best known: highest 25 %"));
}

TEST(Jsonl, IsReadBackAsItWas) {
  Measurement m = feasible_one();
  m.disabled = "windows";
  m.failure = "it \"failed\"\n";
  m.figures.first_schedule_seconds = 0.1;
  m.instance.kind = Kind::layered;
  m.instance.solver_seed = 7;
  m.instance.nodes = 250;
  m.instance.graph_seed = 3;
  m.instance.ram_percent = 60;
  m.memory_limit_bytes = 1 << 30;
  m.program_sha256 = "p";
  m.graph_sha256 = "g";
  const test::TemporaryFolder folder;
  const std::string path = folder.write("one.jsonl", json_line(m) + "\n");
  const std::vector<Measurement> read = read_jsonl({path});
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(json_line(read.front()), json_line(m));
  EXPECT_EQ(read.front().failure, m.failure);
  EXPECT_EQ(read.front().instance.name(), "layered 250 graph 3 60 %");
  EXPECT_EQ(read.front().graph_sha256, "g");
  EXPECT_EQ(read.front().figures.first_schedule_seconds, 0.1);
  EXPECT_EQ(read.front().figures.status, Status::feasible);
}

TEST(Jsonl, OfOlderVersionsLacksWhatIsNew) {
  std::string line = json_line(feasible_one());
  const std::size_t begin = line.find("\"energy_at_10_s_joules\"");
  const std::size_t end = line.find("\"status\"");
  ASSERT_LT(begin, end);
  line.erase(begin, end - begin);
  const test::TemporaryFolder folder;
  const std::vector<Measurement> read = read_jsonl({folder.write("old.jsonl", line + "\n")});
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read.front().instance.kind, Kind::chain);
  EXPECT_EQ(read.front().instance.name(), feasible_one().instance.name());
  EXPECT_EQ(read.front().figures.patient_joules, 0);
  EXPECT_EQ(read.front().figures.energy_joules, 110);
}

TEST(Jsonl, OfAnInstanceMayComeOnlyOnce) {
  const test::TemporaryFolder folder;
  const std::string line = json_line(feasible_one()) + "\n";
  const std::string path = folder.write("twice.jsonl", line + line);
  EXPECT_THAT(input_error([&] { read_jsonl({path}); }),
              AllOf(HasSubstr("twice.jsonl:2"), HasSubstr("measured twice")));
}

TEST(Jsonl, SaysWhereALineIsWrong) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.jsonl", json_line(feasible_one()) + "\n{}\n");
  EXPECT_THAT(input_error([&] { read_jsonl({path}); }),
              AllOf(HasSubstr("bad.jsonl:2"), HasSubstr("model")));
}

}  // namespace
}  // namespace poet::bench
