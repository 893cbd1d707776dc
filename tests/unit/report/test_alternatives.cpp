#include "report/alternatives.hpp"

#include <gmock/gmock.h>

#include "support/random_exact_schedules.hpp"
#include "support/tiny_report.hpp"
#include "support/tiny_schedules.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kAllOfThem = 1'000'000'000;

ScheduleFile file_of(const Schedule& schedule, const Limits& limits = ample_limits()) {
  ScheduleFile file;
  file.graph = tiny_graph();
  file.schedule = schedule;
  file.request.limits = limits;
  return file;
}

const Alternative& other(const TensorChoice& choice, Treatment treatment) {
  for (const Alternative& alternative : choice.alternatives) {
    if (alternative.treatment == treatment) return alternative;
  }
  throw std::out_of_range("no such alternative");
}

/// What the replay says of a schedule that was written by hand.
void expect_figures_of(const Alternative& alternative, const Schedule& schedule) {
  const Replay replay = simulate(tiny_graph(), schedule, ample_limits());
  EXPECT_TRUE(alternative.replayed);
  EXPECT_EQ(alternative.obstacle, "");
  EXPECT_EQ(alternative.energy_joules, replay.energy_joules);
  EXPECT_EQ(alternative.runtime_seconds, replay.runtime_seconds);
  EXPECT_EQ(alternative.peak_ram_bytes, replay.peak_ram_bytes);
}

TEST(Alternatives, OfAKeptTensorAreToDropItOverItsWidestGap) {
  const auto choices = weigh_choices(file_of(keep_all()), kAllOfThem);
  const TensorChoice& a = choices[0];
  EXPECT_EQ(a.gap_begin, 1);
  EXPECT_EQ(a.gap_end, 3);
  expect_figures_of(other(a, Treatment::recompute), recompute_a());
  expect_figures_of(other(a, Treatment::page), page_a());
  EXPECT_TRUE(choices[1].alternatives.empty()) << "b is read in the next stage and never again";
}

TEST(Alternatives, OfATensorThatReturnsAreToKeepItOrToReturnTheOtherWay) {
  const TensorChoice recomputed = weigh_choices(file_of(recompute_a()), kAllOfThem)[0];
  EXPECT_EQ(recomputed.recompute_count, 1);
  expect_figures_of(other(recomputed, Treatment::keep), keep_all());
  expect_figures_of(other(recomputed, Treatment::page), page_a());
  const TensorChoice paged = weigh_choices(file_of(page_a()), kAllOfThem)[0];
  EXPECT_EQ(paged.page_in_count, 1);
  expect_figures_of(other(paged, Treatment::keep), keep_all());
  expect_figures_of(other(paged, Treatment::recompute), recompute_a());
}

TEST(Alternatives, SayWhatStandsInTheirWay) {
  Limits tight = ample_limits();
  tight.ram_budget_bytes = 1101;
  tight.runtime_budget_seconds = 15;
  EXPECT_THAT(other(weigh_choices(file_of(keep_all(), tight), kAllOfThem)[0], Treatment::recompute)
                  .obstacle,
              HasSubstr("more than the runtime budget"));
  tight.techniques.paging = false;
  const Alternative refused =
      other(weigh_choices(file_of(keep_all(), tight), kAllOfThem)[0], Treatment::page);
  EXPECT_FALSE(refused.replayed);
  EXPECT_EQ(refused.obstacle, "the request allows no paging");
  ScheduleFile once = file_of(keep_all());
  once.graph.nodes[0].recompute = false;
  EXPECT_EQ(other(weigh_choices(once, kAllOfThem)[0], Treatment::recompute).obstacle,
            "it may be computed only once");
}

TEST(Alternatives, StopAtTheLimitWithTensorsThatAreKept) {
  EXPECT_FALSE(weigh_choices(file_of(keep_all()), 0)[0].weighed);
  EXPECT_TRUE(weigh_choices(file_of(page_a()), 0)[0].weighed);
}

TEST(Alternatives, OfDrawnSchedulesKeepToTheirLimitsOrSayWhyNot) {
  int valid = 0;
  int invalid = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Twister random(seed);
    const Case drawn = random_exact_case(random);
    ScheduleFile file;
    file.graph = drawn.graph;
    file.schedule = drawn.schedule;
    file.request.limits = drawn.limits;
    if (!simulate(drawn.graph, drawn.schedule, drawn.limits).valid()) continue;
    const Joules least = baseline(drawn.graph).energy_joules;
    for (const TensorChoice& choice : weigh_choices(file, kAllOfThem)) {
      EXPECT_TRUE(choice.recompute_count + choice.page_in_count == 0 ||
                  !choice.alternatives.empty());
      for (const Alternative& alternative : choice.alternatives) {
        if (!alternative.obstacle.empty()) {
          ++invalid;
          continue;
        }
        ++valid;
        EXPECT_LE(alternative.peak_ram_bytes, drawn.limits.ram_budget_bytes);
        EXPECT_GE(alternative.energy_joules, least * (1 - 1e-12));
      }
    }
  }
  EXPECT_GT(valid, 100);
  EXPECT_GT(invalid, 100);
}

}  // namespace
}  // namespace poet::test
