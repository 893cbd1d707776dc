#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pictures/column_axis.hpp"
#include "pictures/schedule_style.hpp"
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
  test::Twister random(7);
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

/// So many tensors that not each of them can have a band; every third one is large.
Graph long_chain() {
  std::vector<Node> nodes(40);
  for (int i = 0; i < 40; ++i) {
    nodes[i] = {.name = fmt::format("n{}", i), .bytes = i % 3 == 0 ? 1000 : 1, .backward = i > 20};
    if (i > 0) nodes[i].inputs = {i - 1};
  }
  return make_graph(std::move(nodes));
}

Schedule chain_schedule(const Graph& graph) {
  Schedule schedule;
  for (int t = 0; t < graph.size(); ++t) {
    schedule.stages.push_back({.compute = {t}});
    if (t > 0) schedule.stages[t].resident = {t - 1};
  }
  return schedule;
}

TEST(Stack, ShowsTheTensorsThatFillMostAndGroupsTheRestByPass) {
  const Graph graph = long_chain();
  const Stack stack = make_stack(graph, make_timeline(graph, chain_schedule(graph)));
  EXPECT_FALSE(stack.by_kind);
  ASSERT_EQ(stack.bands.size(), 16U);
  for (int k = 0; k < 14; ++k) EXPECT_EQ(stack.bands[k].node, 3 * k) << "the large ones, in order";
  EXPECT_EQ(stack.bands[14].name, "14 more forward tensors");
  EXPECT_EQ(stack.bands[15].name, "12 more backward tensors");
  EXPECT_EQ(stack.classes[3], stack.bands[1].css_class);
  EXPECT_EQ(stack.classes[4], stack.bands[14].css_class);
  EXPECT_EQ(stack.classes[38], stack.bands[15].css_class);
}

/// A chain of `layers` convolutions with a relu behind each, and their gradients.
Graph layered_chain(int layers) {
  std::vector<Node> nodes;
  for (int i = 0; i < 2 * layers; ++i) {
    const char* op = i % 2 == 0 ? "conv2d" : "relu";
    nodes.push_back(
        {.name = fmt::format("{}{}", op, i / 2), .op = op, .bytes = i % 2 == 0 ? 3 : 2});
  }
  for (int i = 2 * layers - 1; i >= 0; --i) {
    nodes.push_back({.name = fmt::format("grad({})", nodes[i].name),
                     .op = "gradient",
                     .bytes = nodes[i].bytes,
                     .backward = true});
  }
  for (int i = 1; i < 4 * layers; ++i) nodes[i].inputs = {i - 1};
  return make_graph(std::move(nodes));
}

TEST(Stack, OfManyTensorsHasABandForEachKindOfLayerAndPass) {
  const Graph graph = layered_chain(11);
  ASSERT_GT(graph.size(), kMostByTensor);
  const Stack stack = make_stack(graph, make_timeline(graph, chain_schedule(graph)));
  EXPECT_TRUE(stack.by_kind);
  std::vector<std::string> names;
  for (const Band& band : stack.bands) names.push_back(band.name);
  EXPECT_THAT(names, ElementsAre("conv2d", "relu", "conv2d", "relu"));
  EXPECT_EQ(stack.classes[0], stack.classes[2]) << "one colour for all convolutions";
  EXPECT_NE(stack.classes[0], stack.classes[1]);
  EXPECT_EQ(stack.classes[0], band_class(0, false));
  EXPECT_EQ(stack.classes[43], band_class(0, true)) << "hatched, in the colour of its layer";
}

TEST(LayerKinds, OfGradientsAreThoseOfTheirLayers) {
  const Graph graph =
      make_graph({{.name = "c", .op = "conv2d"},
                  {.name = "r", .op = "relu", .inputs = {0}},
                  {.name = "grad(r)", .op = "gradient", .inputs = {1}, .backward = true},
                  {.name = "grad(c by r)", .op = "conv2d_grad", .inputs = {2}, .backward = true},
                  {.name = "gradw(c)", .op = "conv2d_gradw", .inputs = {2}, .backward = true},
                  {.name = "mine", .op = "linear_gradw", .inputs = {2}, .backward = true}});
  EXPECT_THAT(layer_kinds(graph),
              ElementsAre("conv2d", "relu", "relu", "conv2d", "conv2d", "linear"));
}

TEST(EnergySoFar, EndsAtTheEnergyOfTheReplay) {
  test::Twister random(11);
  int with_paging = 0;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const test::Case made = test::random_case(random);
    const ScheduleTimeline timeline = make_timeline(made.graph, made.schedule);
    const EnergySoFar energy = energy_so_far(made.graph, made.schedule, timeline);
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    ASSERT_EQ(energy.first.size(), timeline.columns.size() + 1);
    EXPECT_NEAR(energy.total(timeline.columns.size()), replay.energy_joules,
                1e-9 * replay.energy_joules);
    EXPECT_NEAR(energy.paging.back(), replay.page_in_energy_joules + replay.page_out_energy_joules,
                1e-9 * replay.energy_joules);
    with_paging += energy.paging.back() > 0 ? 1 : 0;
  }
  EXPECT_GT(with_paging, 20);
}

TEST(TimeSoFar, EndsAtTheRuntimeOfTheReplay) {
  test::Twister random(12);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    test::Case made = test::random_exact_case(random);
    for (const PagingTime paging :
         {PagingTime::free, PagingTime::blocking, PagingTime::overlapped}) {
      made.limits.paging_time = paging;
      const ScheduleTimeline timeline = make_timeline(made.graph, made.schedule, paging);
      const std::vector<Seconds> time = time_so_far(made.graph, made.schedule, timeline, paging);
      const Seconds expected = simulate(made.graph, made.schedule, made.limits).runtime_seconds;
      EXPECT_NEAR(time.back(), expected, 1e-9 * expected);
    }
  }
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
