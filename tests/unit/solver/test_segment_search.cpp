#include "solver/search/segment_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "poet/simulate.hpp"

namespace poet {
namespace {

/// Equal blocks: a narrow input, three wide layers, and a narrow sum with the input. The gradient
/// of each layer reads the layer and the gradient before it.
Problem equal_blocks(int blocks, Bytes ram) {
  constexpr Bytes kNarrow = 10;
  constexpr Bytes kWide = 40;
  std::vector<Node> nodes;
  const auto add = [&](Bytes bytes, std::vector<int> inputs, bool backward) {
    nodes.push_back({.op = "custom",
                     .bytes = bytes,
                     .runtime_seconds = 1,
                     .energy_joules = 1,
                     .inputs = std::move(inputs),
                     .backward = backward});
    return static_cast<int>(nodes.size()) - 1;
  };
  int last = add(kNarrow, {}, false);
  for (int block = 0; block < blocks; ++block) {
    const int in = last;
    for (int layer = 0; layer < 3; ++layer) last = add(kWide, {last}, false);
    last = add(kNarrow, {in, last}, false);
  }
  const int forward = last;
  for (int node = forward; node > 0; --node) {
    const Bytes bytes = nodes[node].bytes;
    last = add(bytes, {node, last}, true);
  }
  Problem problem{.graph = make_graph(std::move(nodes))};
  problem.limits = {.ram_budget_bytes = ram, .runtime_budget_seconds = 1e9};
  problem.limits.techniques = kOnlyRemat;
  return problem;
}

/// The extra energy of the best descent from the baseline.
Units descended(const WholeCosts& costs) {
  Units least = std::numeric_limits<Units>::max();
  for (const Return back : {Return::any, Return::at_use}) {
    Timeline timeline(costs);
    descend(timeline, back, [] { return false; });
    if (!timeline.feasible()) continue;
    prune(timeline, [] { return false; });
    least = std::min(least, timeline.extra_energy());
  }
  return least;
}

TEST(SegmentSearch, ComputesBlocksAgainWhereSingleTensorsAreGivenUpInVain) {
  double ratios = 0;
  int count = 0;
  for (const Bytes ram : {260, 300, 380, 440}) {
    for (const Bytes more : {0, 20, 40}) {
      SCOPED_TRACE(testing::Message() << ram + more << " bytes");
      const Problem problem = equal_blocks(40, ram + more);
      const WholeCosts costs(problem);
      Timeline timeline(costs);
      const auto plan = search_segments(timeline, {.tries = 300});
      ASSERT_TRUE(plan);
      timeline.restore(plan->entries);
      EXPECT_EQ(timeline.extra_energy(), plan->energy);
      EXPECT_TRUE(simulate(problem.graph, to_schedule(timeline), problem.limits).valid());
      EXPECT_LE(plan->energy, descended(costs));
      ratios += static_cast<double>(plan->energy) / static_cast<double>(descended(costs));
      ++count;
    }
  }
  EXPECT_LT(ratios / count, 0.95);
}

TEST(SegmentSearch, ReportsEachBetterPlanAndGoesOnFromTheOneThatIsKnown) {
  const Problem problem = equal_blocks(40, 280);
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  std::vector<Units> reported;
  const auto note = [&](const Timeline& plan) { reported.push_back(plan.extra_energy()); };
  const auto plan = search_segments(timeline, {.tries = 40, .improved = note});
  ASSERT_TRUE(plan);
  EXPECT_GT(reported.size(), 1U);
  EXPECT_TRUE(std::is_sorted(reported.rbegin(), reported.rend()));
  EXPECT_EQ(reported.back(), plan->energy);
  const auto better = search_segments(timeline, {.start = plan, .tries = 300, .seed = 2});
  ASSERT_TRUE(better);
  EXPECT_LT(better->energy, plan->energy);
  EXPECT_FALSE(search_segments(timeline, {.start = better}));
}

TEST(SegmentSearch, HasNothingToSayWithoutRecomputation) {
  Problem problem = equal_blocks(40, 280);
  problem.limits.techniques = kOnlyPaging;
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  EXPECT_FALSE(search_segments(timeline, {.tries = 40}));
}

}  // namespace
}  // namespace poet
