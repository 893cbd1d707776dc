// Large, small, equal and absent numbers: the optimum must follow them exactly.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

constexpr double kScaledTolerance = 2e-9;  // of the energy
constexpr int kProblems = 12;

/// Small problems with moderate numbers that take a search, and have a schedule.
std::vector<Problem> moderate_problems() {
  std::vector<Problem> problems;
  for (int seed = 0; problems.size() < kProblems; ++seed) {
    Random random(seed);
    Problem problem = wild_problem(random, 5 + random.below(4), Numbers::moderate);
    // Ties in runtime are for other tests: scaled sums may round another way.
    problem.limits.runtime_budget_seconds *= 1 + 1e-6;
    const bool open = instant_verdict(problem, baseline(problem.graph)).kind == Verdict::Kind::open;
    if (open && ask_oracle(problem.graph, problem.limits)) problems.push_back(problem);
  }
  return problems;
}

Joules oracle_optimum(const Problem& problem) {
  return ask_oracle(problem.graph, problem.limits)->energy_joules;
}

void expect_optimum(const Problem& problem, Joules expected) {
  const SolveResult result = solve(problem, {.settings = {.gap = 0, .time_limit_seconds = 60}});
  ASSERT_EQ(result.status, Status::optimal) << result.reason;
  EXPECT_NEAR(result.energy_joules, expected, kScaledTolerance * expected);
  EXPECT_NEAR(result.lower_bound_joules, expected, kScaledTolerance * expected);
}

TEST(Numbers, EnergiesMayBeOfAnyMagnitude) {
  for (const Problem& problem : moderate_problems()) {
    const Joules optimum = oracle_optimum(problem);
    for (const double factor : {1e-12, 1e-6, 1.0, 1e6, 1e12, 1e24}) {
      SCOPED_TRACE(fmt::format("factor {}", factor));
      Problem scaled = problem;
      for (Node& node : scaled.graph.nodes) {
        node.energy_joules *= factor;
        node.page_in_energy_joules *= factor;
        node.page_out_energy_joules *= factor;
      }
      expect_optimum(scaled, optimum * factor);
    }
  }
}

TEST(Numbers, RuntimesMayBeOfAnyMagnitude) {
  for (const Problem& problem : moderate_problems()) {
    const Joules optimum = oracle_optimum(problem);
    for (const double factor : {1e-12, 1e-6, 1e6, 1e12, 1e24}) {
      SCOPED_TRACE(fmt::format("factor {}", factor));
      Problem scaled = problem;
      for (Node& node : scaled.graph.nodes) node.runtime_seconds *= factor;
      scaled.limits.runtime_budget_seconds *= factor;
      expect_optimum(scaled, optimum);
    }
  }
}

TEST(Numbers, SizesMayGoUpTo2To53AndOneByteStillDecides) {
  for (const Problem& problem : moderate_problems()) {
    const Joules optimum = oracle_optimum(problem);
    Bytes total = 0;
    for (const Node& node : problem.graph.nodes) total += node.bytes;
    const Bytes factor = kMaxBytes / total;
    Problem scaled = problem;
    for (Node& node : scaled.graph.nodes) node.bytes *= factor;
    const Bytes budget = problem.limits.ram_budget_bytes * factor;
    SCOPED_TRACE(fmt::format("{} bytes", budget));
    scaled.limits.ram_budget_bytes = budget;
    expect_optimum(scaled, optimum);
    // All sizes are multiples of the factor: what is left over buys nothing.
    scaled.limits.ram_budget_bytes = budget + factor - 1;
    expect_optimum(scaled, optimum);
  }
}

TEST(Numbers, ATensorOf2To53BytesNeedsThemAll) {
  Problem problem{.graph = make_graph({{.bytes = kMaxBytes, .energy_joules = 1}})};
  problem.limits = {.ram_budget_bytes = kMaxBytes, .runtime_budget_seconds = 1};
  EXPECT_EQ(solve(problem).status, Status::optimal);
  problem.limits.ram_budget_bytes -= 1;
  const SolveResult result = solve(problem);
  EXPECT_EQ(result.status, Status::infeasible);
  EXPECT_EQ(result.smallest_ram_bytes, kMaxBytes);
}

TEST(Numbers, EqualCostsAndSizesMakeNoDifferenceToTheProof) {
  for (const Bytes bytes : {Bytes{1}, Bytes{1} << 46}) {
    Problem problem = chain_problem(4, bytes);
    for (Node& node : problem.graph.nodes) {
      node.energy_joules = node.page_in_energy_joules = node.page_out_energy_joules = 0.1;
    }
    problem.limits.ram_budget_bytes = 4 * bytes;
    expect_optimum(problem, oracle_optimum(problem));
  }
}

TEST(Numbers, WhatCostsNothingIsDoneForNothing) {
  Problem problem = chain_problem(4, 10);
  problem.limits.ram_budget_bytes = 40;
  for (Node& node : problem.graph.nodes) {
    node.energy_joules = node.runtime_seconds = 0;
    node.page_in_energy_joules = node.page_out_energy_joules = 0;
  }
  problem.limits.runtime_budget_seconds = 0;
  expect_optimum(problem, 0);
  // Nor are there limits to what weighs nothing.
  for (Node& node : problem.graph.nodes) node.bytes = 0;
  problem.limits.ram_budget_bytes = 1;
  expect_optimum(problem, 0);
}

}  // namespace
}  // namespace poet::test
