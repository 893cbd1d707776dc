#include "solver/moments/moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "poet/simulate.hpp"
#include "solver/moments/moment_rows.hpp"
#include "support/cases.hpp"
#include "support/graph_attributes.hpp"
#include "support/random_graphs.hpp"
#include "support/random_schedules.hpp"

namespace poet {
namespace {

using Moments = std::vector<int>;

/// The baseline holds 10, 30, 60, 61, 58 and 51 bytes when it computes the six nodes.
Problem six_nodes(Bytes budget) {
  std::vector<Node> nodes{{.bytes = 10},
                          {.bytes = 20},
                          {.bytes = 30},
                          {.bytes = 1, .inputs = {0, 1, 2}},
                          {.bytes = 50, .inputs = {3}, .workspace_bytes = 7},
                          {.bytes = 1, .inputs = {4}}};
  return {.graph = make_graph(std::move(nodes)), .limits = {.ram_budget_bytes = budget}};
}

TEST(Moments, AreWhereTheBaselineOverrunsTheBudgetMost) {
  const Problem problem = six_nodes(55);  // by 5, 6 and 3 bytes
  EXPECT_EQ(peak_moments(problem, 1), Moments({3}));
  EXPECT_EQ(peak_moments(problem, 2), Moments({3, 4}));
  EXPECT_EQ(peak_moments(problem, 3), Moments({2, 3, 4}));
  EXPECT_EQ(peak_moments(problem, 100), Moments({2, 3, 4}));
}

TEST(Moments, AreNoneWhereTheBaselineFits) {
  EXPECT_EQ(peak_moments(six_nodes(61), 4), Moments());
  EXPECT_EQ(peak_moments(six_nodes(60), 4), Moments({3}));
}

TEST(Moments, LeaveOutWhatIsTakenOver) {
  Problem problem = six_nodes(30);
  std::vector<Node> nodes = problem.graph.nodes;
  nodes[4].bytes = nodes[3].bytes;
  nodes[4].in_place = 3;
  nodes[4].workspace_bytes = 30;  // 31 bytes with its output alone
  problem.graph = make_graph(nodes);
  EXPECT_EQ(peak_moments(problem, 100), Moments({2, 3, 4}));
  problem.limits.ram_budget_bytes = 31;
  EXPECT_EQ(peak_moments(problem, 100), Moments({2, 3}));
}

/// One moment is at the peak that the replay finds, whatever the graph.
TEST(Moments, OneIsAtThePeak) {
  const test::CaseRange cases = test::wanted_cases(200);
  for (int seed = cases.first; seed < cases.first + cases.count; ++seed) {
    SCOPED_TRACE(seed);
    test::Twister random(seed);
    Problem problem{.graph = test::with_attributes(test::random_graph(random), [&](int n) {
                      return test::draw(random, 0, n - 1);
                    })};
    const Baseline base = baseline(problem.graph);
    problem.limits.ram_budget_bytes = base.peak_ram_bytes - 1;
    const Replay replay = simulate(problem.graph, base.schedule, problem.limits);
    const Moments moments = peak_moments(problem, 1);
    ASSERT_EQ(moments.size(), 1u);
    EXPECT_EQ(replay.stage_peak_ram_bytes[moments.front()], base.peak_ram_bytes);
    const Moments all = peak_moments(problem, problem.graph.size());
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), std::less_equal<>()));
  }
}

TEST(Moments, SpreadOverAllStagesFromTheFirst) {
  const Graph graph = six_nodes(55).graph;
  EXPECT_EQ(spread_moments(graph, 2, 1), Moments({2}));
  EXPECT_EQ(spread_moments(graph, 2, 2), Moments({2, 4}));
  EXPECT_EQ(spread_moments(graph, 0, 3), Moments({0, 2, 4}));
  EXPECT_EQ(spread_moments(graph, 0, 100), Moments({0, 1, 2, 3, 4, 5}));
}

TEST(Moments, AgainstAPointAreWhereItOverrunsTheBudgetMostBetweenTheOnesThatThereAre) {
  const Problem problem = six_nodes(55);
  const Schedule baseline{.stages = std::vector<Stage>(6)};
  EXPECT_EQ(moments_against(problem, {}, baseline), Moments({3}));
  EXPECT_EQ(moments_against(problem, {0, 1, 5}, baseline), Moments({0, 1, 3, 5}));
  EXPECT_EQ(moments_against(six_nodes(29), {0, 2}, baseline), Moments({0, 2, 3}));
  EXPECT_EQ(moments_against(problem, {2, 3, 4}, baseline), Moments({2, 3, 4}));
  EXPECT_EQ(moments_against(six_nodes(61), {0}, baseline), Moments({0}));
}

/// Only consecutive moments have rows on a recomputation.
TEST(Moments, AgainstAnOverrunInARecomputationIncludeTheStageBefore) {
  std::vector<Node> nodes{{.bytes = 10},
                          {.bytes = 20, .inputs = {0}, .workspace_bytes = 100},
                          {.bytes = 1, .inputs = {1}},
                          {.bytes = 1, .inputs = {2}},
                          {.bytes = 1, .inputs = {3}},
                          {.bytes = 1, .inputs = {1, 4}}};
  const Problem problem{.graph = make_graph(std::move(nodes)), .limits = {.ram_budget_bytes = 125}};
  Schedule point{.stages = std::vector<Stage>(6)};
  point.stages[5].compute = {0, 1};
  EXPECT_EQ(moments_against(problem, {1}, point), Moments({1, 4, 5}));
}

/// The row would count node 2 as its reader less itself, which is -1.
TEST(Moments, HaveRowsBesideWhatIsComputedAgainForNothing) {
  std::vector<Node> nodes{{.bytes = 20},
                          {.bytes = 10, .inputs = {0}},
                          {.bytes = 10},
                          {.bytes = 10, .inputs = {1, 2}},
                          {.bytes = 10, .inputs = {1, 3}}};
  const Problem problem{.graph = make_graph(std::move(nodes)), .limits = {.ram_budget_bytes = 30}};
  const MomentModel model(problem, costs_for_infeasible(problem.graph), {3, 4}, false);
  std::vector<double> point(model.size(), 0);
  for (const int i : {0, 1, 2}) point[model.intervals()[0].recomputed[i]] = 1;
  const std::vector<ProofRow> rows = violated_ram(model, point, 0);
  EXPECT_TRUE(std::ranges::any_of(
      rows, [](const ProofRow& row) { return row.line.starts_with("bytes 4 1 "); }));
}

/// The rows of a kind that the first relaxation of a chain with all moments begins without, and
/// all.
std::pair<int, int> late_rows(int layers, std::string_view kind) {
  const Problem problem = test::chain_problem(layers, 1);
  const Moments moments = spread_moments(problem.graph, 0, problem.graph.size());
  std::pair<int, int> late_and_all;
  for (const ProofRow& row :
       moment_rows(MomentModel(problem, costs_for_infeasible(problem.graph), moments, false))) {
    if (!row.line.starts_with(kind)) continue;
    ++late_and_all.second;
    late_and_all.first += row.rarely_tight ? 1 : 0;
  }
  return late_and_all;
}

TEST(Moments, OfALargeModelBeginWithoutRowsThatOthersNearlyImply) {
  for (const char* const kind : {"copy ", "sumI "}) {
    const auto [late, all] = late_rows(100, kind);
    EXPECT_EQ(late, all) << kind;
    EXPECT_GT(all, 1000) << kind;
    EXPECT_EQ(late_rows(20, kind).first, 0) << kind;
  }
  EXPECT_EQ(late_rows(100, "copies ").first, 0);
}

}  // namespace
}  // namespace poet
