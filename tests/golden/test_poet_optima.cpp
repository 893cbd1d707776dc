// The benchmark's baseline, POET's own MILP, has our optima: what is measured against it is the
// formulation and not another problem.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "bench/poet_milp.hpp"
#include "golden/instance.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "solver/milp/milp.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "support/contents_of.hpp"
#include "support/random_graphs.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

namespace poet {
namespace {

using bench::make_poet_milp;
using bench::PoetMilp;

constexpr double kRelative = 1e-7;  // CBC's tolerances after scaling

/// The energy at POET's optimum, from a replay; nothing where there is no schedule.
std::optional<Joules> poet_optimum(const Problem& problem) {
  const PoetMilp poet = make_poet_milp(problem);
  const Joules reference = baseline(problem.graph).energy_joules * poet.units_per_joule;
  const MipResult found = solve_mip(scale(poet.milp, reference).milp, {.time_limit_seconds = 60},
                                    [](const MipProgress&) { return true; });
  EXPECT_EQ(found.status, MipResult::Status::finished) << found.message;
  if (!found.values) return std::nullopt;
  const Schedule schedule = bench::schedule_of(poet.columns, problem.graph, *found.values);
  const Replay replay = simulate(problem.graph, schedule, problem.limits);
  EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
  return replay.energy_joules;
}

void expect_same_optimum(const Problem& problem) {
  const SolveResult ours = solve(problem, {.settings = {.gap = 0, .time_limit_seconds = 60}});
  const std::optional<Joules> theirs = poet_optimum(problem);
  ASSERT_EQ(ours.status, theirs ? Status::optimal : Status::infeasible) << ours.reason;
  if (!theirs) return;
  EXPECT_NEAR(*theirs, ours.energy_joules, kRelative * ours.energy_joules);
}

TEST(PoetOptima, AreOursOnRandomGraphs) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Problem problem = test::random_problem(random, 5 + random.below(4));
    problem.limits.techniques.paging = random.below(4) != 0;
    problem.limits.techniques.remat = random.below(4) != 0;
    expect_same_optimum(problem);
  }
}

TEST(PoetOptima, AreOursForLinearOnM0) {
  expect_same_optimum(instance("linear", "m0", 3500, 2));
}

TEST(PoetOptima, AreOursInAnotherSolverThatReadsTheFile) {
  if (std::string(POET_GLPSOL).empty()) GTEST_SKIP() << "no glpsol (Debian: glpk-utils)";
  Random random(3);
  const Problem problem = test::random_problem(random, 6);
  const SolveResult ours = solve(problem, {.settings = {.gap = 0, .time_limit_seconds = 20}});
  ASSERT_EQ(ours.status, Status::optimal);
  ASSERT_GT(ours.energy_joules, baseline(problem.graph).energy_joules * (1 + 1e-5))
      << "the baseline fits: nothing is tested";
  const PoetMilp poet = make_poet_milp(problem);
  const test::TemporaryFolder folder;
  const std::string model = folder.write("poet.mps", to_mps(poet.milp, "test"));
  const test::Finished run = test::run_program(
      {.program = POET_GLPSOL,
       .arguments = {"--freemps", model, "--tmlim", "60", "-o", folder.file("report")}});
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  const std::string report = test::contents_of(folder.file("report"));
  ASSERT_NE(report.find("INTEGER OPTIMAL"), std::string::npos) << report.substr(0, 400);
  const std::string label = "energy = ";
  const std::size_t at = report.find(label);
  ASSERT_NE(at, std::string::npos);
  const double theirs = std::strtod(report.c_str() + at + label.size(), nullptr);
  EXPECT_NEAR(theirs / poet.units_per_joule, ours.energy_joules, 1e-6 * ours.energy_joules);
}

}  // namespace
}  // namespace poet
