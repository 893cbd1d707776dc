#include "solver/milp/dual_bound.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "solver/milp/linear_program.hpp"
#include "support/random_schedules.hpp"

namespace poet {
namespace {

constexpr double kNone = 1e308;

/// A small program with 0/1 columns, by columns as dual_bound() wants it.
struct Program {
  std::vector<double> costs, column_lower, column_upper, row_lower, row_upper, elements;
  std::vector<int> starts, lengths, rows;

  LinearProgramView view() const {
    return {costs,  column_lower, column_upper, row_lower, row_upper,
            starts, lengths,      rows,         elements};
  }
  void add_column(double cost, const std::vector<double>& coefficients) {
    costs.push_back(cost);
    column_lower.push_back(0);
    column_upper.push_back(1);
    starts.push_back(static_cast<int>(elements.size()));
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      if (coefficients[i] == 0) continue;
      rows.push_back(static_cast<int>(i));
      elements.push_back(coefficients[i]);
    }
    lengths.push_back(static_cast<int>(elements.size()) - starts.back());
  }
  /// The cheapest 0/1 point that keeps all rows, by trying all of them.
  std::optional<double> optimum() const {
    std::optional<double> best;
    for (unsigned point = 0; point < 1u << costs.size(); ++point) {
      double cost = 0;
      std::vector<double> activity(row_lower.size(), 0.0);
      for (std::size_t j = 0; j < costs.size(); ++j) {
        if ((point >> j & 1) == 0) continue;
        cost += costs[j];
        for (int k = starts[j]; k < starts[j] + lengths[j]; ++k) activity[rows[k]] += elements[k];
      }
      bool kept = true;
      for (std::size_t i = 0; i < activity.size(); ++i) {
        kept = kept && activity[i] >= row_lower[i] && activity[i] <= row_upper[i];
      }
      if (kept && (!best || cost < *best)) best = cost;
    }
    return best;
  }
};

Program random_program(test::Twister& random) {
  Program program;
  const int rows = test::draw(random, 1, 4);
  for (int i = 0; i < rows; ++i) {
    const int kind = test::draw(random, 0, 2);
    program.row_lower.push_back(kind == 0 ? -kNone : test::draw(random, -3, 3));
    program.row_upper.push_back(kind == 1 ? kNone
                                          : program.row_lower.back() + test::draw(random, 0, 3));
    if (kind == 0) program.row_upper.back() = test::draw(random, -3, 3);
  }
  for (int j = test::draw(random, 1, 6); j > 0; --j) {
    std::vector<double> coefficients(rows);
    for (double& coefficient : coefficients) coefficient = test::draw(random, -4, 4);
    program.add_column(test::draw(random, -10, 10), coefficients);
  }
  return program;
}

TEST(DualBound, OfAnyPricesIsBelowEverySolution) {
  int meaningful = 0;
  for (int seed = 0; seed < 2000; ++seed) {
    test::Twister random(seed);
    const Program program = random_program(random);
    std::vector<double> prices(program.row_lower.size());
    for (double& price : prices) price = test::draw(random, -30, 30) / 10.0;
    const auto optimum = program.optimum();
    const DualBound bound = dual_bound(program.view(), prices);
    if (optimum) {
      ASSERT_LE(bound.value, *optimum) << "seed " << seed;
      ASSERT_FALSE(proves_infeasible(program.view(), prices)) << "seed " << seed;
      meaningful += bound.value > *optimum - 5 ? 1 : 0;
    }
  }
  EXPECT_GT(meaningful, 100);
}

TEST(DualBound, WithTheRightPricesIsTheOptimum) {
  // min -x - 2y with x + y <= 1: y alone, and the row is worth 2.
  Program program;
  program.row_lower = {-kNone};
  program.row_upper = {1};
  program.add_column(-1, {1});
  program.add_column(-2, {1});
  const DualBound bound = dual_bound(program.view(), std::vector<double>{-2});
  EXPECT_NEAR(bound.value, -2, 1e-12);
  EXPECT_LE(bound.value, -2);
  EXPECT_EQ(bound.reduced_costs, (std::vector<double>{1, 0}));
}

TEST(DualBound, SmallErrorsInPricesCostOnlyWhatTheyCanBeWorth) {
  Program program;
  program.row_lower = {-kNone};
  program.row_upper = {1};
  program.add_column(-1, {1});
  program.add_column(-2, {1});
  for (const double error : {-1e-7, 1e-7}) {
    const double value = dual_bound(program.view(), std::vector<double>{-2 + error}).value;
    EXPECT_LE(value, -2);
    EXPECT_GE(value, -2 - 2e-7);
  }
}

TEST(DualBound, PricesOfARayProveThatNothingKeepsTheRows) {
  Program program;  // x + y >= 3
  program.row_lower = {3};
  program.row_upper = {kNone};
  program.add_column(0, {1});
  program.add_column(0, {1});
  EXPECT_TRUE(proves_infeasible(program.view(), std::vector<double>{1}));
  EXPECT_FALSE(proves_infeasible(program.view(), std::vector<double>{-1}));
  EXPECT_FALSE(proves_infeasible(program.view(), std::vector<double>{0}));
}

Milp pack_of_three() {
  Milp milp;  // min -3a - 2b - c with 2a + 2b + 2c <= 3
  for (const double cost : {-3.0, -2.0, -1.0}) milp.add_column({.cost = cost});
  milp.rows.push_back({.upper = 3, .terms = {{0, 2}, {1, 2}, {2, 2}}});
  return milp;
}

TEST(LinearProgram, BoundIsTheOptimumOfTheRelaxationAndNeverAbove) {
  LinearProgram program(pack_of_three());
  ASSERT_EQ(program.solve(kInfinity, 10), LinearProgram::Status::optimal);
  EXPECT_LE(program.bound(), -4);
  EXPECT_NEAR(program.bound(), -4, 1e-9);
}

TEST(LinearProgram, IsInfeasibleAboveTheCeilingAndWhereNothingKeepsTheRows) {
  LinearProgram program(pack_of_three());
  EXPECT_EQ(program.solve(-4.5, 10), LinearProgram::Status::infeasible);
  program.set_row_bounds(0, 7, 8);
  EXPECT_EQ(program.solve(kInfinity, 10), LinearProgram::Status::infeasible);
  program.set_row_bounds(0, -kInfinity, 3);
  EXPECT_EQ(program.solve(kInfinity, 10), LinearProgram::Status::optimal);
}

}  // namespace
}  // namespace poet
