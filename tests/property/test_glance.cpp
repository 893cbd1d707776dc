// The glance at moment models: never above the optimum, never a proof that there is no schedule
// while there are costs, and the same on a busy machine.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "solver/limits.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/moments/moment_rows.hpp"
#include "solver/moments/moments.hpp"
#include "solver/moments/prove.hpp"
#include "solver/phases/phases.hpp"
#include "solver/solve_state.hpp"
#include "support/answers.hpp"
#include "support/cases.hpp"
#include "support/idle_problems.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

/// What the two solvers make of a model with few moments.
struct Looked {
  ProofAttempt root;
  MipResult searched;
  double units_per_joule = 1;

  bool root_finds_nothing() const { return root.status == ProofAttempt::Status::proven; }
  bool search_finds_nothing() const {
    return searched.status == MipResult::Status::finished && !searched.values;
  }
};

Looked look(const Problem& problem, const ProofCosts& costs, const std::vector<int>& moments) {
  const MomentModel model(problem, costs, moments, false);
  std::vector<ProofRow> rows = moment_rows(model);
  const auto root = search_proof_in_child(
      [&](const ProofReport& report) {
        return search_proof(model, costs, rows, {.seconds = 60, .root_only = true}, report);
      },
      60, 0, [](const ProofNews&) { return true; });
  EXPECT_TRUE(root.result) << root.failure;
  for (ProofRow& row : tight_ram_rows(model)) rows.push_back(std::move(row));
  const ScaledMilp scaled =
      scale(moment_milp(model, costs, rows), baseline(problem.graph).energy_joules);
  return {.root = root.result.value_or(ProofAttempt{}),
          .searched = solve_mip(scaled.milp, {}, [](const MipProgress&) { return true; }),
          .units_per_joule = scaled.units_per_joule};
}

std::vector<int> some_moments(Random& random, const Problem& problem) {
  const int size = problem.graph.size();
  const int count = 1 + random.below(size);
  std::vector<int> moments;
  switch (random.below(3)) {
    case 0:
      moments = peak_moments(problem, count);
      break;
    case 1:
      return spread_moments(problem.graph, 0, count);
    default:
      for (int t = 0; t < size; ++t) {
        if (random.below(size) < count) moments.push_back(t);
      }
  }
  return moments.empty() ? std::vector{size - 1} : moments;
}

/// Awkward ones, graphs that are not POET's, and some in which a recomputation that only frees what
/// is written out is worth its energy.
Problem some_problem(Random& random, int number) {
  switch (number % 3) {
    case 0:
      return random_exact_problem(random, 4 + random.below(4));
    case 1:
      return idle_problem(random);
    default:
      return wild_problem(random, 4 + random.below(5), Numbers::moderate);
  }
}

struct GlanceTally {
  int problems = 0;
  int closed_by_cost = 0;  // although there is a schedule
  int informative = 0;
  int infeasible = 0;
  int shown = 0;
};

/// The target is far below what every schedule costs, just below or above it, or anything.
void compare_bounds(Random& random, const Problem& problem, Joules optimum, GlanceTally& tally) {
  const Joules base = baseline(problem.graph).energy_joules;
  const double shares[] = {0.1, 0.9, 1 + 1e-6, 1 + 1e-6, 3, 1000};
  const Joules target = base + shares[random.below(6)] * (optimum - base);
  const ProofCosts costs = costs_for_claim(problem.graph, target);
  const Looked looked = look(problem, costs, some_moments(random, problem));
  const Joules most = optimum * (1 + kSameEnergy);
  EXPECT_LE(claim_of_bound(problem.graph, costs, looked.root.units), most);
  tally.informative += looked.root.units > 0 ? 1 : 0;
  if (target > optimum) {
    EXPECT_FALSE(looked.root_finds_nothing());
    ASSERT_TRUE(looked.searched.values) << "of a schedule below the target";
    EXPECT_LE(looked.searched.bound, looked.units_per_joule * (most - base));
  } else {
    tally.closed_by_cost += looked.root_finds_nothing() || looked.search_finds_nothing() ? 1 : 0;
  }
}

TEST(Glance, IsNeverAboveTheOracleNorWithoutAScheduleIfThereIsOne) {
  GlanceTally tally;
  for_cases(150, [&](int number) {
    Random random(number);
    const Problem problem = some_problem(random, number);
    if (problem.graph.size() > kOracleNodes) return;
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    ++tally.problems;
    if (optimum) compare_bounds(random, problem, optimum->energy_joules, tally);
    const Looked at_any_cost =
        look(problem, costs_for_infeasible(problem.graph), some_moments(random, problem));
    const bool none = at_any_cost.root_finds_nothing() || at_any_cost.search_finds_nothing();
    EXPECT_FALSE(none && optimum);
    tally.infeasible += optimum ? 0 : 1;
    tally.shown += none ? 1 : 0;
  });
  std::cout << fmt::format(
      "{} problems: {} bounds above the baseline, {} closed by cost; {} of {} without a schedule "
      "shown\n",
      tally.problems, tally.informative, tally.closed_by_cost, tally.shown, tally.infeasible);
  EXPECT_GT(tally.closed_by_cost, tally.problems / 50);
  EXPECT_GT(tally.informative, tally.problems / 20);
  EXPECT_GT(tally.shown, 0);
}

/// Every schedule of many of these costs more than the phase's guess.
TEST(Glance, OfAPhaseWithoutAScheduleClaimsNothingFromCosts) {
  int problems = 0;
  int dear = 0;
  for_cases(60, [&](int number) {
    Random random(number);
    Problem problem = wild_problem(random, 4 + random.below(kOracleNodes - 4), Numbers::moderate);
    if (problem.graph.size() > kOracleNodes) return;
    for (Node& node : problem.graph.nodes) {
      node.page_in_energy_joules = 1e3 * (1 + node.page_in_energy_joules);
      node.page_out_energy_joules = 1e6 * (1 + node.page_out_energy_joules);
    }
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    const SolveOptions options{.settings = {.time_limit_seconds = 60}};
    SolveState state(problem, options);
    const ModelVerdict verdict = run_glance_phase(state, GlanceEffort::glance);
    if (!optimum) return;
    ++problems;
    EXPECT_EQ(verdict, ModelVerdict::open);
    EXPECT_LE(state.incumbent.bound(), optimum->energy_joules * (1 + kSameEnergy));
    dear += optimum->energy_joules > (1 + kGuessOfExtra) * state.base.energy_joules ? 1 : 0;
  });
  EXPECT_GT(dear, problems / 20);
}

/// Threads that compete for the processor as long as they live.
class BusyMachine {
 public:
  BusyMachine() {
    for (int t = 0; t < 4; ++t) {
      threads_.emplace_back([this] {
        while (!over_) ++spins_;
      });
    }
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;
  ~BusyMachine() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::atomic<std::int64_t> spins_{0};
  std::vector<std::thread> threads_;
};

TEST(Glance, ProvesTheSameOnABusyMachine) {
  Random random(1);
  Problem problem = wild_problem(random, 60, Numbers::moderate);
  problem.limits = {.ram_budget_bytes = baseline(problem.graph).peak_ram_bytes * 7 / 10,
                    .runtime_budget_seconds = 1e9};
  const auto glance = [&] {
    const SolveOptions options{.settings = {.gap = 0}};
    SolveState state(problem, options);
    EXPECT_EQ(run_glance_phase(state, GlanceEffort::glance), ModelVerdict::open);
    return std::pair(state.incumbent.bound(), state.work.moves());
  };
  const auto alone = glance();
  EXPECT_GT(alone.first, baseline(problem.graph).energy_joules);
  const BusyMachine busy;
  EXPECT_EQ(glance(), alone);
}

}  // namespace
}  // namespace poet::test
