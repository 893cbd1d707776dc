// Every row and cut of the sampled relaxation at schedules that exist, for any moments. No solver
// takes part.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "poet/problem.hpp"
#include "solver/formulation/moments.hpp"
#include "solver/formulation/sampled_relaxation.hpp"
#include "support/admitted.hpp"
#include "support/cases.hpp"
#include "support/drawn_schedule.hpp"
#include "support/sampled_point.hpp"

namespace poet::test {
namespace {

/// What has been looked at in all.
struct SampledTally {
  int rows = 0;
  int later_rows = 0;  // with columns that sum up what happens from a moment on
  int cuts = 0;
  int page_ins = 0;
};

std::vector<int> any_moments(Twister& random, const Problem& problem,
                             const UsefulWindows& windows) {
  const int size = problem.graph.size();
  const int count = draw(random, 1, size);
  switch (draw(random, 0, 3)) {
    case 0:
      return spread_moments(problem.graph, windows.first_stage, count);
    case 1: {
      // The drawn limits are those of the schedule, below which the baseline often overruns.
      std::vector<int> moments = peak_moments(problem, count);
      if (!moments.empty()) return moments;
      [[fallthrough]];
    }
    default: {
      std::vector<int> moments;
      for (int t = 0; t < size; ++t) {
        if (draw(random, 1, size) <= count) moments.push_back(t);
      }
      return moments;
    }
  }
}

/// Cuts that points anywhere in the unit cube break.
void expect_sampled_cuts_hold(Twister& random, const SampledModel& model, const Graph& graph,
                              const std::vector<double>& values, SampledTally& tally) {
  std::vector<double> anywhere(values.size());
  for (double& value : anywhere) value = chance(random, 60) ? 0 : draw(random, 0, 100) / 100.0;
  for (const MilpRow& cut : sampled_cuts(model, graph, anywhere)) {
    expect_row_holds(cut, values);
    ++tally.cuts;
  }
}

void expect_sampled_admits(Twister& random, const Drawn& drawn, const UsefulWindows& windows,
                           SampledTally& tally) {
  const std::vector<int> moments = any_moments(random, drawn.problem, windows);
  const SampledModel model = sampled_relaxation(drawn.problem, windows, moments);
  const std::vector<double> values = SampledPoint(model, drawn.problem, drawn.schedule).run();
  for (const MilpRow& row : model.milp.rows) {
    expect_row_holds(row, values);
    tally.later_rows += row.name.find("later") == std::string::npos ? 0 : 1;
  }
  tally.rows += static_cast<int>(model.milp.rows.size());
  EXPECT_LE(objective(model.milp, values), drawn.extra() + kRounding * drawn.energy);
  for (int point = 0; point < 3; ++point) {
    expect_sampled_cuts_hold(random, model, drawn.problem.graph, values, tally);
  }
}

void expect_sampled_rows_admit(const CaseRange& range, bool attributes) {
  SampledTally tally;
  for (int seed = range.first; seed < range.first + range.count; ++seed) {
    SCOPED_TRACE("POET_SEED=" + std::to_string(seed) + " POET_CASES=1");
    Twister random(seed);
    Drawn drawn = draw_schedule(random, attributes);
    tally.page_ins += drawn.page_ins();
    if (chance(random, 20) && drawn.page_ins() == 0) drawn.problem.limits.techniques.paging = false;
    for (const bool collapse : {false, true}) {
      for (const Joules most : {kInfinity, drawn.extra() * (1 + kRounding)}) {
        expect_sampled_admits(random, drawn, useful_windows(drawn.problem, collapse, most), tally);
      }
    }
    if (testing::Test::HasFailure()) return;
  }
  if (range.count < 100) return;
  EXPECT_GT(tally.rows, 50 * range.count);
  EXPECT_GT(tally.later_rows, 10 * range.count);
  EXPECT_GT(tally.cuts, 10 * range.count);
  EXPECT_GT(tally.page_ins, range.count / (attributes ? 8 : 4));
}

TEST(SampledRows, AdmitEveryScheduleThatKeepsTheBudgets) {
  expect_sampled_rows_admit(wanted_cases(400), false);
}

TEST(SampledRows, AdmitEveryScheduleOfGraphsThatAreNotPoets) {
  expect_sampled_rows_admit(wanted_cases(400), true);
}

}  // namespace
}  // namespace poet::test
