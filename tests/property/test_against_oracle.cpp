// solve() against an oracle that tries everything, on graphs small enough for that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "support/cases.hpp"
#include "support/failing_case.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

/// Of the energy: what sums in another order and the documented proof tolerance may differ by.
constexpr double kTolerance = 2e-9;
/// The runtime is compared with a documented slack of 1e-9. Where the answer depends on that, the
/// energy has to lie between those of a budget certainly within and one certainly beyond.
constexpr double kRuntimeSlack = 2e-9;

/// The optimum without the slack, and with it; nothing where there is no schedule.
struct Truth {
  std::optional<Joules> strict;
  std::optional<Joules> lenient;

  explicit Truth(const Problem& problem) {
    const Seconds budget = problem.limits.runtime_budget_seconds;
    const auto answer = ask(problem, budget * (1 + kRuntimeSlack));
    if (!answer) return;
    lenient = strict = answer->energy_joules;
    if (answer->runtime_seconds <= budget * (1 - kRuntimeSlack)) return;
    const auto again = ask(problem, budget * (1 - kRuntimeSlack));
    strict = again ? std::optional(again->energy_joules) : std::nullopt;
  }

  static std::optional<OracleAnswer> ask(const Problem& problem, Seconds runtime_budget) {
    Limits limits = problem.limits;
    limits.runtime_budget_seconds = runtime_budget;
    return ask_oracle(problem.graph, limits);
  }
};

bool feasible_in(const Problem& problem, Bytes ram, double runtime_factor) {
  Problem other = problem;
  other.limits.ram_budget_bytes = ram;
  return Truth::ask(other, runtime_factor * problem.limits.runtime_budget_seconds).has_value();
}

/// What is wrong with calling the problem infeasible.
std::string check_infeasible(const Problem& problem, const Truth& truth,
                             const SolveResult& result) {
  if (truth.strict) {
    return fmt::format("infeasible ({}); a schedule of {:.17g} J exists", result.reason,
                       *truth.strict);
  }
  if (!result.smallest_ram_bytes) return {};
  const Bytes smallest = *result.smallest_ram_bytes;
  if (smallest > 1 && feasible_in(problem, smallest - 1, 1 - kRuntimeSlack)) {
    return fmt::format("called too small: {} bytes; one byte less works", smallest);
  }
  if (result.smallest_ram_is_exact && !feasible_in(problem, smallest, 1 + kRuntimeSlack)) {
    return fmt::format("said to be enough: {} bytes; no schedule fits", smallest);
  }
  return {};
}

/// What is wrong with an answer; empty where nothing is. Unproven answers are right as far as they
/// go, which is for the caller to judge.
std::string check(const Problem& problem, const Truth& truth, const SolveResult& result,
                  double gap) {
  if (result.status == Status::infeasible) return check_infeasible(problem, truth, result);
  const Joules bound = result.lower_bound_joules;
  if (truth.strict && bound > *truth.strict * (1 + kTolerance)) {
    return fmt::format("bound {:.17g} J above the optimum of {:.17g} J", bound, *truth.strict);
  }
  if (result.status == Status::unknown) return {};
  const Joules energy = result.energy_joules;
  if (!truth.lenient) return fmt::format("a schedule of {:.17g} J where there is none", energy);
  if (energy < *truth.lenient * (1 - kTolerance)) {
    return fmt::format("{:.17g} J, below the optimum of {:.17g} J", energy, *truth.lenient);
  }
  if (bound > energy) return fmt::format("bound {:.17g} J above {:.17g} J", bound, energy);
  if (result.status == Status::feasible || !truth.strict) return {};
  if (energy * (1 - gap) > *truth.strict * (1 + kTolerance)) {
    return fmt::format("{:.17g} J called optimal; the optimum is {:.17g} J", energy, *truth.strict);
  }
  return {};
}

/// One way to ask solve().
struct Way {
  std::string name;
  SolveOptions options;
  bool proves = true;  ///< nothing stops it before it has an answer for good
  int polls = 0;  ///< interrupted at this poll, which repeats as a time limit would not; 0: not
};

/// Whether numbers are so far apart that CBC cannot tell the small ones from nothing: a runtime
/// beside the budget, or all energies beside the dearest of them.
bool is_too_fine(const Problem& problem) {
  constexpr double kFinest = 1e-6;
  Joules dearest = 0;
  for (const Node& node : problem.graph.nodes) {
    const Seconds runtime = node.runtime_seconds;
    if (runtime > 0 && runtime < kFinest * problem.limits.runtime_budget_seconds) return true;
    dearest = std::max({dearest, node.page_in_energy_joules, node.page_out_energy_joules});
  }
  const Joules once = baseline(problem.graph).energy_joules;
  return once < kFinest * dearest;
}

struct Answer {
  std::string wrong;  ///< empty where nothing is
  bool open = false;  ///< right as far as it goes, but not what a search to the end should say
};

Answer ask_solver(const Problem& problem, const Way& way) {
  SolveOptions options = way.options;
  int polls = 0;
  if (way.polls > 0) options.interrupted = [&] { return ++polls >= way.polls; };
  const Truth truth(problem);
  try {
    const SolveResult result = solve(problem, options);
    Answer answer{.wrong = check(problem, truth, result, options.settings.gap)};
    const bool settled = result.status == Status::optimal || result.status == Status::infeasible;
    if (settled || !way.proves) return answer;
    answer.open = true;
    const bool crashed = result.reason.starts_with("CBC ");
    if (crashed || is_too_fine(problem)) return answer;
    answer.wrong +=
        fmt::format("not settled: {}, {:.17g} J, bound {:.17g} J; {}", status_name(result.status),
                    result.energy_joules, result.lower_bound_joules, result.reason);
    return answer;
  } catch (const std::exception& error) {
    return {.wrong = fmt::format("exception: {}", error.what())};
  }
}

/// Every case is asked in each of these ways; the random part of them belongs to the case.
std::vector<Way> ways(Random& random) {
  const auto small_graph = [&] { return random.below(2) == 0 ? 0 : 40; };
  const SolveOptions exact{.settings = {.gap = 0, .time_limit_seconds = 60, .seed = 1}};
  std::vector<Way> all;
  all.push_back({.name = "usual", .options = exact});
  all.push_back({.name = "collapsed", .options = exact});
  all.back().options.small_graph = 0;
  all.push_back({.name = "mixed", .options = exact});
  all.back().options.small_graph = small_graph();
  all.back().options.settings.seed = 1 + random.below(1000);
  for (const FeatureSwitch& technique : kFeatureSwitches) {
    all.back().options.settings.features.*technique.flag = random.below(2) == 0;
  }
  all.push_back({.name = "gap", .options = exact});
  all.back().options.settings.gap = std::pow(10.0, -random.below(5));
  all.back().options.small_graph = small_graph();
  all.push_back({.name = "fast", .options = exact, .proves = false});
  all.back().options.settings.effort = Effort::fast;
  all.back().options.small_graph = small_graph();
  all.push_back({.name = "hurried", .options = exact, .proves = false});
  all.back().options.small_graph = small_graph();
  all.back().options.settings.time_limit_seconds = 1e-3 * (1 + random.below(20));
  all.push_back({.name = "interrupted", .options = exact, .proves = false});
  all.back().options.small_graph = small_graph();
  all.back().options.settings.features.local_search = random.below(2) == 0;
  all.back().polls = 1 + random.below(20);
  all.push_back({.name = "threads", .options = exact});
  all.back().options.small_graph = small_graph();
  all.back().options.settings.threads = 2;
  all.back().options.settings.features.sampled_relaxation =
      all.back().options.settings.features.counts = false;
  return all;
}

/// The options that are not as usual.
std::string unusual(const SolveOptions& options) {
  std::string text = fmt::format("gap {}, seed {}, small_graph {}", options.settings.gap,
                                 options.settings.seed, options.small_graph);
  for (const FeatureSwitch& technique : kFeatureSwitches) {
    if (!(options.settings.features.*technique.flag))
      text += fmt::format(", no {}", technique.name);
  }
  return text;
}

void report_failure(const Problem& problem, int number, const Way& way, const std::string& wrong) {
  // An error of the same kind, or the search would end at another one.
  const std::string kind = wrong.substr(0, wrong.find_first_of("(,0123456789"));
  const Problem small = shrink(problem, [&](const Problem& candidate) {
    return ask_solver(candidate, way).wrong.starts_with(kind);
  });
  const std::string text = fmt::format("case {}, {} ({}): {}\nsmallest: {}", number, way.name,
                                       unusual(way.options), wrong, ask_solver(small, way).wrong);
  const std::string folder =
      write_failing_case(small, fmt::format("case_{}_{}", number, way.name), text);
  ADD_FAILURE() << text << "\nwritten to " << folder;
}

/// Draws a problem; nothing if it does not suit.
using Draw = std::function<std::optional<Problem>(Random&)>;

/// A problem that a model file of version 1 can hold is made small and written for whoever looks
/// for the reason; another is found again by its number.
enum class OnFailure { write_smallest, name };

/// Asks problems in every way. At least one of `feasible_share` has a schedule.
void expect_agreement(const CaseRange& range, const Draw& draw, int feasible_share,
                      OnFailure on_failure = OnFailure::write_smallest) {
  constexpr int kMostFailures = 20;
  int problems = 0;
  int feasible = 0;
  int answers = 0;
  int open = 0;
  int failures = 0;
  for (int number = range.first; number < range.first + range.count; ++number) {
    Random random(number);
    const auto drawn = draw(random);
    if (!drawn) continue;
    const Problem& problem = *drawn;
    ++problems;
    feasible += Truth(problem).strict ? 1 : 0;
    for (const Way& way : ways(random)) {
      const Answer answer = ask_solver(problem, way);
      ++answers;
      open += answer.open ? 1 : 0;
      if (answer.wrong.empty()) continue;
      if (on_failure == OnFailure::write_smallest) {
        report_failure(problem, number, way, answer.wrong);
      } else {
        ADD_FAILURE() << fmt::format("case {}, {} ({}): {}", number, way.name, unusual(way.options),
                                     answer.wrong);
      }
      if (++failures == kMostFailures) FAIL() << "no more cases are tried";
    }
  }
  std::cout << fmt::format("{} problems, {} of them feasible; {} answers, {} open, {} wrong\n",
                           problems, feasible, answers, open, failures);
  EXPECT_LE(open, answers / 100);
  if (problems < 100) return;
  EXPECT_GT(feasible, problems / feasible_share);
  EXPECT_LT(feasible, problems);
}

Problem draw_wild(Random& random) {
  return wild_problem(random, 4 + random.below(5), Numbers::wild);
}

TEST(Solver, AgreesWithTheOracle) {
  expect_agreement(wanted_cases(200), draw_wild, 3);
}

// In place, workspace, parameters, storage, and the time of transfers.
TEST(Solver, AgreesWithTheOracleOnGraphsThatAreNotPoets) {
  expect_agreement(
      wanted_cases(150),
      [](Random& random) { return random_exact_problem(random, 4 + random.below(4)); }, 5,
      OnFailure::name);
}

// CBC takes what is within 1e-6 of a whole number for whole, and cannot see such a byte.
TEST(Solver, AgreesWithTheOracleWhereAByteInABillionDecides) {
  expect_agreement(
      wanted_cases(100), [](Random& random) { return with_a_byte_too_little(draw_wild(random)); },
      5);
}

}  // namespace
}  // namespace poet::test
