#include "solver/import_solution.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "expect_input_error.hpp"
#include "poet/simulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "support/tiny_sweep.hpp"

namespace poet {
namespace {

using test::hill_paged;
using test::hill_recomputed;
using testing::HasSubstr;

class ImportIntoHill : public testing::Test {
 protected:
  /// What a solver that found this schedule would write, in the order of the model's file.
  MilpSolution solution_of(const Schedule& schedule) const {
    const std::vector<double> point = point_of_schedule(model_, schedule);
    MilpSolution solution{.solver = "test", .claim = "Optimal"};
    for (std::size_t c = 0; c < point.size(); ++c) {
      solution.values.push_back({.column = model_.milp.columns[c].name,
                                 .value = point[c],
                                 .line = static_cast<int>(c) + 1});
    }
    return solution;
  }

  SolveResult import(const MilpSolution& solution, MilpFormat format = MilpFormat::mps) const {
    return import_solution(problem_, model_, format, solution, 1e-4, "x.sol");
  }

  std::string error_of(const MilpSolution& solution) const {
    return input_error([&] { import(solution); });
  }

  /// An integer column that has this value in the solution.
  ColumnValue& column_at(MilpSolution& solution, double value) const {
    for (std::size_t c = 0; c < solution.values.size(); ++c) {
      if (model_.milp.columns[c].integer && solution.values[c].value == value) {
        return solution.values[c];
      }
    }
    throw std::logic_error("no such column");
  }

  Problem problem_{.graph = test::hill_graph(), .limits = test::point_of(120).limits};
  Formulation model_ = exported_model(problem_);
};

TEST_F(ImportIntoHill, FindsTheScheduleAndItsEnergy) {
  for (const Schedule& schedule : {hill_paged(), hill_recomputed()}) {
    const SolveResult result = import(solution_of(schedule));
    EXPECT_EQ(result.energy_joules,
              simulate(problem_.graph, schedule, problem_.limits).energy_joules);
    ASSERT_TRUE(result.schedule);
    EXPECT_TRUE(simulate(problem_.graph, *result.schedule, problem_.limits).valid());
  }
}

TEST_F(ImportIntoHill, DoesNotBelieveThatItIsOptimal) {
  const SolveResult result = import(solution_of(hill_recomputed()));
  EXPECT_EQ(result.status, Status::feasible);
  EXPECT_EQ(result.lower_bound_joules, baseline(problem_.graph).energy_joules);
}

TEST_F(ImportIntoHill, ProvesWhatCostsNoMoreThanTheBaseline) {
  problem_.limits.ram_budget_bytes = baseline(problem_.graph).peak_ram_bytes;
  model_ = exported_model(problem_);
  EXPECT_EQ(import(solution_of(baseline(problem_.graph).schedule)).status, Status::optimal);
}

TEST_F(ImportIntoHill, FindsColumnsByTheirNumbersInEitherFile) {
  for (const MilpFormat format : {MilpFormat::mps, MilpFormat::lp}) {
    const MilpSolution named = solution_of(hill_recomputed());
    const std::vector<std::string> order = column_names(model_.milp, format);
    MilpSolution numbered{.solver = "test", .column_count = static_cast<int>(order.size())};
    for (std::size_t at = 0; at < order.size(); ++at) {
      const auto value = std::find_if(named.values.begin(), named.values.end(),
                                      [&](const auto& it) { return it.column == order[at]; });
      numbered.values.push_back({.number = static_cast<int>(at) + 1,
                                 .value = value == named.values.end() ? 1 : value->value});
    }
    EXPECT_EQ(import(numbered, format).energy_joules, import(named).energy_joules);
    numbered.column_count = 3;
    EXPECT_THAT(error_of(numbered), HasSubstr("x.sol: found a solution of 3 columns; expected "));
  }
}

TEST_F(ImportIntoHill, TakesColumnsThatAreNotListedForZero) {
  MilpSolution solution = solution_of(hill_recomputed());
  std::erase_if(solution.values, [](const ColumnValue& value) { return value.value == 0; });
  EXPECT_EQ(import(solution).energy_joules, 6);
}

TEST_F(ImportIntoHill, LeavesOutWhatIsHeldForNoUse) {
  // As HiGHS does: the rows do not count the RAM of what a stage neither uses nor hands on.
  MilpSolution solution = solution_of(hill_recomputed());
  const auto idle = std::find_if(solution.values.begin(), solution.values.end(),
                                 [](const ColumnValue& value) { return value.column == "C_2_0"; });
  ASSERT_NE(idle, solution.values.end());
  ASSERT_EQ(idle->value, 0);
  idle->value = 1;
  EXPECT_EQ(import(solution).energy_joules, 6);
}

TEST_F(ImportIntoHill, RoundsWhatIsNearlyWholeAndNothingElse) {
  MilpSolution solution = solution_of(hill_recomputed());
  ColumnValue& column = column_at(solution, 1);
  column.value = 1 - 9e-6;
  EXPECT_EQ(import(solution).energy_joules, 6);
  for (const auto& [value, shown] :
       {std::pair(0.9999, "0.9999"), {0.5, "0.5"}, {-1.0, "-1"}, {2.0, "2"}}) {
    column.value = value;
    EXPECT_EQ(error_of(solution), fmt::format("x.sol:{}: column {} is {}; expected 0 or 1, within "
                                              "1e-05",
                                              column.line, column.column, shown));
  }
}

TEST_F(ImportIntoHill, RefusesColumnsThatAreNotThereOrTwice) {
  MilpSolution solution = solution_of(hill_recomputed());
  solution.values[0].column = "R_9_9";
  EXPECT_THAT(error_of(solution),
              HasSubstr("x.sol:1: found a value of 'R_9_9'; expected a column"));
  solution.values[0].column = solution.values[1].column;
  EXPECT_THAT(error_of(solution), HasSubstr("x.sol:2: found a second value of column "));
  solution.values[0] = {.number = 1000, .line = 1};
  EXPECT_THAT(error_of(solution),
              HasSubstr("x.sol:1: found a value of column 1000; expected 1 to"));
}

TEST_F(ImportIntoHill, NamesTheRuleThatAScheduleBreaks) {
  MilpSolution nothing = solution_of(hill_recomputed());
  for (ColumnValue& value : nothing.values) value.value = 0;
  EXPECT_THAT(error_of(nothing),
              HasSubstr("x.sol: the solution breaks rule 1 (inputs): stage 1: "));
  // What was never stored cannot be paged in; that tidy() could mend it makes no difference.
  MilpSolution unstored = solution_of(hill_paged());
  for (ColumnValue& value : unstored.values) {
    if (value.column.starts_with("O_")) value.value = 0;
  }
  EXPECT_THAT(error_of(unstored), HasSubstr("the solution breaks rule 4 (page-in): stage "));
}

TEST_F(ImportIntoHill, StatesInTheHeadWhatTheFileIsAbout) {
  const auto head = [&](const ProblemOrigin& origin) {
    return export_head(problem_, model_, MilpFormat::mps, origin);
  };
  const ProblemOrigin origin{.model = "hill, sha256 1"};
  const auto difference = [&](const ExportHead& found, const ExportHead& expected) {
    return input_error([&] { check_export_head(found, expected, "x.mps"); });
  };
  EXPECT_NO_THROW(check_export_head(head(origin), head(origin), "x.mps"));
  EXPECT_NO_THROW(check_export_head(head({}), head(origin), "x.mps"));
  EXPECT_NO_THROW(check_export_head(head({.model = "a copy"}), head(origin), "x.mps"));

  const ExportHead before = head(origin);
  problem_.limits.ram_budget_bytes = 130;
  problem_.limits.techniques.remat = false;
  problem_.limits.storage.storage_budget_bytes = 50;
  EXPECT_EQ(difference(before, head(origin)),
            "x.mps: RAM budget: found '120 bytes'; expected '130 bytes'\n"
            "x.mps: techniques: found 'paging and recomputation'; expected 'paging'\n"
            "x.mps: storage budget: found 'none'; expected '50 bytes'");
}

TEST_F(ImportIntoHill, ExplainsAnotherGraphIfItCan) {
  const ProblemOrigin origin{.model = "hill, sha256 1", .platform = "m4", .batch_size = 1};
  const ExportHead before = export_head(problem_, model_, MilpFormat::mps, origin);
  problem_.graph.nodes[0].energy_joules *= 2;
  ProblemOrigin other = origin;
  const auto difference = [&] {
    return input_error([&] {
      check_export_head(before, export_head(problem_, model_, MilpFormat::mps, other), "x.mps");
    });
  };
  EXPECT_THAT(difference(), testing::StartsWith("x.mps: graph: found 'sha256 "));
  EXPECT_THAT(difference(), testing::EndsWith(": another model, platform, batch size, memory "
                                              "power scale or set of copies"));
  other.platform = "a72";
  other.batch_size = 4;
  EXPECT_EQ(difference(),
            "x.mps: platform: found 'm4'; expected 'a72'\n"
            "x.mps: batch size: found '1'; expected '4'");
}

TEST_F(ImportIntoHill, ExplainsAnotherOrderOfTheSameNodes) {
  const ProblemOrigin given{.model = "hill, sha256 1", .platform = "m4"};
  ProblemOrigin chosen = given;
  chosen.given_graph_sha256 = graph_sha256(problem_.graph);
  const auto head = [&](const ProblemOrigin& origin) {
    return export_head(problem_, model_, MilpFormat::mps, origin);
  };
  const auto difference = [](const ExportHead& found, const ExportHead& expected) {
    return input_error([&] { check_export_head(found, expected, "x.mps"); });
  };
  const ExportHead in_given = head(given);
  problem_.graph.nodes[0].bytes += 1;  // as if another node came first
  const ExportHead in_chosen = head(chosen);
  const std::string words = "'chosen, of the graph with sha256 " + chosen.given_graph_sha256 + "'";
  EXPECT_EQ(difference(in_given, in_chosen),
            "x.mps: order of nodes: found 'given'; expected " + words);
  EXPECT_EQ(difference(in_chosen, in_given),
            "x.mps: order of nodes: found " + words + "; expected 'given'");
  problem_.graph.nodes[1].bytes += 1;
  EXPECT_THAT(difference(in_chosen, head(chosen)),
              testing::EndsWith(": another order of the nodes"));
  EXPECT_NO_THROW(check_export_head(in_chosen, in_chosen, "x.mps"));
}

TEST(ExportHead, RefusesWhatExportModelDidNotWrite) {
  const auto error_of = [](const std::string& text) {
    return input_error([&] { read_export_head(text, "x.mps"); });
  };
  EXPECT_THAT(error_of(""), HasSubstr("x.mps: found no model of --export-model"));
  EXPECT_THAT(error_of("NAME x\nROWS\n"), HasSubstr("found no model of --export-model"));
  EXPECT_THAT(error_of("* poet: energy\n* graph: sha256 1\n\nNAME\n"),
              HasSubstr("x.mps: found no comment 'RAM budget: ...'"));
}

}  // namespace
}  // namespace poet
