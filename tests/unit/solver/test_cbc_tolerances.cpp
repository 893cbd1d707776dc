// Small problems on which CBC's tolerances once led to wrong answers.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "formats/read_schedule.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "support/contents_of.hpp"

namespace poet {
namespace {

SolveOptions exact() {
  return {.settings = {.gap = 0, .time_limit_seconds = 60}};
}

Node tensor(Bytes bytes, std::vector<int> inputs, Joules page = 0) {
  return {.bytes = bytes, .page_out_energy_joules = page, .inputs = std::move(inputs)};
}

/// The nodes from `first` on belong to the backward pass.
Graph graph_of(std::vector<Node> nodes, std::size_t first) {
  for (std::size_t i = first; i < nodes.size(); ++i) nodes[i].backward = true;
  return make_graph(std::move(nodes));
}

// A byte is too little to see: CBC took a point for a solution, dropped it, and had found nothing.
TEST(CbcTolerances, APointThatIsDroppedIsNoProofThatThereIsNothing) {
  constexpr Bytes kUnit = Bytes{1} << 21;
  Problem problem{
      .graph = graph_of({tensor(4 * kUnit, {}), tensor(3 * kUnit, {}, 1), tensor(5 * kUnit, {}, 1),
                         tensor(0, {}), tensor(0, {}), tensor(5 * kUnit, {}),
                         tensor(5 * kUnit, {5}), tensor(0, {2}), tensor(0, {1}), tensor(0, {0})},
                        7)};
  problem.limits = {
      .ram_budget_bytes = 18 * kUnit - 1, .runtime_budget_seconds = 1, .techniques = kOnlyPaging};
  SolveOptions options = exact();
  options.settings.features = no_features();
  const SolveResult result = solve(problem, options);
  EXPECT_EQ(result.status, Status::optimal) << result.reason;
  EXPECT_DOUBLE_EQ(result.energy_joules, 1);
}

// Paging costs 1e-9 of computing: with its usual tolerances Clp took it for nothing, and
// called optimal what pages too much.
TEST(CbcTolerances, PricesFarBelowTheOthersAreNotLost) {
  Problem problem{.graph =
                      graph_of({tensor(1512180, {}), tensor(6171178, {}, 1e-9), tensor(1098, {}),
                                tensor(1, {2}), tensor(0, {0}), tensor(0, {1, 3})},
                               3)};
  problem.graph.nodes[0].energy_joules = 0.8;
  problem.graph.nodes[1].energy_joules = 0.004;
  problem.graph.nodes[1].page_in_energy_joules = 1e-9;
  problem.limits = {.ram_budget_bytes = 7683909, .runtime_budget_seconds = 1};
  SolveOptions options = exact();
  options.settings.features.local_search = false;
  options.small_graph = 0;
  options.progress = [](const Progress& now) { EXPECT_LE(now.bound_joules, 0.804 * (1 + 1e-9)); };
  const SolveResult result = solve(problem, options);
  EXPECT_EQ(result.status, Status::optimal) << result.reason;
  EXPECT_DOUBLE_EQ(result.energy_joules, 0.804);
}

// A page-in costs 1e-8 of the baseline: Clp took the linear program of a few moments for
// solved with two of them where one is enough, and the bound was above the optimum.
TEST(CbcTolerances, OnePageInOf1e8OfTheBaselineIsNotTwo) {
  Problem problem{.graph = graph_of({tensor(1, {}, 1), tensor(8473312323, {}, 1), tensor(0, {}),
                                     tensor(802288982159, {}), tensor(0, {}), tensor(0, {3}),
                                     tensor(0, {0, 1}), tensor(0, {3})},
                                    8)};
  for (const int backward : {0, 2, 3, 4}) problem.graph.nodes[backward].backward = true;
  problem.graph.nodes[3].energy_joules = 1;
  problem.graph.nodes[3].page_in_energy_joules = 1e-8;
  problem.limits = {.ram_budget_bytes = 805012262337, .runtime_budget_seconds = 1};
  SolveOptions options = exact();
  options.settings.features.local_search = false;
  options.small_graph = 0;
  options.progress = [](const Progress& now) { EXPECT_LE(now.bound_joules, 1 + 1.0001e-8); };
  const SolveResult result = solve(problem, options);
  EXPECT_EQ(result.status, Status::optimal) << result.reason;
  EXPECT_NEAR(result.energy_joules, 1 + 1e-8, 1e-12);
}

// Paging one tensor costs 1e8 times as much as everything else: rounding beside such a price lifted
// CBC's bound above the optimum, and the schedule that followed was an internal error.
TEST(CbcTolerances, RoundingBesideAHugePriceLiftsNoBound) {
  Problem problem{.graph =
                      graph_of({tensor(3882259, {}), tensor(8, {}), tensor(173601267933, {1}),
                                tensor(8885, {2}), tensor(31055285207, {2, 3}), tensor(0, {0, 1})},
                               4)};
  const std::vector<Seconds> runtimes{0.009000000000000001, 0.004,
                                      0.6183445697692003,   0.6000000000000001,
                                      0.2249331060113374,   0.11967647076617627};
  for (int i = 0; i < problem.graph.size(); ++i) {
    problem.graph.nodes[i].runtime_seconds = runtimes[i];
  }
  problem.graph.nodes[0].page_in_energy_joules = 40;
  problem.graph.nodes[2].energy_joules = 3e-07;
  problem.graph.nodes[4].energy_joules = 4e-07;
  problem.limits = {.ram_budget_bytes = 204660444291, .runtime_budget_seconds = 1.5840626227300152};
  SolveOptions options = exact();
  options.settings.seed = 441;
  for (const char* name :
       {"local-search", "glance", "windows", "root-loop", "cost-fixing", "polish", "rebuild"}) {
    disable(options.settings.features, name);
  }
  const SolveResult result = solve(problem, options);
  ASSERT_TRUE(result.schedule) << result.reason;
  EXPECT_DOUBLE_EQ(result.energy_joules, 7e-7);
  EXPECT_LE(result.lower_bound_joules, 7e-7);
}

/// A problem, and a schedule that keeps to its limits.
struct SolvedCase {
  Problem problem;
  Schedule schedule;
  Joules energy_joules = 0;
};

/// Throws if the schedule of the file does not replay.
SolvedCase solved_case(const std::string& name) {
  const std::string path = POET_TEST_DATA "/cases/" + name;
  const ScheduleFile draft = parse_schedule_draft(test::contents_of(path), path, {});
  SolvedCase found{.problem = {.graph = draft.graph, .limits = draft.request.limits},
                   .schedule = draft.schedule};
  const Replay replay = simulate(draft.graph, draft.schedule, found.problem.limits);
  if (!replay.valid()) throw std::logic_error(replay.violations.front().message);
  found.energy_joules = replay.energy_joules;
  return found;
}

// A transfer costs 1e12 times as much as everything else. CBC found nothing, with presolve and
// without, and a problem with a schedule was called infeasible.
TEST(CbcTolerances, TransfersThatCostATrillionTimesTheStepMakeNothingInfeasible) {
  const auto [problem, schedule, energy] = solved_case("false_infeasible_schedule.json");
  for (const int small_graph : {40, 0}) {
    SolveOptions options;
    options.small_graph = small_graph;
    const SolveResult result = solve(problem, options);
    EXPECT_EQ(result.status, Status::optimal) << result.reason;
    EXPECT_LE(result.lower_bound_joules, energy * (1 + 1e-9));
    options.settings.features.local_search = false;
    const SolveResult searched = solve(problem, options);
    EXPECT_NE(searched.status, Status::infeasible) << searched.reason;
    EXPECT_LE(searched.lower_bound_joules, energy * (1 + 1e-9));
  }
}

// With two features off, this was called infeasible, or had a bound 1 % above the optimum.
TEST(CbcTolerances, PricesTwentySevenDecadesApartLiftNoBoundWhateverIsOff) {
  const auto [problem, schedule, energy] = solved_case("false_optimal_start.json");
  for (const FeatureSwitch& one : kFeatureSwitches) {
    for (const FeatureSwitch& other : kFeatureSwitches) {
      if (other.name < one.name) continue;
#ifdef POET_SANITIZE
      if (other.name != one.name) continue;  // the pairs take minutes there
#endif
      SolveOptions options = exact();
      options.settings.features.*one.flag = options.settings.features.*other.flag = false;
      SCOPED_TRACE(disabled_features(options.settings.features));
      const SolveResult result = solve(problem, options);
      EXPECT_NE(result.status, Status::infeasible) << result.reason;
      EXPECT_LE(result.lower_bound_joules, energy * (1 + 1e-9));
    }
  }
}

}  // namespace
}  // namespace poet
