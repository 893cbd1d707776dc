// What a solve does with the extra energy once its gap is proven, against the oracle.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "support/cases.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {
namespace {

/// Of the energy: what sums in another order may differ by.
constexpr double kRefinedTolerance = 2e-9;

/// A gap so wide that the first schedules meet it and much is left to refine.
SolveOptions wide_gap(Random& random) {
  SolveOptions options{.settings = {.gap = 0.05 + 0.4 * random.uniform(),
                                    .time_limit_seconds = 0,
                                    .seed = 1 + static_cast<std::uint32_t>(random.below(100))}};
  options.small_graph = random.below(2) == 0 ? 0 : 40;
  options.settings.features.glance = random.below(2) == 0;
  return options;
}

double extra_gap(const SolveResult& result, const Problem& problem) {
  return relative_extra_gap(result.energy_joules, result.lower_bound_joules,
                            baseline(problem.graph).energy_joules);
}

TEST(Refining, NeverRaisesTheEnergyOrLowersTheBound) {
  int refined = 0;
  const int cases = for_cases(80, [&](int number) {
    Random random(number);
    const Problem problem = random_problem(random, 6 + random.below(3));
    SolveOptions options = wide_gap(random);
    const SolveResult further = solve(problem, options);
    options.refine = false;
    const SolveResult plain = solve(problem, options);
    ASSERT_EQ(plain.status, further.status);
    const auto best = ask_oracle(problem.graph, problem.limits);
    ASSERT_EQ(best.has_value(), further.schedule.has_value());
    if (!best) return;
    EXPECT_LE(further.energy_joules, plain.energy_joules);
    EXPECT_GE(further.lower_bound_joules, plain.lower_bound_joules);
    EXPECT_GE(further.energy_joules, best->energy_joules * (1 - kRefinedTolerance));
    EXPECT_LE(further.lower_bound_joules, best->energy_joules * (1 + kRefinedTolerance));
    EXPECT_LE(extra_gap(further, problem), extra_gap(plain, problem));
    if (extra_gap(plain, problem) > 0.01) ++refined;
    if (extra_gap(plain, problem) > 0.01 && extra_gap(further, problem) <= 0.01) {
      EXPECT_LE(further.energy_joules - best->energy_joules,
                0.0101 * (further.energy_joules - baseline(problem.graph).energy_joules) +
                    kRefinedTolerance * best->energy_joules);
    }
  });
  EXPECT_GE(refined, cases / 10) << "hardly any case had something to refine";
}

TEST(Refining, RepeatsExactly) {
  for_cases(16, [&](int number) {
    Random random(number);
    const Problem problem = random_problem(random, 12 + random.below(8));
    const SolveOptions options = wide_gap(random);
    const SolveResult once = solve(problem, options);
    const SolveResult again = solve(problem, options);
    EXPECT_EQ(once.status, again.status);
    EXPECT_EQ(once.energy_joules, again.energy_joules);
    EXPECT_EQ(once.lower_bound_joules, again.lower_bound_joules);
    EXPECT_EQ(once.statistics.nodes, again.statistics.nodes);
    EXPECT_TRUE(once.schedule == again.schedule);
  });
}

TEST(Refining, IsLeftOutByFastSolves) {
  for_cases(16, [&](int number) {
    Random random(number);
    const Problem problem = random_problem(random, 8);
    SolveOptions options = wide_gap(random);
    options.settings.effort = Effort::fast;
    const SolveResult fast = solve(problem, options);
    options.refine = false;
    const SolveResult plain = solve(problem, options);
    EXPECT_EQ(fast.energy_joules, plain.energy_joules);
    EXPECT_EQ(fast.lower_bound_joules, plain.lower_bound_joules);
  });
}

TEST(ExtraGap, IsAShareOfWhatTheLackOfRamCosts) {
  EXPECT_DOUBLE_EQ(relative_extra_gap(12, 11.5, 10), 0.25);
  EXPECT_EQ(relative_extra_gap(12, 12, 10), 0);
  EXPECT_EQ(relative_extra_gap(12, 13, 10), 0) << "by rounding";
  EXPECT_EQ(relative_extra_gap(12, 5, 10), 1) << "no bound counts below the baseline";
  EXPECT_EQ(relative_extra_gap(10, 10, 10), 0);
  EXPECT_EQ(relative_extra_gap(0, 0, 0), 0);
}

}  // namespace
}  // namespace poet::test
