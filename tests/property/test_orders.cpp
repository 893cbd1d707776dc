// Orders that the search draws and finds, against tests/support/order_rules.cpp: what each node
// reads and changes is taken from the formulas of the step there, not from what its node states.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "solver/order/order_moves.hpp"
#include "solver/order/order_search.hpp"
#include "solver/order/start_orders.hpp"
#include "support/cases.hpp"
#include "support/executed_step.hpp"
#include "support/order_rules.hpp"
#include "support/random_order_graphs.hpp"
#include "support/random_steps.hpp"

namespace poet::test {
namespace {

constexpr int kOrders = 200;
constexpr int kMostTries = 20 * kOrders;
constexpr double kOrderEffort = 0.01;

struct SeenOrders {
  int other = 0;           ///< found orders that are not the given one
  int found = 0;           ///< with a schedule
  int forward_behind = 0;  ///< with a forward node behind a backward one
  int transfers = 0;
  int recomputations = 0;
  int orders = 0;           ///< that were drawn
  int over_another = 0;     ///< of them, with a node that takes over another input
  int brought_forward = 0;  ///< of them, with updates or what frees RAM earlier than before
};

/// The graph in this order, if all of it is right.
Graph expect_order(const Graph& given, const StepNodes& step, const NodeOrder& order) {
  EXPECT_EQ(order_fault(step, order), "");
  const Graph moved = permuted(given, order);
  EXPECT_EQ(permutation_fault(given, order, moved), "");
  const Graph back = permuted(moved, inverse(order));
  EXPECT_EQ(graph_sha256(back, true), graph_sha256(given, true));
  return moved;
}

bool has_forward_behind(const Graph& graph) {
  const auto& nodes = graph.nodes;
  return std::any_of(nodes.begin() + graph.first_backward, nodes.end(),
                     [](const Node& node) { return !node.backward; });
}

bool takes_over_another(const Graph& given, const NodeOrder& order, const Graph& moved) {
  for (std::size_t p = 0; p < order.size(); ++p) {
    const std::optional<int>& over = moved.nodes[p].in_place;
    if (over && order[*over] != given.nodes[order[p]].in_place) return true;
  }
  return false;
}

void draw_orders(const Graph& given, const StepNodes& step, const Precedence& precedence,
                 Random& random, SeenOrders& seen) {
  OrderMoves moves(given, precedence, random);
  NodeOrder order(given.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  int drawn = 0;
  for (int tried = 0; tried < kMostTries && drawn < kOrders; ++tried) {
    if (!moves.change(order)) continue;
    ++drawn;
    ++seen.orders;
    if (drawn % 8 == 0) {
      const NodeOrder before = order;
      order = (drawn % 16 == 0 ? with_early_updates : with_early_freeing)(given, precedence, order);
      seen.brought_forward += order == before ? 0 : 1;
    }
    const Graph moved = expect_order(given, step, order);
    seen.over_another += takes_over_another(given, order, moved) ? 1 : 0;
    const Schedule schedule = baseline(moved).schedule;
    const Limits ample{.ram_budget_bytes = kMaxBytes, .runtime_budget_seconds = 1e9};
    EXPECT_TRUE(simulate(moved, schedule, ample).valid());
    if (testing::Test::HasFailure()) return;
  }
}

Limits draw_limits(const Graph& graph, Random& random) {
  const Baseline base = baseline(graph);
  Bytes own = 0;
  for (const Node& node : graph.nodes) {
    Bytes bytes = node.workspace_bytes + (node.in_place ? 0 : node.bytes);
    for (const int input : node.inputs) bytes += graph.nodes[input].bytes;
    own = std::max(own, bytes);
  }
  const auto room = static_cast<double>(base.peak_ram_bytes - own);
  return {.ram_budget_bytes = own + static_cast<Bytes>((0.1 + 0.8 * random.uniform()) * room),
          .runtime_budget_seconds = base.runtime_seconds * (1.01 + 2 * random.uniform()),
          .paging_time = static_cast<PagingTime>(random.below(3))};
}

/// The order and the schedule that a search finds, with the graph in that order.
struct CheckedOrder {
  NodeOrder order;
  Graph graph;
  Schedule schedule;
};

std::optional<CheckedOrder> search_orders_of(const Problem& problem, const StepNodes& step,
                                             const Precedence& precedence, std::uint32_t seed,
                                             SeenOrders& seen) {
  const FoundOrder found =
      search_order(problem, precedence, {.seed = seed, .effort = kOrderEffort});
  if (!found.schedule) return {};
  NodeOrder order = found.order;
  if (order.empty()) {
    order.resize(problem.graph.nodes.size());
    std::iota(order.begin(), order.end(), 0);
  }
  CheckedOrder checked{order, expect_order(problem.graph, step, order), *found.schedule};
  const Replay replay = simulate(checked.graph, checked.schedule, problem.limits);
  EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
  EXPECT_EQ(replay.energy_joules, found.energy_joules);
  EXPECT_LE(found.energy_joules, found.given_energy_joules.value_or(found.energy_joules));
  ++seen.found;
  seen.other += found.order.empty() ? 0 : 1;
  seen.forward_behind += has_forward_behind(checked.graph) ? 1 : 0;
  seen.transfers += replay.page_in_count > 0 ? 1 : 0;
  seen.recomputations += replay.recompute_count > 0 ? 1 : 0;
  return checked;
}

void print(const char* what, int count, const SeenOrders& seen) {
  fmt::print(
      "{} {}: {} orders drawn, {} with another input taken over; {} searches found a schedule, "
      "{} in another order, {} with forward nodes behind backward ones, {} page, {} recompute\n",
      count, what, seen.orders, seen.over_another, seen.found, seen.other, seen.forward_behind,
      seen.transfers, seen.recomputations);
}

/// The model in the order of the graph, as a program of its own: each computation has the value of
/// the definition of the step.
void expect_step(const ExecutedStep& given, const CheckedOrder& checked, PagingTime paging_time) {
  ExecutedStep moved = given;
  moved.model = permuted(given.model, checked.order);
  moved.graph = checked.graph;
  const Platform platform = load_platform("m4");
  EXPECT_EQ(graph_sha256(cost_graph(moved.model, &platform), true),
            graph_sha256(moved.graph, true));
  EXPECT_EQ(moved.fault(to_program(moved.graph, checked.schedule, paging_time)), "");
  const Model back = permuted(moved.model, inverse(checked.order));
  EXPECT_TRUE(back.order.empty());
  EXPECT_EQ(graph_sha256(cost_graph(back, &platform), true), graph_sha256(given.graph, true));
}

void check_model(int number, SeenOrders& seen) {
  SCOPED_TRACE(fmt::format("case {}", number));
  Random random(static_cast<std::uint64_t>(number));
  const std::string text = random_step(random);
  const ExecutedStep given = file_step(text);
  const StepNodes step = step_nodes(text);
  const Precedence pairs = precedence(given.model);
  draw_orders(given.graph, step, pairs, random, seen);
  const Problem problem{.graph = given.graph, .limits = draw_limits(given.graph, random)};
  const auto checked = search_orders_of(problem, step, pairs, random.below(1000), seen);
  if (checked) expect_step(given, *checked, problem.limits.paging_time);
  if (testing::Test::HasFailure()) ADD_FAILURE() << text;
}

// POET_CASES=2000 for the long run.
TEST(Orders, OfRandomModelsGiveEveryNodeWhatItReadsInTheGivenOrder) {
  SeenOrders seen;
  const int cases = for_cases(80, [&](int i) { check_model(i, seen); });
  print("models", cases, seen);
  EXPECT_GT(seen.other, cases / 3);
  EXPECT_GT(seen.forward_behind, cases / 10);
  EXPECT_GT(seen.recomputations, cases / 5);
  EXPECT_GT(seen.transfers, cases / 20);
}

void check_graph(int number, SeenOrders& seen) {
  SCOPED_TRACE(fmt::format("case {}", number));
  Random random(static_cast<std::uint64_t>(number));
  const Graph given = graph_with_orders(random, 6 + random.below(25));
  const StepNodes step = step_nodes(given);
  draw_orders(given, step, precedence(given), random, seen);
  const Problem problem{.graph = given, .limits = draw_limits(given, random)};
  search_orders_of(problem, step, precedence(given), random.below(1000), seen);
}

TEST(Orders, OfRandomGraphsGiveEveryNodeWhatItReadsInTheGivenOrder) {
  SeenOrders seen;
  const int cases = for_cases(50, [&](int i) { check_graph(i, seen); });
  print("graphs", cases, seen);
  EXPECT_GT(seen.other, cases / 4);
  EXPECT_GT(seen.over_another, cases);
  EXPECT_GT(seen.brought_forward, cases);
  EXPECT_GT(seen.recomputations, cases / 5);
}

/// The first fault of 200 orders that keep other pairs than they should; empty if none has any.
std::string fault_of_orders(const Graph& graph, const StepNodes& step, const Precedence& pairs) {
  Random random(1);
  OrderMoves moves(graph, pairs, random);
  NodeOrder order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  for (int drawn = 0; drawn < kOrders; ++drawn) {
    moves.change(order);
    const std::string fault = order_fault(step, order);
    if (!fault.empty()) return fault;
  }
  return "";
}

OrderedModel ds_cnn(Update update) {
  std::ifstream file(POET_SOURCE_DIR "/models/ds_cnn.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return ordered_model(text, update, Optimizer::sgd);
}

// A graph's lists of parameters do not name the gradients that are kept beside it.
TEST(Orders, OfAnAccumulatingModelAreWrongWithoutThePairsOfKeptGradients) {
  const auto [model, step] = ds_cnn(Update::accumulate);
  const Platform platform = load_platform("m4");
  const Graph graph = cost_graph(model, &platform);
  EXPECT_EQ(fault_of_orders(graph, step, precedence(model)), "");
  const std::string fault = fault_of_orders(graph, step, precedence(graph));
  EXPECT_NE(fault.find("changes 'kept "), std::string::npos) << fault;

  NodeOrder order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const int sum = index_of(model, "gradw(fc)");
  order.erase(order.begin() + sum);
  order.push_back(sum);  // behind update(fc), as "weight gradients wait" would have it
  EXPECT_TRUE(is_legal(graph, precedence(graph), order));
  EXPECT_EQ(order_fault(step, order), "update(fc) changes 'kept fc' before gradw(fc) does");
  EXPECT_FALSE(is_legal(graph, precedence(model), order));
}

TEST(Orders, OfAFusedModelAreWrongWithoutThePairsOfParameters) {
  const auto [model, step] = ds_cnn(Update::fused);
  const Platform platform = load_platform("m4");
  const Graph graph = cost_graph(model, &platform);
  EXPECT_EQ(fault_of_orders(graph, step, precedence(model)), "");
  EXPECT_NE(fault_of_orders(graph, step, {}), "");
}

}  // namespace
}  // namespace poet::test
