#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pictures/curves.hpp"
#include "pictures/sweep_panel.hpp"
#include "support/curve_points.hpp"

namespace poet::plot {
namespace {

using test::curve_point;
using test::small_sweep;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Bytes> budgets(const Curve& curve) {
  std::vector<Bytes> result;
  for (const CurvePoint& point : curve.points) result.push_back(point.ram_budget_bytes);
  return result;
}

TEST(Curves, AreSortedByBudgetAndNamedAfterWhatTheyDifferIn) {
  const CurveSet set = make_curves(small_sweep());
  ASSERT_EQ(set.panels.size(), 1U);
  ASSERT_EQ(set.panels[0].curves.size(), 2U);
  EXPECT_THAT(budgets(set.panels[0].curves[0]), ElementsAre(100, 200, 300, 400));
  EXPECT_THAT(set.labels, ElementsAre("remat+paging", "remat"));
  EXPECT_EQ(set.common, "on board, runtime 1.5x");
}

TEST(Curves, OfSeveralModelsShareTheirStyles) {
  std::vector<CurvePoint> points = small_sweep();
  for (CurvePoint point : small_sweep()) {
    point.model = "other";
    if (point.techniques == "remat") points.push_back(point);
  }
  const CurveSet set = make_curves(points);
  ASSERT_EQ(set.panels.size(), 2U);
  EXPECT_EQ(set.panels[1].model, "other");
  ASSERT_EQ(set.panels[1].curves.size(), 1U);
  EXPECT_EQ(set.panels[1].curves[0].style, set.panels[0].curves[1].style);
}

TEST(Curves, MayDifferInEveryTrait) {
  CurvePoint a = curve_point("remat", 100, Status::optimal, 10, 10);
  CurvePoint b = a;
  b.platform = "";
  b.runtime_budget_ratio = 2;
  const CurveSet set = make_curves(std::vector{a, b});
  EXPECT_THAT(set.labels, ElementsAre("on board, runtime 1.5x", "runtime 2x"));
  EXPECT_EQ(set.common, "remat");
}

TEST(Curves, OfNothingAreNone) {
  const CurveSet set = make_curves({});
  EXPECT_THAT(set.panels, IsEmpty());
  EXPECT_THAT(set.labels, IsEmpty());
}

TEST(Curves, KnowTheLargestBudgetThatCannotWork) {
  const CurveSet set = make_curves(small_sweep());
  EXPECT_EQ(largest_infeasible(set.panels[0].curves[0]), 100);
  EXPECT_EQ(largest_infeasible(set.panels[0].curves[1]), 200);
}

TEST(Overhead, IsThatOfASummary) {
  EXPECT_DOUBLE_EQ(overhead(curve_point("remat", 1, Status::optimal, 12, 11), 12), 0.2);
  CurvePoint free = curve_point("remat", 1, Status::optimal, 0, 0);
  free.baseline_energy_joules = 0;
  EXPECT_EQ(overhead(free, 0), 0);
  free.baseline_energy_joules = 1e-300;
  EXPECT_TRUE(std::isfinite(overhead(free, 1e300)));
}

Panel panel_with_tops(const std::vector<Joules>& energies) {
  Panel panel{.model = "tiny"};
  for (const Joules energy : energies) {
    panel.curves.push_back({.points = {curve_point("", 1, Status::optimal, energy, energy)}});
  }
  return panel;
}

TEST(OverheadAxis, IsLinearWhereOneScaleShowsAllCurves) {
  const OverheadAxis axis(panel_with_tops({12, 14}), 100, 0);
  EXPECT_FALSE(axis.logarithmic());
  EXPECT_DOUBLE_EQ(axis(0), 100);
  EXPECT_NEAR(axis(0.2), (axis(0) + axis(0.4)) / 2, 1e-9);
  EXPECT_GT(axis(0.4), 0);
}

TEST(OverheadAxis, BendsWhereACurveWouldLieFlat) {
  const OverheadAxis axis(panel_with_tops({10.1, 30}), 100, 0);
  EXPECT_TRUE(axis.logarithmic());
  EXPECT_DOUBLE_EQ(axis(0), 100);
  EXPECT_LT(axis(0.01), 75) << "1 % can be told from nothing";
  EXPECT_GT(axis(0.01), axis(2));
  for (const Tick& tick : axis.ticks()) {
    EXPECT_GE(axis(tick.value), 0);
    EXPECT_LE(axis(tick.value), 100);
  }
  EXPECT_GE(axis.ticks().size(), 4U);
}

TEST(OverheadAxis, KeepsWhatLiesBelowTheBaselineOnTheAxis) {
  for (const Joules top : {14.0, 300.0}) {
    EXPECT_EQ(OverheadAxis(panel_with_tops({10.1, top}), 100, 0)(-0.5), 100);
  }
}

TEST(OverheadAxis, HasAHeightWhereNothingCostsMore) {
  const OverheadAxis axis(panel_with_tops({10, 10}), 100, 0);
  EXPECT_EQ(axis(0), 100);
  EXPECT_GE(axis.ticks().size(), 2U);
}

}  // namespace
}  // namespace poet::plot
