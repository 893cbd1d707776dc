#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pictures/stack.hpp"
#include "schedule/lifetimes.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/random_schedules.hpp"
#include "support/tiny_schedules.hpp"

namespace poet {

bool operator==(const Stay& a, const Stay& b) {
  return a.first == b.first && a.last == b.last && a.arrival == b.arrival;
}

void PrintTo(const Stay& stay, std::ostream* out) {
  *out << stay.first << " to " << stay.last << " by " << static_cast<int>(stay.arrival);
}

}  // namespace poet

namespace poet::plot {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ScheduleTimeline, HasAColumnForEveryComputationInItsOrder) {
  const ScheduleTimeline timeline = make_timeline(test::tiny_graph(), test::recompute_a());
  std::vector<int> nodes;
  for (const RamSample& column : timeline.columns) nodes.push_back(column.node);
  EXPECT_THAT(nodes, ElementsAre(0, 1, 2, 0, 3));
  EXPECT_THAT(timeline.stage_columns, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(timeline.boundary, 3);
}

TEST(ScheduleTimeline, TellsARecomputationFromTheFirstTime) {
  const ScheduleTimeline timeline = make_timeline(test::tiny_graph(), test::recompute_a());
  EXPECT_THAT(timeline.lives[0].stays,
              ElementsAre(Stay{0, 1, Arrival::computed}, Stay{3, 4, Arrival::recomputed}));
  EXPECT_THAT(timeline.lives[3].stays, ElementsAre(Stay{4, 4, Arrival::computed}));
  EXPECT_THAT(timeline.lives[0].page_outs, IsEmpty());
}

TEST(ScheduleTimeline, ATensorThatIsPagedInIsThereFromTheNextStageOn) {
  const ScheduleTimeline timeline = make_timeline(test::tiny_graph(), test::page_a());
  EXPECT_THAT(timeline.lives[0].stays,
              ElementsAre(Stay{0, 1, Arrival::computed}, Stay{3, 3, Arrival::paged_in}));
  EXPECT_THAT(timeline.lives[0].page_outs, ElementsAre(1));
}

TEST(Stack, IsWhatTheReplayFindsWithWorkspaceAndWhatIsTakenOver) {
  test::Random random(7);
  int with_workspace = 0;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const test::Case made = test::random_exact_case(random);
    const ScheduleTimeline timeline =
        make_timeline(made.graph, made.schedule, made.limits.paging_time);
    const Stack stack = make_stack(made.graph, timeline);
    for (int c = 0; c < timeline.size(); ++c) {
      Bytes total = 0;
      for (const Band& band : stack.bands) total += band.bytes[c];
      ASSERT_EQ(total, timeline.columns[c].ram_bytes) << "column " << c;
    }
    with_workspace += stack.bands.back().name == "workspace" ? 1 : 0;
  }
  EXPECT_GT(with_workspace, 50);
  EXPECT_LT(with_workspace, 200);
}

TEST(ScheduleTimeline, WithoutABackwardPassHasNoBoundary) {
  const Graph graph = make_graph({{.name = "a", .bytes = 1}});
  EXPECT_EQ(make_timeline(graph, {.stages = {{.compute = {0}}}}).boundary, -1);
}

std::vector<Bytes> sum(const std::vector<Band>& bands, int columns) {
  std::vector<Bytes> total(columns, 0);
  for (const Band& band : bands) {
    for (int c = 0; c < columns; ++c) total[c] += band.bytes[c];
  }
  return total;
}

TEST(Stack, AddsUpToWhatTheReplayHoldsAtEveryComputation) {
  test::Random random(20220716);
  for (int i = 0; i < 500; ++i) {
    const test::Case made = test::random_case(random);
    const ScheduleTimeline timeline = make_timeline(made.graph, made.schedule);
    std::vector<Bytes> expected;
    for (const RamSample& column : timeline.columns) expected.push_back(column.ram_bytes);
    ASSERT_EQ(sum(make_stack(made.graph, timeline).bands, timeline.size()), expected)
        << "case " << i;
  }
}

/// So many tensors that not each of them can have a band; every third one is large.
Graph long_chain() {
  std::vector<Node> nodes(40);
  for (int i = 0; i < 40; ++i) {
    nodes[i] = {.name = fmt::format("n{}", i), .bytes = i % 3 == 0 ? 1000 : 1, .backward = i > 20};
    if (i > 0) nodes[i].inputs = {i - 1};
  }
  return make_graph(std::move(nodes));
}

TEST(Stack, ShowsTheTensorsThatFillMostAndGroupsTheRestByPass) {
  const Graph graph = long_chain();
  Schedule schedule;
  for (int t = 0; t < graph.size(); ++t) {
    schedule.stages.push_back({.compute = {t}});
    if (t > 0) schedule.stages[t].resident = {t - 1};
  }
  const Stack stack = make_stack(graph, make_timeline(graph, schedule));
  ASSERT_EQ(stack.bands.size(), 14U);
  for (int k = 0; k < 12; ++k) EXPECT_EQ(stack.bands[k].node, 3 * k) << "the large ones, in order";
  EXPECT_EQ(stack.bands[12].name, "14 more forward tensors");
  EXPECT_EQ(stack.bands[13].name, "14 more backward tensors");
  EXPECT_EQ(stack.classes[3], stack.bands[1].css_class);
  EXPECT_EQ(stack.classes[4], stack.bands[12].css_class);
  EXPECT_EQ(stack.classes[38], stack.bands[13].css_class);
}

TEST(Stack, LeavesOutWhatHasNoSize) {
  const Graph graph = make_graph({{.name = "a"}, {.name = "b", .bytes = 2, .inputs = {0}}});
  const Schedule schedule{.stages = {{.compute = {0}}, {.resident = {0}, .compute = {1}}}};
  const Stack stack = make_stack(graph, make_timeline(graph, schedule));
  ASSERT_EQ(stack.bands.size(), 2U);
  EXPECT_EQ(stack.bands[0].name, "b");
  EXPECT_EQ(stack.bands[1].name, "1 more forward tensor");
}

}  // namespace
}  // namespace poet::plot
