// The search over orders against all of them: on graphs of eight nodes with few legal orders, the
// oracle of tests/support knows the optimum of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "poet/question.hpp"
#include "solver/order/order_search.hpp"
#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/order_rules.hpp"
#include "support/random_order_graphs.hpp"

namespace poet::test {
namespace {

constexpr int kOracleGraphNodes = 8;
constexpr std::size_t kMostOrders = 300;
constexpr std::size_t kLeastOrders = 4;
/// Of the usual moves, which are meant for graphs of hundreds of nodes.
constexpr double kOracleEffort = 0.1;
constexpr Bytes kStep = kBytesOfOrders;  // all sizes are multiples

/// A graph with more orders than one and no more than can be tried.
struct OrderCase {
  Graph graph;
  std::vector<Graph> orders;
};

OrderCase draw_order_case(Random& random) {
  while (true) {
    const Graph graph = graph_with_orders(random, kOracleGraphNodes);
    const std::vector<NodeOrder> orders = all_orders(step_nodes(graph), kMostOrders);
    if (orders.size() < kLeastOrders) continue;
    OrderCase drawn{graph, {}};
    for (const NodeOrder& order : orders) drawn.orders.push_back(permuted(graph, order));
    return drawn;
  }
}

Bytes own_bytes(const Graph& graph) {
  Bytes most = 0;
  for (const Node& node : graph.nodes) {
    Bytes bytes = node.workspace_bytes + (node.in_place ? 0 : node.bytes);
    for (const int input : node.inputs) bytes += graph.nodes[input].bytes;
    most = std::max(most, bytes);
  }
  return most;
}

Limits draw_order_limits(Random& random, const OrderCase& drawn) {
  const Baseline base = baseline(drawn.graph);
  const Bytes own = own_bytes(drawn.graph);
  const int steps = static_cast<int>((base.peak_ram_bytes - own) / kStep);
  Limits limits;
  limits.ram_budget_bytes = own + kStep * random.below(std::max(1, steps));
  limits.runtime_budget_seconds = base.runtime_seconds * (1.01 + 2 * random.uniform());
  limits.paging_time = static_cast<PagingTime>(random.below(3));
  if (random.below(6) == 0) limits.techniques.paging = false;
  if (random.below(6) == 0) limits.techniques.remat = false;
  return limits;
}

/// The least energy in any order; infinite if there is no schedule. `hint` is an energy above which
/// nobody wants to know.
Joules least_in_any_order(const OrderCase& drawn, const Limits& limits, Joules hint) {
  Joules least = std::numeric_limits<Joules>::infinity();
  for (const Graph& graph : drawn.orders) {
    const auto answer = ask_oracle(graph, limits, std::min(hint, least));
    if (answer) least = std::min(least, answer->energy_joules);
  }
  return least;
}

bool any_order_fits(const OrderCase& drawn, const Limits& limits) {
  return std::any_of(drawn.orders.begin(), drawn.orders.end(), [&](Graph graph) {
    for (Node& node : graph.nodes) {
      node.energy_joules = node.page_in_energy_joules = node.page_out_energy_joules = 0;
    }
    return ask_oracle(graph, limits).has_value();
  });
}

/// The least RAM that any order gets by with. The peak of the given order is enough.
Bytes least_ram_in_any_order(const OrderCase& drawn, Limits limits) {
  limits.ram_budget_bytes = own_bytes(drawn.graph);
  while (!any_order_fits(drawn, limits)) limits.ram_budget_bytes += kStep;
  return limits.ram_budget_bytes;
}

struct OrderTally {
  int cases = 0;
  std::size_t orders = 0;
  int feasible = 0;
  int met = 0;
  int below_given = 0;  ///< the given order has more, or no schedule
  int ram_met = 0;
  int ram_below_given = 0;
};

void check_energy(int number, const OrderCase& drawn, const Limits& limits, std::uint32_t seed,
                  OrderTally& tally) {
  const Problem problem{.graph = drawn.graph, .limits = limits};
  const FoundOrder found =
      search_order(problem, precedence(drawn.graph), {.seed = seed, .effort = kOracleEffort});
  constexpr double kSame = 1e-9;
  const Joules hint =
      found.schedule ? found.energy_joules * (1 + kSame) : std::numeric_limits<Joules>::infinity();
  const Joules least = least_in_any_order(drawn, limits, hint);
  if (least == std::numeric_limits<Joules>::infinity()) {
    EXPECT_FALSE(found.schedule.has_value()) << "case " << number << ": below every order";
    return;
  }
  ++tally.feasible;
  const auto given = ask_oracle(drawn.graph, limits, least * (1 + kSame));
  tally.below_given += given && given->energy_joules <= least * (1 + kSame) ? 0 : 1;
  if (!found.schedule) return;
  EXPECT_GE(found.energy_joules, least * (1 - kSame)) << "case " << number;
  tally.met += found.energy_joules <= least * (1 + kSame) ? 1 : 0;
}

void check_ram(int number, const OrderCase& drawn, Limits limits, std::uint32_t seed,
               OrderTally& tally) {
  const Bytes least = least_ram_in_any_order(drawn, limits);
  const auto search = [&](Bytes ram, double effort) {
    limits.ram_budget_bytes = ram;
    const Problem problem{.graph = drawn.graph, .limits = limits};
    return search_order(problem, precedence(drawn.graph), {.seed = seed, .effort = effort})
        .schedule.has_value();
  };
  EXPECT_FALSE(search(least - 1, kOracleEffort / 10)) << "case " << number;
  tally.ram_met += search(least, kOracleEffort) ? 1 : 0;
  limits.ram_budget_bytes = least;
  tally.ram_below_given += ask_oracle(drawn.graph, limits) ? 0 : 1;
}

// POET_CASES=200 for all of them.
TEST(OrderOracle, TheSearchMeetsTheBestOfAllOrdersAndIsNeverBelowIt) {
  OrderTally tally;
  const int cases = for_cases(25, [&](int i) {
    Random random(static_cast<std::uint64_t>(i));
    const OrderCase drawn = draw_order_case(random);
    const Limits limits = draw_order_limits(random, drawn);
    const auto seed = static_cast<std::uint32_t>(i);
    ++tally.cases;
    tally.orders += drawn.orders.size();
    check_energy(i, drawn, limits, seed, tally);
    check_ram(i, drawn, limits, seed, tally);
  });
  fmt::print(
      "{} graphs, {} orders; {} with a schedule, least energy met in {} ({} below the given "
      "order); least RAM met in {} ({} below the given order)\n",
      tally.cases, tally.orders, tally.feasible, tally.met, tally.below_given, tally.ram_met,
      tally.ram_below_given);
  EXPECT_GT(tally.feasible, cases / 2);
  EXPECT_GT(tally.below_given, cases / 8);
  EXPECT_GE(100 * tally.met, 95 * tally.feasible);
  EXPECT_GE(100 * tally.ram_met, 95 * tally.cases);
}

/// A subject of a graph that brings its costs.
Subject given_subject(const Graph& graph) {
  return {.model = {.name = "drawn", .nodes = {}},
          .platform = {},
          .graph = graph,
          .base = baseline(graph),
          .limits = {.paging_time = PagingTime::blocking}};
}

TEST(StatedOrder, ChangesNothingAboutWhatMinMeans) {
  int differs = 0;
  for (int number = 0; number < 12; ++number) {
    SCOPED_TRACE(number);
    Random random(number);
    const OrderCase drawn = draw_order_case(random);
    const Subject given = given_subject(drawn.graph);
    std::vector<NodeOrder> orders = all_orders(step_nodes(drawn.graph), kMostOrders);
    const NodeOrder& order = orders[random.below(static_cast<int>(orders.size()))];
    Question question{.ram = NamedRam::smallest, .runtime = Ratio{2}};
    const Bytes meant = resolve(given, question).limits.ram_budget_bytes;
    question.settings.order = OrderKind::stated;
    const Subject stated = reordered(given, order);
    EXPECT_EQ(resolve(stated, question).limits.ram_budget_bytes, meant);
    // What is looked for is about the stated order.
    question.settings.objective = Objective::ram;
    differs += resolve(stated, question).limits.ram_budget_bytes != meant;
  }
  EXPECT_GT(differs, 2);
}

}  // namespace
}  // namespace poet::test
