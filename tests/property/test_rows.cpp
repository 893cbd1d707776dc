// Every row and cut of the model at schedules that exist: none may forbid one, whatever its energy.
// No solver takes part.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "solver/formulation/cuts.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/memory_rows.hpp"
#include "solver/formulation/rows_on_demand.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/formulation/tail_cuts.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/search/local_search.hpp"
#include "support/admitted.hpp"
#include "support/cases.hpp"
#include "support/drawn_schedule.hpp"
#include "support/idle_problems.hpp"
#include "support/oracle.hpp"

namespace poet::test {
namespace {

/// What has been looked at in all.
struct Tally {
  int rows = 0;
  int found_on_demand = 0;
  int paths = 0;
  int knapsacks = 0;
  int tails = 0;
  int binding_tails = 0;
  int page_ins = 0;
};

/// Cuts that points anywhere in the unit cube break.
void expect_cuts_hold(Twister& random, const Formulation& model, const Graph& graph,
                      const std::vector<double>& values, Tally& tally) {
  std::vector<double> anywhere(values.size());
  for (double& value : anywhere) value = chance(random, 50) ? 0 : draw(random, 0, 100) / 100.0;
  const auto expect_hold = [&](const auto& cuts, int& count) {
    for (const Cut cut : cuts) expect_row_holds(to_row(model, graph, cut), values);
    count += static_cast<int>(cuts.size());
  };
  expect_hold(separate_precedence(model, graph, anywhere, {}), tally.paths);
  expect_hold(separate_knapsacks(model, graph, anywhere), tally.knapsacks);
  if (!model.windows.collapsed()) return;
  const auto tail = TailCuts(model, graph, anywhere, 1'000'000).separate(anywhere);
  if (tail) expect_hold(std::vector{*tail}, tally.tails);
}

/// What the last stages spend is no less than the program finds for the tensors in RAM before them
/// and for the copies, from all stages on that these numbers of sets tell apart.
void expect_tails_cost_enough(const Formulation& model, const Graph& graph,
                              const std::vector<double>& values, Tally& tally) {
  for (const std::size_t most_sets : {2, 5, 12, 40, 1000}) {
    const TailValues tail(graph, model.memory.ram_bytes, most_sets);
    TailValues::Set resident = 0;
    TailValues::Set paged = 0;
    for (std::size_t q = 0; q < tail.tensors().size(); ++q) {
      const int i = tail.tensors()[q];
      const auto bit = [q](bool is_there) { return TailValues::Set{is_there} << q; };
      if (!tail.sets().empty()) resident |= bit(holds(model.resident(tail.stage(), i), values));
      paged |= bit(holds(model.paged[i], values));
    }
    const auto found = std::ranges::find(tail.sets(), resident);
    if (found == tail.sets().end()) continue;
    const double least = tail.least(paged)[found - tail.sets().begin()];
    const std::vector<Joules> free(tail.tensors().size(), 0);
    const TailCut cut{.stage = tail.stage(),
                      .least_joules = least / TailValues::kBaseline * baseline(graph).energy_joules,
                      .tensors = {tail.tensors().begin(), tail.tensors().end()},
                      .resident = free,
                      .paged = free};
    const MilpRow row = to_row(model, graph, cut);
    expect_row_holds(row, values);
    const bool is_met = activity(row, values) > row.upper - 1e-5 * std::abs(row.upper);
    if (least > 0 && is_met) ++tally.binding_tails;
  }
}

/// Rows on demand hold wherever they are made, and are found where a point anywhere overruns them;
/// the number of those found.
int expect_rows_on_demand_hold(Twister& random, const Drawn& drawn, const UsefulWindows& windows,
                               const std::vector<double>& values) {
  const Formulation complete = formulate(drawn.problem, windows);
  const Formulation model = formulate(drawn.problem, windows, MemoryRowsWhen::on_demand);
  const RowsOnDemand on_demand(model, drawn.problem.graph);
  std::map<std::string, MilpRow> missing;
  for (const MilpRow& row : complete.milp.rows) missing[row.name] = row;
  for (const MilpRow& row : model.milp.rows) EXPECT_EQ(missing.erase(row.name), 1u) << row.name;
  for (int number = 0; number < on_demand.size(); ++number) {
    const MilpRow row = on_demand.make(number);
    if (row.terms.empty()) continue;
    expect_row_holds(row, values);
    EXPECT_EQ(missing.erase(row.name), 1u) << row.name;
  }
  EXPECT_TRUE(missing.empty()) << "neither in the model nor on demand: " << missing.begin()->first;
  EXPECT_TRUE(on_demand.violated(values, kRounding).empty());
  std::vector<double> anywhere(values.size());
  for (double& value : anywhere) value = chance(random, 50) ? 1 : draw(random, 0, 100) / 100.0;
  const std::vector<NumberedRow> violated = on_demand.violated(anywhere, 1e-5);
  for (const NumberedRow& found : violated) {
    EXPECT_GT(excess(found.row, anywhere), 0) << found.row.name;
    EXPECT_EQ(found.row.name, on_demand.make(found.number).name);
  }
  return static_cast<int>(violated.size());
}

/// The running sum of bytes against the sum over all tensors, at a point anywhere.
void expect_bytes_add_up(Twister& random, const Formulation& model, const Graph& graph) {
  std::vector<double> anywhere(model.milp.columns.size());
  for (double& value : anywhere) value = draw(random, 0, 100) / 100.0;
  for (int t = model.windows.first_stage; t < model.size(); ++t) {
    std::vector<int> nodes;
    for (int k = 0; k < t; ++k) {
      if (model.windows.can_recompute(t, k)) nodes.push_back(k);
    }
    const std::vector<double> sums = bytes_at(model, graph, t, nodes, anywhere);
    for (std::size_t c = 0; c < nodes.size(); ++c) {
      const int k = nodes[c];
      const Node& own = graph.nodes[k];
      double sum =
          static_cast<double>(own.bytes) * value_of(model.available(t, k), anywhere) +
          static_cast<double>(own.workspace_bytes) * value_of(model.compute(t, k), anywhere);
      for (int i = 0; i < t; ++i) {
        if (i == k) continue;
        sum += static_cast<double>(graph.nodes[i].bytes) *
               value_of(counted_during(model, graph, t, k, i), anywhere);
      }
      EXPECT_NEAR(sums[c], sum, kRounding * (1 + sum)) << "stage " << t << ", node " << k;
    }
  }
}

void expect_admitted(Twister& random, const Drawn& drawn, const UsefulWindows& windows,
                     Tally& tally) {
  const Formulation model = formulate(drawn.problem, windows);
  const std::vector<double> values = point_of_schedule(model, drawn.schedule);
  for (const MilpRow& row : model.milp.rows) expect_row_holds(row, values);
  tally.rows += static_cast<int>(model.milp.rows.size());
  tally.found_on_demand += expect_rows_on_demand_hold(random, drawn, windows, values);
  expect_bytes_add_up(random, model, drawn.problem.graph);
  expect_cuts_hold(random, model, drawn.problem.graph, values, tally);
  const double cost = objective(model.milp, values);
  const double slack = kRounding * drawn.energy;
  if (windows.collapsed()) {
    expect_tails_cost_enough(model, drawn.problem.graph, values, tally);
    EXPECT_LE(cost, drawn.energy + slack);
  } else {
    EXPECT_NEAR(cost, drawn.energy, slack);
    const Schedule back = schedule_of_point(model, drawn.problem.graph, values);
    EXPECT_NEAR(simulate(drawn.problem.graph, back, drawn.problem.limits).energy_joules,
                drawn.energy, slack);
  }
}

void expect_rows_admit(bool attributes) {
  Tally tally;
  const int cases = for_cases(400, [&](int seed) {
    Twister random(seed);
    const Drawn drawn = draw_schedule(random, attributes);
    tally.page_ins += drawn.page_ins();
    for (const bool collapse : {false, true}) {
      for (const Joules most : {kInfinity, drawn.extra() * (1 + kRounding)}) {
        expect_admitted(random, drawn, useful_windows(drawn.problem, collapse, most), tally);
      }
    }
  });
  EXPECT_GT(tally.rows, 500 * cases);
  EXPECT_GT(tally.paths, 10 * cases);
  EXPECT_GT(tally.knapsacks, cases);
  EXPECT_GT(tally.tails, cases / 6);
  EXPECT_GT(tally.binding_tails, cases / 3);
  EXPECT_GT(tally.found_on_demand, 10 * cases);
  EXPECT_GT(tally.page_ins, cases / (attributes ? 8 : 4));
}

TEST(Rows, AdmitEveryScheduleThatKeepsTheBudgets) {
  expect_rows_admit(false);
}

TEST(Rows, AdmitEveryScheduleOfGraphsThatAreNotPoets) {
  expect_rows_admit(true);
}

// Schedules with recomputations that serve only to free what is written out.
TEST(Rows, AdmitOptimaWithIdleRecomputations) {
  Tally tally;
  int idle = 0;
  const int cases = for_cases(600, [&](int seed) {
    Random drawing(seed);
    const Problem problem = idle_problem(drawing);
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    if (!optimum || count_idle_recomputations(problem.graph, optimum->schedule) == 0) return;
    ++idle;
    const Drawn drawn(problem.graph, optimum->schedule, problem.limits.paging_time);
    EXPECT_GT(count_idle_recomputations(problem.graph, drawn.schedule), 0) << "tidied away";
    Twister random(seed);
    for (const Joules most : {kInfinity, drawn.extra() * (1 + kRounding)}) {
      expect_admitted(random, drawn, useful_windows(drawn.problem, false, most), tally);
    }
  });
  if (cases < 100) return;
  EXPECT_GT(idle, cases / 30);
}

/// What a relaxation sees of a schedule. It knows that a tensor is paged and not when it is
/// written, so that nothing is held, or computed again, for the sake of a page-out.
Schedule without_page_outs(const Problem& problem, Schedule schedule) {
  for (Stage& stage : schedule.stages) stage.page_out.clear();
  return normal(problem.graph, schedule, problem.limits.paging_time);
}

// What is left without the idle recomputations may need more RAM than there is, and is a point of
// the relaxation all the same.
TEST(Rows, OfTheCollapsedModelAdmitOptimaWithoutTheirIdleRecomputations) {
  int idle = 0;
  int overrun = 0;
  Tally tally;
  const int cases = for_cases(1200, [&](int seed) {
    poet::Random drawing(seed);
    Twister random(seed);
    const Problem problem = idle_problem(drawing);
    const auto optimum = ask_oracle(problem.graph, problem.limits);
    if (!optimum || count_idle_recomputations(problem.graph, optimum->schedule) == 0) return;
    const Schedule without = without_page_outs(problem, optimum->schedule);
    EXPECT_EQ(count_idle_recomputations(problem.graph, without), 0);
    const Joules extra = optimum->energy_joules - baseline(problem.graph).energy_joules;
    for (const Joules most : {kInfinity, extra + kRounding * optimum->energy_joules}) {
      const UsefulWindows windows = useful_windows(problem, true, most);
      if (!windows.collapsed()) continue;
      ++idle;
      const Schedule tidied = tidy(problem.graph, PagingTime::overlapped, optimum->schedule);
      if (!simulate(problem.graph, tidied, problem.limits).valid()) ++overrun;
      const Formulation model = formulate(problem, windows);
      const std::vector<double> values = point_of_schedule(model, without);
      for (const MilpRow& row : model.milp.rows) expect_row_holds(row, values);
      expect_cuts_hold(random, model, problem.graph, values, tally);
      expect_tails_cost_enough(model, problem.graph, values, tally);
      EXPECT_LT(objective(model.milp, values), optimum->energy_joules);
    }
  });
  if (cases < 100) return;
  EXPECT_GT(idle, cases / 30);
  EXPECT_GT(overrun, cases / 60) << "nothing that only the relaxation admits";
  EXPECT_GT(tally.tails, cases / 60);
  EXPECT_GT(tally.binding_tails, cases / 10);
}

/// The models as people solve them: collapsed, with the windows that a first schedule allows.
class RowsOfModels : public testing::TestWithParam<std::string> {};

TEST_P(RowsOfModels, AdmitFirstSchedules) {
  const Platform platform = load_platform("m4");
  Problem problem{.graph = cost_graph(load_model(GetParam()), &platform)};
  const Baseline base = baseline(problem.graph);
  Twister random(1);
  Tally tally;
  for (const double share : {0.5, 0.75, 0.95}) {
    SCOPED_TRACE(share);
    problem.limits.ram_budget_bytes =
        static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes));
    problem.limits.runtime_budget_seconds = 2 * base.runtime_seconds;
    const auto schedule = first_schedule(problem);
    if (!schedule) continue;
    const Drawn drawn(problem.graph, *schedule);
    const Joules most = drawn.extra() + kRounding * drawn.energy;
    expect_admitted(random, drawn, useful_windows(drawn.problem, true, most), tally);
  }
  EXPECT_GT(tally.rows, 0);
  EXPECT_GT(tally.paths, 0);
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, RowsOfModels,
                         testing::Values("bert", "linear", "resnet18", "resnet18_cifar", "resnet50",
                                         "transformer", "vgg16", "vgg16_cifar"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace poet::test
