// Solutions of four solvers, as their programs write them.
#include "formats/read_solution.hpp"

#include <cmath>

#include "expect_input_error.hpp"
#include "support/contents_of.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MilpSolution sample(const std::string& name) {
  return parse_solution(test::contents_of(POET_TEST_DATA "/solutions/" + name), name);
}

std::string solution_error_of(const std::string& text) {
  return input_error([&] { parse_solution(text, "x.sol"); });
}

/// The columns whose values are 1, within what solvers leave.
std::vector<std::string> ones(const MilpSolution& solution) {
  std::vector<std::string> names;
  for (const ColumnValue& value : solution.values) {
    if (std::abs(value.value - 1) < 1e-5) names.push_back(value.column);
  }
  return names;
}

TEST(ReadSolution, KnowsEveryFormatByItsContent) {
  const auto columns = ElementsAre("C_1_0", "R_2_0", "baseline");
  for (const auto& [name, solver, claim] : {std::tuple("cbc.sol", "CBC", "Optimal"),
                                            {"cbc_stopped.sol", "CBC", "Stopped on time"},
                                            {"cbc_with_rows.sol", "CBC", "Optimal"},
                                            {"highs.sol", "HiGHS", "Optimal"},
                                            {"highs_sparse.sol", "HiGHS", "Time limit reached"},
                                            {"highs_pretty.sol", "HiGHS", "Optimal"},
                                            {"gurobi.sol", "Gurobi", ""}}) {
    const MilpSolution solution = sample(name);
    EXPECT_EQ(solution.solver, solver) << name;
    EXPECT_EQ(solution.claim, claim) << name;
    EXPECT_THAT(ones(solution), columns) << name;
  }
}

TEST(ReadSolution, TakesValuesAsTheyStandWithTheirLines) {
  const MilpSolution solution = sample("gurobi.sol");
  ASSERT_EQ(solution.values.size(), 4U);
  EXPECT_EQ(solution.values[2].column, "R_2_0");
  EXPECT_EQ(solution.values[2].value, 0.99999999999999989);
  EXPECT_EQ(solution.values[2].line, 5);
}

TEST(ReadSolution, NumbersTheColumnsOfGlpsol) {
  const MilpSolution solution = sample("glpsol.sol");
  EXPECT_EQ(solution.solver, "glpsol");
  EXPECT_EQ(solution.claim, "INTEGER OPTIMAL");
  EXPECT_EQ(solution.column_count, 4);
  ASSERT_EQ(solution.values.size(), 4U);
  EXPECT_EQ(solution.values[2].number, 3);
  EXPECT_EQ(solution.values[2].column, "");
  EXPECT_EQ(solution.values[1].value, 0);
}

TEST(ReadSolution, ReadsLinesThatEndAsOnWindows) {
  EXPECT_THAT(ones(parse_solution("# Objective value = 1\r\nC_1_0 1\r\n\r\n", "x.sol")),
              ElementsAre("C_1_0"));
}

TEST(ReadSolution, QuotesASolverThatFoundNone) {
  for (const auto& [text, part] :
       {std::pair("Infeasible - objective value 5.0\n 0 x 1 -1\n** 1 y 2 0\n",
                  "x.sol: CBC found no solution: 'Infeasible'"),
        {"Integer infeasible - objective value 0.5\n 0 x 0.5 0\n", "'Integer infeasible'"},
        {"Unbounded - objective value 0.5\n", "'Unbounded'"},
        {"Stopped on time (no integer solution - continuous used) - objective value 5\n 0 x 1 0\n",
         "'Stopped on time (no integer solution - continuous used)'"},
        {"c Status:     INTEGER EMPTY\ns mip 1 1 n 0\ni 1 0\nj 1 0\ne o f\n",
         "glpsol found no solution: 'INTEGER EMPTY'"},
        {"c Status:     INTEGER UNDEFINED\ns mip 1 1 u 0\n", "'INTEGER UNDEFINED'"},
        {"Model status\nInfeasible\n\n# Primal solution values\nNone\n",
         "HiGHS found no solution: 'Infeasible'"},
        {"Model status\nTime limit reached\n\n# Primal solution values\nInfeasible\nObjective 0\n",
         "'Time limit reached'"},
        {"Columns\n Index Status Lower Upper Primal Dual Type Name\n 0 0 1 Integer x\nRows\n"
         "Model status: Infeasible\n",
         "HiGHS found no solution: 'Infeasible'"}}) {
    EXPECT_THAT(solution_error_of(text), HasSubstr(part));
  }
}

TEST(ReadSolution, RefusesTheSolutionOfARelaxation) {
  EXPECT_THAT(
      solution_error_of("c Status: OPTIMAL\ns bas 1 1 f f 2\ni 1 s 1 0\nj 1 b 0 0\ne o f\n"),
      HasSubstr("x.sol:2: found 's bas 1 1 f f 2'; expected 's mip'"));
  EXPECT_THAT(solution_error_of("s ipt 1 1 o 2\n"), HasSubstr("without --nomip"));
}

TEST(ReadSolution, SaysWhatItCannotRead) {
  for (const auto& [text, part] :
       {std::pair("", "x.sol: is empty"),
        {"\n \n", "x.sol: is empty"},
        {"{\"format\": 1}", "x.sol:1: found '{\"format\": 1}'; expected a solution of CBC"},
        {"Problem:    poet\n", "expected the file of glpsol -w, not of glpsol -o"},
        {"# Objective value = 1\n", "x.sol: found no values of Gurobi"},
        {"# Objective value = 1\n\nx\n", "x.sol:3: found 'x'; expected a column and its value"},
        {"# Objective value = 1\nx one\n", "expected a number for 'one'"},
        {"# Objective value = 1\nx nan\n", "expected a number for 'nan'"},
        {"# Objective value = 1\nx 1e999\n", "expected a number for '1e999'"},
        {"Optimal - objective value 5\n", "x.sol: found no values of CBC"},
        {"Optimal - objective value 5\n 0 x 1\n", "expected an index, a column, its value"},
        {"Optimal - objective value 5\n**\n", "x.sol:2: found '**'"},
        {"s mip 1 1 o\n", "expected 's mip ROWS COLUMNS STATUS OBJECTIVE'"},
        {"s mip 1 1 o 2\ni 1 0\nj 1 0\n", "x.sol: ends after line 3; expected"},
        {"s mip 1 2 o 2\ni 1 0\nj 1 0\ne o f\n", "expected 2 columns before it, not 1"},
        {"c Problem:\n", "x.sol: ends after line 1; expected 's mip"},
        {"Model status\n", "x.sol: ends after line 1; expected the status"},
        {"Model status\nOptimal\n# Primal solution values\nGood\n", "found 'Good'"},
        {"Model status\nOptimal\n# Primal solution values\nFeasible\n# Columns 2\nx 1\n",
         "x.sol: ends after line 6; expected 1 more lines"},
        {"Model status\nOptimal\n# Primal solution values\nFeasible\n# Columns 2\nx 1\n# Rows 1\n",
         "x.sol:7: found '# Rows 1'"},
        {"Columns\nx 1\n", "expected headings from 'Index' to 'Name'"}}) {
    EXPECT_THAT(solution_error_of(text), HasSubstr(part)) << text;
  }
}

}  // namespace
}  // namespace poet
