// The parts of the search over orders, against working_set() and simulate(), and what it does at
// its limits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "poet/simulate.hpp"
#include "solver/order/least_peak.hpp"
#include "solver/order/order_judge.hpp"
#include "solver/order/order_moves.hpp"
#include "solver/order/order_search.hpp"
#include "solver/order/order_working_set.hpp"
#include "solver/order/start_orders.hpp"
#include "support/order_rules.hpp"
#include "support/random_order_graphs.hpp"
#include "support/unit_node.hpp"

namespace poet::test {
namespace {

constexpr double kLittleEffort = 0.02;

bool never_stop() {
  return false;
}

NodeOrder first_order(const Graph& graph) {
  NodeOrder order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Problem problem_with_orders(int number) {
  Random random(static_cast<std::uint64_t>(number));
  Problem problem{.graph = graph_with_orders(random, 8 + random.below(15))};
  const Baseline base = baseline(problem.graph);
  const Bytes low = OrderWorkingSet(problem.graph).of_any_order();
  const auto room = static_cast<double>(base.peak_ram_bytes - low);
  problem.limits = {.ram_budget_bytes = low + static_cast<Bytes>(0.7 * random.uniform() * room),
                    .runtime_budget_seconds = 2 * base.runtime_seconds,
                    .paging_time = static_cast<PagingTime>(random.below(3))};
  return problem;
}

TEST(OrderWorkingSet, IsTheWorkingSetOfThePermutedGraph) {
  int other = 0;
  for (int number = 0; number < 60; ++number) {
    SCOPED_TRACE(number);
    Random random(static_cast<std::uint64_t>(number));
    const Graph graph = graph_with_orders(random, 6 + random.below(20));
    const OrderWorkingSet all(graph);
    OrderMoves moves(graph, precedence(graph), random);
    NodeOrder order = first_order(graph);
    for (int drawn = 0; drawn < 30; ++drawn) {
      moves.change(order);
      const Bytes bytes = working_set(permuted(graph, order)).bytes;
      ASSERT_EQ(all.of(order), bytes);
      ASSERT_LE(all.of_any_order(), bytes);
      EXPECT_EQ(all.excess(order, bytes), 0);
      EXPECT_GT(all.excess(order, bytes - 1), 0);
      other += bytes != working_set(graph).bytes ? 1 : 0;
    }
  }
  EXPECT_GT(other, 50) << "orders with another working set than the given one";
}

TEST(OrderMoves, ReachBothOrdersOfTwoNodesUnlessAPairTiesThem) {
  const Graph graph = make_graph({{.name = "a"}, {.name = "b"}});
  Random random(1);
  NodeOrder order = first_order(graph);
  OrderMoves tied(graph, {{0, 1}}, random);
  EXPECT_FALSE(tied.any());
  EXPECT_FALSE(tied.change(order));
  OrderMoves free(graph, {}, random);
  EXPECT_TRUE(free.any());
  bool is_turned = false;
  for (int tried = 0; tried < 100; ++tried) {
    free.change(order);
    is_turned = is_turned || order == NodeOrder{1, 0};
  }
  EXPECT_TRUE(is_turned);
}

TEST(OrderMoves, KnowThatThereAreOtherOrdersIfThereAre) {
  int several = 0;
  int one = 0;
  for (int number = 0; number < 200; ++number) {
    Random random(static_cast<std::uint64_t>(number));
    const Graph graph = graph_with_orders(random, 5);
    const bool has_others = all_orders(step_nodes(graph), 200).size() > 1;
    EXPECT_EQ(OrderMoves(graph, precedence(graph), random).any(), has_others) << number;
    ++(has_others ? several : one);
  }
  EXPECT_GT(several, 20);
  EXPECT_GT(one, 0);
}

TEST(OrderJudge, CountsAsTheSimulatorDoes) {
  int fitting = 0;
  int moved = 0;
  for (int number = 0; number < 60; ++number) {
    SCOPED_TRACE(number);
    const Problem problem = problem_with_orders(number);
    const OrderJudge judge(problem);
    Random random(static_cast<std::uint64_t>(number));
    OrderMoves moves(problem.graph, precedence(problem.graph), random);
    NodeOrder order = first_order(problem.graph);
    NodePlan plan;
    for (int step = 0; step < 4; ++step) {
      moves.change(order);
      plan = judge.judge(order, plan, 500, random.next(), never_stop);
      const Graph graph = permuted(problem.graph, order);
      const Schedule schedule = judge.schedule_of(order, plan);
      const Replay replay = simulate(graph, schedule, problem.limits);
      EXPECT_EQ(replay.valid(), plan.fits());
      const Joules base = baseline(graph).energy_joules;
      EXPECT_NEAR(replay.energy_joules, base + plan.extra_joules, 1e-9 * replay.energy_joules);
      if (!plan.fits()) continue;
      ++fitting;
      const NodePlan same = judge.plan_of(order, schedule);
      EXPECT_TRUE(same.fits());
      EXPECT_EQ(same.extra_joules, plan.extra_joules);
      moved += order != first_order(problem.graph) ? 1 : 0;
    }
  }
  EXPECT_GT(fitting, 60);
  EXPECT_GT(moved, 40);
}

TEST(OrderJudge, NeverMakesAPlanThatFitsWorse) {
  int improved = 0;
  for (int number = 0; number < 40; ++number) {
    const Problem problem = problem_with_orders(number);
    const OrderJudge judge(problem);
    const NodeOrder order = first_order(problem.graph);
    NodePlan plan = judge.judge(order, {}, 1, 1, never_stop);
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
      const NodePlan next = judge.judge(order, plan, 300, seed, never_stop);
      EXPECT_TRUE(!plan.fits() || (next.fits() && next.extra_joules <= plan.extra_joules));
      improved += plan.fits() && next.extra_joules < plan.extra_joules ? 1 : 0;
      plan = next;
    }
  }
  EXPECT_GT(improved, 0);
}

FoundOrder search_with(const Problem& problem, OrderSearchOptions options) {
  options.effort = kLittleEffort;
  return search_order(problem, precedence(problem.graph), options);
}

void expect_same(const FoundOrder& found, const FoundOrder& other) {
  EXPECT_EQ(found.order, other.order);
  EXPECT_EQ(found.schedule, other.schedule);
  EXPECT_EQ(found.energy_joules, other.energy_joules);
  EXPECT_EQ(found.given_energy_joules, other.given_energy_joules);
}

TEST(OrderSearch, GivesOneAnswerToASeedWhetherOrNotSomebodyAsksForAnEnd) {
  int other = 0;
  int asked = 0;
  for (int number = 0; number < 10; ++number) {
    SCOPED_TRACE(number);
    const Problem problem = problem_with_orders(number);
    const FoundOrder found = search_with(problem, {.seed = 3});
    expect_same(search_with(problem, {.seed = 3}), found);
    OrderSearchOptions watched{.seed = 3, .seconds = 1e6};
    watched.stop = [&] {
      ++asked;
      return false;
    };
    expect_same(search_with(problem, watched), found);
    other += found.order.empty() ? 0 : 1;
  }
  EXPECT_GT(other, 2);
  EXPECT_GT(asked, 100);
}

TEST(OrderSearch, EndsAtOnceIfItIsStopped) {
  const Problem problem = problem_with_orders(1);
  int asked = 0;
  OrderSearchOptions options;
  options.stop = [&] { return ++asked > 0; };
  const FoundOrder found = search_order(problem, precedence(problem.graph), options);
  EXPECT_LT(asked, 1000);
  EXPECT_TRUE(found.order.empty() || found.schedule);
}

TEST(OrderSearch, ReportsEachBetterScheduleWithItsOrder) {
  int reports = 0;
  for (int number = 0; number < 10; ++number) {
    const Problem problem = problem_with_orders(number);
    Joules last = std::numeric_limits<Joules>::infinity();
    OrderSearchOptions options{.seed = 2};
    options.improved = [&](const NodeOrder& order, const Schedule& schedule, Joules energy) {
      ++reports;
      EXPECT_LT(energy, last);
      last = energy;
      const Graph graph = order.empty() ? problem.graph : permuted(problem.graph, order);
      const Replay replay = simulate(graph, schedule, problem.limits);
      EXPECT_TRUE(replay.valid());
      EXPECT_EQ(replay.energy_joules, energy);
    };
    const FoundOrder found = search_with(problem, options);
    EXPECT_EQ(found.schedule.has_value(), std::isfinite(last));
    if (found.schedule) {
      EXPECT_EQ(found.energy_joules, last);
    }
  }
  EXPECT_GT(reports, 10);
}

TEST(OrderSearch, IsNeverAboveTheScheduleThatItStartsFrom) {
  int started = 0;
  for (int number = 0; number < 10; ++number) {
    const Problem problem = problem_with_orders(number);
    const FoundOrder first = search_with(problem, {.seed = 5});
    if (!first.schedule) continue;
    ++started;
    OrderSearchOptions options{.seed = 6, .start_order = first.order, .start = first.schedule};
    const FoundOrder second = search_with(problem, options);
    ASSERT_TRUE(second.schedule.has_value());
    EXPECT_LE(second.energy_joules, first.energy_joules);
  }
  EXPECT_GT(started, 4);
}

// A copy that is never read is no part of a plan, so a start with one is no result either.
TEST(OrderSearch, LeavesOutWhatServesNothingInItsStart) {
  Problem problem = chain_problem(3, 8);
  Schedule wasteful = baseline(problem.graph).schedule;
  wasteful.stages[1].page_out = {0};
  const Replay replay = simulate(problem.graph, wasteful, problem.limits);
  ASSERT_TRUE(replay.valid());
  const Joules least = baseline(problem.graph).energy_joules;
  ASSERT_GT(replay.energy_joules, least);
  const FoundOrder found = search_order(problem, {}, {.start = wasteful});
  EXPECT_EQ(found.energy_joules, least);
}

/// Two branches: the outputs of the wide nodes are read by narrow ones, which the sum reads. Branch
/// by branch one wide tensor is in RAM at a time; the given order makes all of them first.
Problem wide_branches(int count) {
  std::vector<Node> nodes{{.name = "input", .op = "custom", .bytes = 1}};
  const auto add = [&](std::string name, Bytes bytes, std::vector<int> inputs) {
    nodes.push_back(unit_node(std::move(name), bytes, std::move(inputs)));
  };
  for (int b = 1; b <= count; ++b) add(fmt::format("wide{}", b), 100, {0});
  std::vector<int> narrow;
  for (int b = 1; b <= count; ++b) {
    narrow.push_back(static_cast<int>(nodes.size()));
    add(fmt::format("narrow{}", b), 1, {b});
  }
  add("sum", 1, narrow);
  return {.graph = make_graph(std::move(nodes)),
          .limits = {.ram_budget_bytes = 110, .runtime_budget_seconds = 100}};
}

TEST(StartOrders, AreLegalAndNeedNoMoreThanTheGivenOneAndTheFirstLeast) {
  int found = 0;
  for (int number = 0; number < 40; ++number) {
    Random random(static_cast<std::uint64_t>(number));
    const Graph graph = graph_with_orders(random, 6 + random.below(30));
    Bytes least = 0;
    for (const NodeOrder& order : start_orders(graph, precedence(graph))) {
      ++found;
      check_order(graph, precedence(graph), order);
      const Bytes peak = keep_all_peak(graph, order);
      EXPECT_LE(peak, keep_all_peak(graph, first_order(graph)));
      EXPECT_GE(peak, least);
      least = peak;
    }
  }
  EXPECT_GT(found, 20);
}

// Each narrow node frees a wide one.
TEST(StartOrders, HaveWhatFreesMoreThanItMakesAsSoonAsItCanBeComputed) {
  const Graph graph = wide_branches(3).graph;
  EXPECT_EQ(with_early_freeing(graph, precedence(graph), first_order(graph)),
            (NodeOrder{0, 1, 4, 2, 5, 3, 6, 7}));
}

/// Gradients of a chain, all of which stay until the updates at the end: of layer k, node 2k+2 is
/// the gradient of its weights.
Graph late_updates(int layers) {
  std::vector<Node> nodes;
  const auto add = [&](Bytes bytes, std::vector<int> inputs) {
    nodes.push_back(unit_node(fmt::format("n{}", nodes.size()), bytes, std::move(inputs)));
  };
  add(1, {});
  for (int k = 0; k < layers; ++k) {
    add(1, {std::max(0, 2 * k - 1)});  // the gradient of what the layer reads
    add(100, {2 * k + 1});             // and of its weights
  }
  for (int k = 0; k < layers; ++k) {
    add(0, {2 * k + 2});
    nodes.back().recompute = false;
    nodes.back().writes_parameters = {fmt::format("w{}", k)};
  }
  return make_graph(std::move(nodes));
}

TEST(StartOrders, BringUpdatesAndWhatFreesForwardFromAnyOrder) {
  constexpr int kCount = 6;
  const Graph updates = late_updates(kCount);
  const Graph branches = wide_branches(kCount).graph;
  Random random(1);
  OrderMoves of_updates(updates, {}, random);
  OrderMoves of_branches(branches, {}, random);
  NodeOrder late = first_order(updates);
  NodeOrder wide = first_order(branches);
  for (int drawn = 0; drawn < 100; ++drawn) {
    of_updates.change(late);
    of_branches.change(wide);
    const auto early = places_of(with_early_updates(updates, {}, late));
    const auto freeing = places_of(with_early_freeing(branches, {}, wide));
    for (int k = 0; k < kCount; ++k) {
      EXPECT_EQ(early[2 * kCount + 1 + k], early[2 * k + 2] + 1) << "the update of layer " << k;
      EXPECT_EQ(freeing[kCount + 1 + k], freeing[k + 1] + 1) << "the narrow end of branch " << k;
    }
  }
}

TEST(OrderSearch, FindsAScheduleAtOnceWhereEarlyUpdatesHaveOne) {
  Problem problem{.graph = late_updates(40)};
  problem.limits = {
      .ram_budget_bytes = 300, .runtime_budget_seconds = 200, .techniques = {.paging = false}};
  int asked = 0;
  OrderSearchOptions options;
  options.stop = [&] { return ++asked > 2000; };
  const FoundOrder found = search_order(problem, precedence(problem.graph), options);
  ASSERT_TRUE(found.schedule.has_value());
  EXPECT_EQ(found.energy_joules, baseline(problem.graph).energy_joules);
}

// The least peak of any order, as MODeL looks for.
TEST(OrderSearch, WithoutTechniquesFindsAnOrderThatFitsByItself) {
  Problem problem = wide_branches(4);
  problem.limits.techniques = {.paging = false, .remat = false};
  ASSERT_GT(baseline(problem.graph).peak_ram_bytes, 400);
  const FoundOrder found = search_with(problem, {});
  ASSERT_TRUE(found.schedule.has_value());
  EXPECT_FALSE(found.order.empty());
  EXPECT_FALSE(found.given_energy_joules.has_value()) << "no schedule fits the given order";
  const Graph graph = permuted(problem.graph, found.order);
  EXPECT_EQ(found.energy_joules, baseline(graph).energy_joules);
  EXPECT_LE(baseline(graph).peak_ram_bytes, 110);
}

TEST(OrderSearch, EndsOnceNothingIsLeftToSave) {
  const Problem problem = wide_branches(4);
  int reports = 0;
  int asked = 0;
  OrderSearchOptions options;
  options.improved = [&](const NodeOrder&, const Schedule&, Joules) { ++reports; };
  options.stop = [&] {
    ++asked;
    return false;
  };
  const FoundOrder found = search_order(problem, {}, options);
  EXPECT_EQ(found.energy_joules, baseline(problem.graph).energy_joules);
  EXPECT_GT(reports, 0);
  EXPECT_LT(asked, 200'000) << "and not only after its three million moves";
}

TEST(OrderSearch, OfAChainIsASearchInItsOneOrder) {
  Problem problem = chain_problem(8, 100);
  problem.limits.ram_budget_bytes = working_set(problem.graph).bytes;
  const FoundOrder found = search_order(problem, precedence(problem.graph), {});
  EXPECT_TRUE(found.order.empty());
  ASSERT_TRUE(found.schedule.has_value());
  EXPECT_EQ(found.given_energy_joules, found.energy_joules);
}

}  // namespace
}  // namespace poet::test
