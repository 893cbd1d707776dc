// What both techniques find is never worse than what either finds by itself, nor than what a rule
// suggests.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "poet/suggest_schedule.hpp"
#include "solver/search/extra_bound.hpp"
#include "solver/search/local_search.hpp"
#include "support/oracle.hpp"
#include "support/wild_problems.hpp"
#include "sweep/solve_point.hpp"

namespace poet {
namespace {

constexpr std::int64_t kMoves = 10'000;  // of a search with one technique

struct NetworkCase {
  const char* model;
  const char* platform;
  Backward backward;
};

constexpr NetworkCase kNetworks[] = {
    {"linear", "a72", Backward::poet_chain},         {"vgg16_cifar", "m4", Backward::poet_chain},
    {"vgg16_cifar", "a72", Backward::exact},         {"resnet18_cifar", "m4", Backward::poet_chain},
    {"resnet18_cifar", "a72", Backward::exact},      {"mobilenet_v2_035_96", "m4", Backward::exact},
    {"mobilenet_v2_035_96", "a72", Backward::exact}, {"ds_cnn", "a72", Backward::exact},
    {"mcunet_vww", "m4", Backward::exact},           {"unet_small", "a72", Backward::exact},
};

Problem problem_of(const NetworkCase& network, double share) {
  const Platform platform = load_platform(network.platform);
  Problem problem{.graph = cost_graph(load_model(network.model, 1, network.backward), &platform)};
  const Baseline base = baseline(problem.graph);
  const Bytes least = working_set(problem.graph).bytes;
  const auto between = static_cast<double>(base.peak_ram_bytes - least);
  const bool exact = network.backward == Backward::exact;
  problem.limits = {.ram_budget_bytes = least + static_cast<Bytes>(share * between),
                    .runtime_budget_seconds = 2 * base.runtime_seconds,
                    .paging_time = exact ? PagingTime::blocking : PagingTime::free};
  return problem;
}

/// Infinity without a schedule.
Joules energy_of(const Problem& problem, const std::optional<Schedule>& schedule) {
  if (!schedule) return std::numeric_limits<double>::infinity();
  const Replay replay = simulate(problem.graph, *schedule, problem.limits);
  EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
  return replay.energy_joules;
}

Joules searched(const Problem& problem, std::int64_t moves) {
  std::int64_t made = 0;
  const auto schedule =
      local_search(problem, {.moves = moves, .moved = [&](std::int64_t count) { made += count; }});
  EXPECT_LE(made, moves);
  return energy_of(problem, schedule);
}

TEST(Freedom, BothTechniquesAreNeverWorseThanEitherWithAThirdOfTheMoves) {
  int with_schedule = 0;
  for (const NetworkCase& network : kNetworks) {
    for (const double share : {0.15, 0.4, 0.7}) {
      SCOPED_TRACE(std::string(network.model) + " " + network.platform + " " +
                   std::to_string(share));
      const Problem both = problem_of(network, share);
      Problem without_paging = both;
      Problem without_remat = both;
      without_paging.limits.techniques.paging = without_remat.limits.techniques.remat = false;
      const Joules alone =
          std::min(searched(without_paging, kMoves), searched(without_remat, kMoves));
      with_schedule += std::isfinite(alone) ? 1 : 0;
      EXPECT_LE(searched(both, 3 * kMoves), alone * (1 + 1e-12));
    }
  }
  EXPECT_GE(with_schedule, 27);
}

TEST(Freedom, NoSolveIsAboveWhatIsSuggested) {
  int fitting = 0;
  for (const NetworkCase& network : kNetworks) {
    for (const double share : {0.15, 0.4, 0.7}) {
      SCOPED_TRACE(std::string(network.model) + " " + network.platform + " " +
                   std::to_string(share));
      const Problem problem = problem_of(network, share);
      const auto suggested = suggest_schedule(problem);
      ASSERT_TRUE(suggested.has_value());
      const Replay replay = simulate(problem.graph, *suggested, problem.limits);
      if (!replay.valid()) continue;
      ++fitting;
      // Without a search of its own, and without time for a model.
      SolveOptions options{.settings = {.effort = Effort::fast, .features = no_features()},
                           .suggest = suggest_schedule,
                           .interrupted = [asked = 0]() mutable { return ++asked > 2; }};
      const SolveResult result = solve(problem, options);
      ASSERT_TRUE(result.schedule.has_value());
      EXPECT_LE(result.energy_joules, replay.energy_joules);
      const SolveOptions hasty{.settings = {.time_limit_seconds = 1e-6},
                               .suggest = suggest_schedule};
      const SolveResult point = solve_point(problem, hasty);
      ASSERT_TRUE(point.schedule.has_value());
      EXPECT_LE(point.energy_joules, replay.energy_joules);
    }
  }
  EXPECT_GE(fitting, 20);
}

TEST(Freedom, NoScheduleIsBelowTheBoundOfATechnique) {
  int above_nothing = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Problem problem = test::wild_problem(random, 4 + random.below(4), test::Numbers::moderate);
    problem.limits.techniques.paging = random.below(3) > 0;
    problem.limits.techniques.remat = !problem.limits.techniques.paging || random.below(2) == 0;
    const Joules bound = least_extra_energy(problem);
    Limits limits = problem.limits;
    limits.runtime_budget_seconds *= 1 + kRuntimeSlack;  // the oracle knows no slack
    const auto best = test::ask_oracle(problem.graph, limits);
    above_nothing += bound > 0 ? 1 : 0;
    if (!best) continue;
    const Joules base = baseline(problem.graph).energy_joules;
    EXPECT_LE(bound, best->energy_joules - base + 1e-9 * best->energy_joules);
  }
  EXPECT_GE(above_nothing, 100);
}

}  // namespace
}  // namespace poet
