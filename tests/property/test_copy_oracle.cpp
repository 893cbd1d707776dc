// The search over sets of copies against all sets: of six nodes and three candidates, the oracle of
// tests/support knows the optimum of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "solver/copies/copy_search.hpp"
#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/random_copies.hpp"

namespace poet::test {
namespace {

constexpr int kStepNodes = 6;
constexpr int kCandidates = 3;
/// Of the usual moves, which are meant for graphs of hundreds of nodes.
constexpr double kCopyEffort = 0.02;
constexpr double kEqual = 1e-9;

std::vector<CopySet> all_sets(int size) {
  std::vector<CopySet> sets;
  for (int code = 0; code < 1 << size; ++code) {
    sets.emplace_back();
    for (int c = 0; c < size; ++c) sets.back().push_back((code >> c & 1) != 0);
  }
  return sets;
}

Limits draw_copy_limits(Random& random, const CopyStep& step) {
  const int size = static_cast<int>(step.tensors.size());
  const Graph none = graph_of(step, CopySet(size, false));
  const Graph all = graph_of(step, CopySet(size, true));
  const Baseline base = baseline(none);
  const Bytes low = std::min(working_set(none).bytes, working_set(all).bytes);
  const int steps = static_cast<int>((base.peak_ram_bytes - low) / 4);
  Limits limits;
  limits.ram_budget_bytes = low + 4 * random.below(std::max(1, steps));
  limits.runtime_budget_seconds = base.runtime_seconds * (1.05 + 2 * random.uniform());
  limits.paging_time = static_cast<PagingTime>(random.below(3));
  if (random.below(4) == 0) limits.techniques.paging = false;
  if (random.below(6) == 0) limits.techniques.remat = false;
  return limits;
}

struct CopyTally {
  int cases = 0;
  int feasible = 0;
  int close = 0;
  int needs_some = 0;    ///< the best set is neither none nor all
  int none_in_none = 0;  ///< without copies there is no schedule
};

void check_copies(int number, CopyTally& tally) {
  Random random(static_cast<std::uint64_t>(number));
  const CopyStep step = draw_copy_step(random, kStepNodes, kCandidates);
  const Limits limits = draw_copy_limits(random, step);
  const CopyChoices choices = choices_of(step, limits);
  const FoundCopies found =
      search_copies(choices, {.seed = static_cast<std::uint32_t>(number), .effort = kCopyEffort});
  const std::vector<CopySet> sets = all_sets(choices.size());
  constexpr Joules kNone = std::numeric_limits<Joules>::infinity();
  std::vector<Joules> optima;
  for (const CopySet& set : sets) {
    const auto answer = ask_oracle(graph_of(step, set), limits);
    optima.push_back(answer ? answer->energy_joules : kNone);
    if (found.schedule && found.set == set) {
      EXPECT_GE(found.energy_joules, optima.back() * (1 - kEqual)) << "below its own optimum";
    }
  }
  const Joules best = *std::min_element(optima.begin(), optima.end());
  ++tally.cases;
  if (best == kNone) {
    EXPECT_FALSE(found.schedule.has_value()) << "below every set";
    return;
  }
  ++tally.feasible;
  tally.needs_some += std::min(optima.front(), optima.back()) > best * (1 + kEqual) ? 1 : 0;
  tally.none_in_none += optima.front() == kNone ? 1 : 0;
  if (!found.schedule) return;
  EXPECT_GE(found.energy_joules, best * (1 - kEqual));
  EXPECT_GE(found.without_joules.value_or(kNone), optima.front() * (1 - kEqual));
  EXPECT_GE(found.all_joules.value_or(kNone), optima.back() * (1 - kEqual));
  const Joules base = baseline(graph_of(step, sets.front())).energy_joules;
  tally.close += found.energy_joules - best <= 0.05 * (best - base) + kEqual * best ? 1 : 0;
}

// POET_CASES=2000 for all of them.
TEST(CopyOracle, TheSearchComesNearTheBestOfAllSetsAndIsNeverBelowIt) {
  CopyTally tally;
  const int cases = for_cases(200, [&](int i) { check_copies(i, tally); });
  fmt::print(
      "{} steps, {} with a schedule, {} of them only with copies; within 5 % of the best extra in "
      "{}; in {} some copies are better than none and all\n",
      tally.cases, tally.feasible, tally.none_in_none, tally.close, tally.needs_some);
  EXPECT_GT(tally.feasible, cases / 2);
  EXPECT_GT(tally.none_in_none, cases / 20);
  EXPECT_GT(tally.needs_some, cases / 10);
  EXPECT_GE(100 * tally.close, 95 * tally.feasible);
}

}  // namespace
}  // namespace poet::test
