// Every technique of the solver against the plain formulation, on graphs too large for the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "poet/order.hpp"
#include "poet/solve.hpp"
#include "support/answers.hpp"
#include "support/cases.hpp"
#include "support/failing_case.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

constexpr Seconds kTimeLimit = 30;
/// From here on every graph goes through the collapsed model first.
constexpr int kNoSmallGraph = 0;

struct Variant {
  std::string name;
  SolverFeatures features;
  int small_graph = kNoSmallGraph;
  std::int64_t complete_nonzeros = SolveOptions{}.complete_nonzeros;
};

/// The plain formulation first: it is what the others are held against.
std::vector<Variant> variants() {
  std::vector<Variant> all{{.name = "none", .features = no_features()},
                           {.name = "all"},
                           {.name = "all, full model first", .small_graph = 40},
                           {.name = "memory rows on demand",
                            .features = features_without("local-search,glance"),
                            .complete_nonzeros = 0}};
  for (const FeatureSwitch& technique : kFeatureSwitches) {
    all.push_back({.name = fmt::format("without {}", technique.name)});
    all.back().features.*technique.flag = false;
    all.push_back({.name = fmt::format("only {}", technique.name), .features = no_features()});
    all.back().features.*technique.flag = true;
  }
  return all;
}

SolveResult solve_with(const Problem& problem, const Variant& variant) {
  return solve(
      problem,
      {.settings = {.gap = 0, .time_limit_seconds = kTimeLimit, .features = variant.features},
       .small_graph = variant.small_graph,
       .complete_nonzeros = variant.complete_nonzeros});
}

std::string compare(const Problem& problem, const Variant& plain, const Variant& variant) {
  return contradiction(solve_with(problem, plain), solve_with(problem, variant));
}

/// Each way has every second problem; all of them if POET_CASES asks for a number.
bool is_tried(std::size_t way, int suited) {
  return std::getenv("POET_CASES") != nullptr || (static_cast<int>(way) + suited) % 2 == 0;
}

/// What becomes of a problem that was drawn; nothing where it does not suit.
using Change = std::function<std::optional<Problem>(const Problem&)>;

void expect_agreement(const CaseRange& range, const Change& change) {
  const std::vector<Variant> all = variants();
  std::vector<std::string> unsettled;  // case and way
  std::vector<int> tried(all.size(), 0);
  int searched = 0;
  int suited = 0;
  int solved = 0;
  for (int number = range.first; number < range.first + range.count; ++number) {
    Random random(number);
    const auto drawn = change(wild_problem(random, 10 + random.below(16), Numbers::moderate));
    if (!drawn) continue;
    ++suited;
    const Problem& problem = *drawn;
    const SolveResult plain = solve_with(problem, all.front());
    searched += plain.statistics.formulation != "none" ? 1 : 0;
    if (!settled(plain)) unsettled.push_back(fmt::format("{} {}", number, all.front().name));
    ++solved;
    for (std::size_t v = 1; v < all.size(); ++v) {
      if (!is_tried(v, suited)) continue;
      ++tried[v];
      ++solved;
      const SolveResult other = solve_with(problem, all[v]);
      EXPECT_FALSE(other.solver_failed) << number << ' ' << all[v].name << ": " << other.reason;
      if (!settled(other)) unsettled.push_back(fmt::format("{} {}", number, all[v].name));
      const std::string wrong = contradiction(plain, other);
      if (wrong.empty()) continue;
      const Problem small = shrink(problem, [&](const Problem& candidate) {
        return !compare(candidate, all.front(), all[v]).empty();
      });
      ADD_FAILURE() << "case " << number << ", " << all[v].name << ": " << wrong << "\nwritten to "
                    << write_failing_case(small, fmt::format("techniques_{}_{}", number, v),
                                          all[v].name + ": " + wrong);
    }
  }
  std::cout << fmt::format(
      "{} cases in {} ways, {} of them searched; {} answers without a proof{}{}\n", suited,
      all.size(), searched, unsettled.size(), unsettled.empty() ? "" : ": ",
      fmt::join(unsettled, ", "));
  EXPECT_GE(suited, range.count / 4);
  EXPECT_GE(searched, suited / 2);
  // Few proofs may stay open, those with prices millions of times apart.
  EXPECT_LE(unsettled.size(), static_cast<std::size_t>(solved) / 10);
  for (std::size_t v = 1; v < all.size(); ++v) EXPECT_GT(tried[v], 0) << all[v].name;
}

TEST(SolverFeatures, AnOlderNameStillSwitchesTheGlanceOff) {
  EXPECT_EQ(features_without("coarse"), features_without("glance"));
  EXPECT_FALSE(features_without("coarse").glance);
  EXPECT_EQ(features_without("sub-rows"), features_without("knapsack-cuts"));
}

TEST(SolverFeatures, EachAndAllFindTheOptimumOfThePlainFormulation) {
  expect_agreement(wanted_cases(2, 2), [](const Problem& problem) { return problem; });
}

TEST(SolverFeatures, EachAndAllFindItWhereAByteInABillionDecides) {
  expect_agreement(wanted_cases(2, 2), with_a_byte_too_little);
}

/// The same nodes with each backward one as early as may be; nothing if no forward one is then
/// behind one of them.
std::optional<Problem> with_forward_nodes_behind(const Problem& problem) {
  const Graph& graph = problem.graph;
  NodeOrder order;
  std::vector<bool> is_done(graph.nodes.size(), false);
  const auto next = [&](bool backward) {
    for (int k = 0; k < graph.size(); ++k) {
      const Node& node = graph.nodes[k];
      if (is_done[k] || node.backward != backward) continue;
      const auto& inputs = node.inputs;
      if (std::all_of(inputs.begin(), inputs.end(), [&](int i) { return is_done[i]; })) return k;
    }
    return -1;
  };
  while (order.size() < graph.nodes.size()) {
    const int early = next(true);
    order.push_back(early >= 0 ? early : next(false));
    is_done[order.back()] = true;
  }
  Problem moved{.graph = permuted(graph, order), .limits = problem.limits};
  const std::vector<Node>& nodes = moved.graph.nodes;
  const bool is_behind = std::any_of(nodes.begin() + moved.graph.first_backward, nodes.end(),
                                     [](const Node& node) { return !node.backward; });
  return is_behind ? std::optional(std::move(moved)) : std::nullopt;
}

TEST(SolverFeatures, EachAndAllFindItWithForwardNodesBehindTheFirstBackwardOne) {
  expect_agreement(wanted_cases(2, 2), with_forward_nodes_behind);
}

}  // namespace
}  // namespace poet::test
