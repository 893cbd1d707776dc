// Every row and cut of the model at schedules that exist: none may forbid one, whatever its energy.
// No solver takes part.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "solver/formulation/cuts.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/search/local_search.hpp"
#include "support/cases.hpp"
#include "support/graph_attributes.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {
namespace {

constexpr double kRounding = 1e-9;

bool has(const std::vector<int>& nodes, int i) {
  return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
}

bool used_in(const Graph& graph, const Stage& stage, int i) {
  return std::any_of(graph.users[i].begin(), graph.users[i].end(),
                     [&](int j) { return has(stage.compute, j); });
}

/// The model pages in just before a use: moves every page-in as far back as that.
void delay_page_ins(const Graph& graph, Schedule& schedule) {
  for (int t = 0; t + 2 < graph.size(); ++t) {
    Stage& stage = schedule.stages[t];
    Stage& next = schedule.stages[t + 1];
    for (const int i : std::vector<int>(stage.page_in)) {
      if (used_in(graph, next, i) || has(next.page_out, i)) continue;
      std::erase(stage.page_in, i);
      std::erase(next.resident, i);
      if (has(schedule.stages[t + 2].resident, i)) next.page_in.push_back(i);
    }
  }
}

/// Without what the model leaves out because it never helps.
Schedule normal(const Graph& graph, const Schedule& schedule) {
  Schedule result = tidy(graph, schedule);
  delay_page_ins(graph, result);
  return tidy(graph, result);
}

/// A schedule with limits that it just keeps.
struct Drawn {
  Problem problem;
  Schedule schedule;
  Joules energy = 0;

  Drawn(const Graph& graph, const Schedule& drawn, PagingTime paging_time = PagingTime::free) {
    problem.graph = graph;
    schedule = normal(graph, drawn);
    problem.limits.paging_time = paging_time;
    const Replay replay = simulate(graph, schedule, problem.limits);
    problem.limits.ram_budget_bytes = replay.peak_ram_bytes;
    problem.limits.runtime_budget_seconds = replay.runtime_seconds;
    problem.limits.storage_budget_bytes = replay.storage_bytes;
    problem.limits.page_out_budget_bytes = replay.written_bytes;
    EXPECT_TRUE(simulate(graph, schedule, problem.limits).valid());
    energy = replay.energy_joules;
  }

  Joules extra() const { return energy - baseline(problem.graph).energy_joules; }
  int page_ins() const {
    std::size_t sum = 0;
    for (const Stage& stage : schedule.stages) sum += stage.page_in.size();
    return static_cast<int>(sum);
  }
};

Drawn draw_schedule(Random& random, bool attributes) {
  Graph graph = random_graph(random);
  if (attributes) {
    graph = with_attributes(std::move(graph), [&](int n) { return draw(random, 0, n - 1); });
  }
  const Habits habits{
      .drop = draw(random, 0, 70), .page_out = draw(random, 0, 80), .page_in = draw(random, 0, 80)};
  const Schedule schedule = random_schedule(random, graph, habits);
  const auto paging_time = attributes ? static_cast<PagingTime>(draw(random, 0, 2)) : PagingTime{};
  return Drawn(graph, schedule, paging_time);
}

double activity(const MilpRow& row, const std::vector<double>& values) {
  double sum = 0;
  for (const MilpTerm& term : row.terms) sum += term.coefficient * values[term.column];
  return sum;
}

void expect_row_holds(const MilpRow& row, const std::vector<double>& values) {
  const double sum = activity(row, values);
  EXPECT_GE(sum, row.lower - kRounding * (1 + std::abs(row.lower))) << row.name;
  EXPECT_LE(sum, row.upper + kRounding * (1 + std::abs(row.upper))) << row.name;
}

double objective(const Milp& milp, const std::vector<double>& values) {
  double sum = milp.objective_offset;
  for (std::size_t c = 0; c < values.size(); ++c) sum += milp.columns[c].cost * values[c];
  return sum;
}

/// Cuts that points anywhere in the unit cube break; the number of them.
int expect_cuts_hold(Random& random, const Formulation& model, const Graph& graph,
                     const std::vector<double>& values) {
  std::vector<double> anywhere(values.size());
  for (double& value : anywhere) value = chance(random, 50) ? 0 : draw(random, 0, 100) / 100.0;
  const auto cuts = separate_precedence(model, graph, anywhere, {});
  for (const PrecedenceCut& cut : cuts) expect_row_holds(to_row(model, cut), values);
  return static_cast<int>(cuts.size());
}

/// What has been looked at in all.
struct Tally {
  int rows = 0;
  int cuts = 0;
  int page_ins = 0;
};

void expect_admitted(Random& random, const Drawn& drawn, const UsefulWindows& windows,
                     Tally& tally) {
  const Formulation model = formulate(drawn.problem, windows);
  const std::vector<double> values = point_of_schedule(model, drawn.schedule);
  for (const MilpRow& row : model.milp.rows) expect_row_holds(row, values);
  tally.rows += static_cast<int>(model.milp.rows.size());
  tally.cuts += expect_cuts_hold(random, model, drawn.problem.graph, values);
  const double cost = objective(model.milp, values);
  const double slack = kRounding * drawn.energy;
  if (windows.collapsed()) {
    EXPECT_LE(cost, drawn.energy + slack);
  } else {
    EXPECT_NEAR(cost, drawn.energy, slack);
    const Schedule back = schedule_of_point(model, drawn.problem.graph, values);
    EXPECT_NEAR(simulate(drawn.problem.graph, back, drawn.problem.limits).energy_joules,
                drawn.energy, slack);
  }
}

void expect_rows_admit(const CaseRange& range, bool attributes) {
  Tally tally;
  for (int seed = range.first; seed < range.first + range.count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Drawn drawn = draw_schedule(random, attributes);
    tally.page_ins += drawn.page_ins();
    for (const bool collapse : {false, true}) {
      for (const Joules most : {kInfinity, drawn.extra() * (1 + kRounding)}) {
        expect_admitted(random, drawn, useful_windows(drawn.problem, collapse, most), tally);
      }
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tally.rows, 500 * range.count);
  EXPECT_GT(tally.cuts, 10 * range.count);
  EXPECT_GT(tally.page_ins, range.count / (attributes ? 8 : 4));
}

TEST(Rows, AdmitEveryScheduleThatKeepsTheBudgets) {
  expect_rows_admit(wanted_cases(400), false);
}

TEST(Rows, AdmitEveryScheduleOfGraphsThatAreNotPoets) {
  expect_rows_admit(wanted_cases(400), true);
}

/// The models as people solve them: collapsed, with the windows that a first schedule allows.
class RowsOfModels : public testing::TestWithParam<std::string> {};

TEST_P(RowsOfModels, AdmitFirstSchedules) {
  const Platform platform = load_platform("m4");
  Problem problem{.graph = cost_graph(load_model(GetParam()), &platform)};
  const Baseline base = baseline(problem.graph);
  Random random(1);
  Tally tally;
  for (const double share : {0.5, 0.75, 0.95}) {
    SCOPED_TRACE(share);
    problem.limits.ram_budget_bytes =
        static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes));
    problem.limits.runtime_budget_seconds = 2 * base.runtime_seconds;
    const auto plan = first_plan(problem);
    if (!plan) continue;
    const Drawn drawn(problem.graph, plan->to_schedule());
    const Joules most = drawn.extra() + kRounding * drawn.energy;
    expect_admitted(random, drawn, useful_windows(drawn.problem, true, most), tally);
  }
  EXPECT_GT(tally.rows, 0);
  EXPECT_GT(tally.cuts, 0);
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, RowsOfModels,
                         testing::Values("bert", "linear", "resnet18", "resnet18_cifar", "resnet50",
                                         "transformer", "vgg16", "vgg16_cifar"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace poet::test
