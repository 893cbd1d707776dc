// solve() against the oracle where prices are up to 28 decades apart, with every technique and
// without each.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "poet/min_ram.hpp"
#include "poet/problem.hpp"
#include "poet/solve.hpp"
#include "question/least_ram.hpp"
#include "support/cases.hpp"
#include "support/failing_case.hpp"
#include "support/oracle.hpp"
#include "support/prices_apart.hpp"
#include "support/random_graphs.hpp"
#include "support/tiny_sweep.hpp"
#include "support/truth.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

struct PricedWay {
  std::string name;
  SolveOptions options;
};

/// As usual, through the collapsed model, without each technique, and without any. The random part
/// belongs to the case.
std::vector<PricedWay> priced_ways(Random& random) {
  SolveOptions exact{.settings = {.gap = 0, .time_limit_seconds = 60, .seed = 1}};
  std::vector<PricedWay> all{{.name = "usual", .options = exact}};
  all.push_back({.name = "with a gap", .options = exact});
  all.back().options.settings.gap = random.below(2) == 0 ? 1e-4 : 1;
  const auto add = [&](std::string name, const SolverFeatures& features) {
    all.push_back({.name = std::move(name), .options = exact});
    all.back().options.settings.features = features;
    all.back().options.small_graph = random.below(2) == 0 ? 0 : 40;
    // Then CBC has to find the first schedule.
    if (random.below(2) == 0) {
      all.back().name += ", without local-search";
      all.back().options.settings.features.local_search = false;
    }
  };
  add("all", {});
  add("none", no_features());
  for (const FeatureSwitch& technique : kFeatureSwitches) {
    add(fmt::format("without {}", technique.name), features_without(technique.name));
  }
  SolverFeatures mixed;
  for (const FeatureSwitch& technique : kFeatureSwitches) {
    mixed.*technique.flag = random.below(2) == 0;
  }
  add(fmt::format("without {}", disabled_features(mixed)), mixed);
  return all;
}

/// How many answers there are of each kind.
struct Tally {
  int proven = 0;
  int open = 0;
  int wrong = 0;
};

/// What is wrong with the answer; empty if nothing is.
std::string ask(const Problem& problem, const Truth& truth, const PricedWay& way, Tally& tally) {
  std::string wrong;
  try {
    const SolveResult result = solve(problem, way.options);
    wrong = what_is_wrong(problem, truth, result, way.options.settings.gap);
    const bool settled = result.status == Status::optimal || result.status == Status::infeasible;
    ++(settled ? tally.proven : tally.open);
  } catch (const std::exception& error) {
    wrong = fmt::format("exception: {}", error.what());
  }
  tally.wrong += wrong.empty() ? 0 : 1;
  return wrong;
}

/// A problem that takes a search, if a few tries give one.
Problem draw(int number) {
  constexpr int kTries = 30;
  Random random(number);
  Problem problem;
  for (int tried = 0; tried < kTries; ++tried) {
    const int size = 5 + random.below(4);
    problem = with_prices_apart(random, random.below(2) == 0
                                            ? wild_problem(random, size, Numbers::moderate)
                                            : random_exact_problem(random, size));
    if (instant_verdict(problem, baseline(problem.graph)).kind == Verdict::Kind::open) break;
  }
  return problem;
}

TEST(PricesApart, LeadToNoAnswerThatTheOracleContradicts) {
  constexpr int kMostFailures = 20;
  Tally tally;
  int feasible = 0;
  const int cases = for_cases(8, [&](int number) {
    const Problem problem = draw(number);
    const Truth truth(problem);
    feasible += truth.strict ? 1 : 0;
    Random random(number);
    for (const PricedWay& way : priced_ways(random)) {
      const std::string wrong = ask(problem, truth, way, tally);
      if (wrong.empty()) continue;
      const std::string text =
          fmt::format("case {}, {} (small_graph {}, gap {}): {}", number, way.name,
                      way.options.small_graph, way.options.settings.gap, wrong);
      ADD_FAILURE() << text << "\nwritten to "
                    << write_failing_case(problem, fmt::format("prices_{}", number), text);
      if (tally.wrong == kMostFailures) FAIL() << "no more cases are tried";
    }
  });
  std::cout << fmt::format(
      "{} problems, {} of them feasible; {} answers proven, {} open, {} wrong\n", cases, feasible,
      tally.proven, tally.open, tally.wrong);
  EXPECT_GT(feasible, cases / 4);
  EXPECT_LE(tally.open, (tally.proven + tally.open) / 20);
}

// A budget that was called too small worked: 77 bytes were "exact" where 70 are enough.
TEST(PricesApart, HideNoRamBudgetThatWorks) {
  const SolveOptions exact{.settings = {.gap = 0, .time_limit_seconds = 60}};
  int open = 0;
  const int cases = for_cases(6, [&](int number) {
    Problem problem = draw(number);
    const MinRam found =
        least_ram(subject_of(problem.graph, "drawn"), problem.limits, exact, 0, {});
    open += found.infeasible || found.exact() ? 0 : 1;
    problem.limits.ram_budget_bytes = found.infeasible ? baseline(problem.graph).peak_ram_bytes
                                                       : found.infeasible_below_bytes - 1;
    if (problem.limits.ram_budget_bytes < 0) return;
    problem.limits.runtime_budget_seconds *= 1 - 2e-9;  // certainly within the documented slack
    EXPECT_FALSE(ask_oracle(problem.graph, problem.limits)) << found.infeasible_below_bytes;
  });
  EXPECT_LE(open, cases / 20);
}

}  // namespace
}  // namespace poet::test
