#include "solver/milp/reduce.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "solver/search/position.hpp"

namespace poet {
namespace {

bool satisfies(const Milp& milp, const std::vector<double>& point) {
  for (const MilpRow& row : milp.rows) {
    double sum = 0;
    for (const MilpTerm& term : row.terms) sum += term.coefficient * point[term.column];
    if (sum < row.lower || sum > row.upper) return false;
  }
  return true;
}

double cost_of(const Milp& milp, const std::vector<double>& point) {
  double cost = milp.objective_offset;
  for (std::size_t c = 0; c < point.size(); ++c) cost += milp.columns[c].cost * point[c];
  return cost;
}

/// Of 0/1 columns, all points within their bounds.
std::vector<std::vector<double>> points_of(const Milp& milp) {
  std::vector<std::vector<double>> points{{}};
  for (const MilpColumn& column : milp.columns) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& point : points) {
      for (double value = column.lower; value <= column.upper; ++value) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

/// The costs of all solutions, in the order of the points.
std::vector<double> costs_of_solutions(const Milp& milp) {
  std::vector<double> costs;
  for (const std::vector<double>& point : points_of(milp)) {
    if (satisfies(milp, point)) costs.push_back(cost_of(milp, point));
  }
  return costs;
}

/// Whole numbers, so that sums are exact.
Milp draw_milp(Random& random) {
  Milp milp;
  milp.objective_offset = random.below(10);
  for (int c = 0; c < 8; ++c) {
    const bool fixed = random.below(2) == 0;
    const double at = random.below(2);
    milp.add_column({.cost = static_cast<double>(random.below(9) - 4),
                     .lower = fixed ? at : 0,
                     .upper = fixed ? at : 1});
  }
  for (int r = 0; r < 4; ++r) {
    MilpRow row;
    for (int c = 0; c < 8; ++c) {
      if (random.below(2) == 0) row.terms.push_back({c, static_cast<double>(random.below(7) - 3)});
    }
    if (random.below(3) > 0) row.upper = random.below(5);
    if (random.below(3) == 0) row.lower = -random.below(5);
    milp.rows.push_back(row);
  }
  return milp;
}

TEST(Reduce, LeavesTheSameSolutionsAtTheSameCosts) {
  int open = 0;
  int refused = 0;
  int without_a_row = 0;
  for (int seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Milp milp = draw_milp(random);
    const ReducedMilp reduced = without_fixed_columns(milp);
    if (reduced.infeasible) {
      ++refused;
      EXPECT_TRUE(costs_of_solutions(milp).empty());
      continue;
    }
    ++open;
    without_a_row += reduced.milp.rows.size() < milp.rows.size() ? 1 : 0;
    EXPECT_EQ(costs_of_solutions(reduced.milp), costs_of_solutions(milp));
    for (const MilpColumn& column : reduced.milp.columns) EXPECT_LT(column.lower, column.upper);
    for (const std::vector<double>& point : points_of(reduced.milp)) {
      const std::vector<double> all = expand(milp, reduced, point);
      EXPECT_EQ(satisfies(milp, all), satisfies(reduced.milp, point));
      EXPECT_EQ(cost_of(milp, all), cost_of(reduced.milp, point));
    }
  }
  EXPECT_GT(open, 100);
  EXPECT_GT(refused, 10);
  EXPECT_GT(without_a_row, 100);
}

}  // namespace
}  // namespace poet
