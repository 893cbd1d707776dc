#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pictures/curves.hpp"
#include "pictures/sweep_panel.hpp"
#include "pictures/sweep_style.hpp"
#include "poet/plot.hpp"
#include "support/curve_points.hpp"

namespace poet::plot {
namespace {

using test::curve_point;
using test::small_sweep;
using testing::ElementsAre;
using testing::HasSubstr;
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
  EXPECT_THAT(set.techniques, ElementsAre("remat+paging", "remat"));
  EXPECT_EQ(set.label(set.panels[0].curves[1]), "remat");
  EXPECT_EQ(set.title(set.panels[0]), "tiny");
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
  EXPECT_EQ(set.panels[1].curves[0].techniques, set.panels[0].curves[1].techniques);
}

TEST(Curves, OfSeveralPlatformsHaveAPanelEach) {
  const CurvePoint a = curve_point("remat", 100, Status::optimal, 10, 10);
  CurvePoint b = a;
  b.platform = "other";
  CurvePoint c = a;
  c.platform = "";
  const CurveSet set = make_curves(std::vector{a, b, c});
  ASSERT_EQ(set.panels.size(), 3U);
  EXPECT_EQ(set.title(set.panels[0]), "tiny on board");
  EXPECT_EQ(set.title(set.panels[1]), "tiny on other");
  EXPECT_EQ(set.title(set.panels[2]), "tiny");
  EXPECT_EQ(set.common, "remat, runtime 1.5x");
}

TEST(Curves, OfSeveralRuntimeBudgetsHaveADashEachInTheirOrder) {
  std::vector<CurvePoint> points;
  for (const double ratio : {2.0, 1.05, 1.5}) {
    for (const Bytes ram : {100, 200}) {
      points.push_back(curve_point("remat", ram, Status::optimal, 10, 10));
      points.back().runtime_budget_ratio = ratio;
    }
  }
  const CurveSet set = make_curves(points);
  EXPECT_EQ(set.axis, BudgetAxis::ram);
  EXPECT_THAT(set.runtimes, ElementsAre("runtime 1.05x", "runtime 1.5x", "runtime 2x"));
  ASSERT_EQ(set.panels[0].curves.size(), 3U);
  EXPECT_EQ(set.panels[0].curves[0].runtime, 2);
  EXPECT_EQ(set.label(set.panels[0].curves[0]), "runtime 2x");
}

TEST(Curves, AreOverTheRuntimeBudgetIfThatAloneVaries) {
  std::vector<CurvePoint> points;
  for (const double ratio : {2.0, 1.05, 1.5}) {
    for (const char* techniques : {"remat", "paging"}) {
      points.push_back(curve_point(techniques, 100, Status::optimal, 10, 10));
      points.back().runtime_budget_ratio = ratio;
    }
  }
  const CurveSet set = make_curves(points);
  EXPECT_EQ(set.axis, BudgetAxis::runtime);
  ASSERT_EQ(set.panels[0].curves.size(), 2U);
  std::vector<double> budgets_seen;
  for (const CurvePoint& point : set.panels[0].curves[0].points) {
    budgets_seen.push_back(budget(point, set.axis));
  }
  EXPECT_THAT(budgets_seen, ElementsAre(1.05, 1.5, 2.0));
  EXPECT_EQ(set.label(set.panels[0].curves[1]), "paging");
  EXPECT_EQ(set.common, "on board, RAM budget 100 B");
}

TEST(Curves, HaveWhatIsConstantInAPanelInItsTitle) {
  std::vector<CurvePoint> points = small_sweep();
  points.push_back(curve_point("remat", 100, Status::optimal, 10, 10));
  points.back().model = "other";
  points.push_back(curve_point("remat", 100, Status::optimal, 10, 10));
  points.back().model = "third";
  points.back().runtime_budget_ratio = 2;
  const CurveSet set = make_curves(points);
  EXPECT_EQ(set.title(set.panels[0]), "tiny, runtime 1.5x");
  EXPECT_EQ(set.title(set.panels[1]), "other, remat, runtime 1.5x");
  EXPECT_EQ(set.title(set.panels[2]), "third, remat, runtime 2x");

  std::vector<CurvePoint> over_runtime;
  for (const double ratio : {1.05, 2.0}) {
    for (const Bytes ram : {100, 200}) {
      over_runtime.push_back(curve_point("remat", ram, Status::optimal, 10, 10));
      over_runtime.back().runtime_budget_ratio = ratio;
      over_runtime.back().model = ram == 100 ? "tiny" : "large";
    }
  }
  const CurveSet runtimes = make_curves(over_runtime);
  ASSERT_EQ(runtimes.axis, BudgetAxis::runtime);
  EXPECT_EQ(runtimes.title(runtimes.panels[0]), "tiny, RAM budget 100 B");
  EXPECT_EQ(runtimes.title(runtimes.panels[1]), "large, RAM budget 200 B");
}

TEST(Curves, HaveTheColourOfTheirTechniquesInWhateverOrder) {
  EXPECT_EQ(technique_colour("remat only"), technique_colour("remat"));
  EXPECT_EQ(technique_colour("remat + paging, blocking transfers"), technique_colour("both"));
  std::set<int> colours;
  for (const char* set : {"both", "remat", "paging", "none", "something else"}) {
    colours.insert(technique_colour(set));
  }
  EXPECT_EQ(colours.size(), 5U);
  const auto remat_line = [](const std::vector<CurvePoint>& points) {
    const std::string line = "curve line1 dash0";
    return sweep_svg(points).find(line) != std::string::npos;
  };
  std::vector<CurvePoint> points = small_sweep();
  EXPECT_TRUE(remat_line(points));
  std::reverse(points.begin(), points.end());
  EXPECT_TRUE(remat_line(points));
}

TEST(Curves, OfNothingAreNone) {
  const CurveSet set = make_curves({});
  EXPECT_THAT(set.panels, IsEmpty());
  EXPECT_THAT(set.techniques, IsEmpty());
}

TEST(Curves, KnowTheLargestBudgetThatCannotWork) {
  const CurveSet set = make_curves(small_sweep());
  EXPECT_EQ(largest_infeasible(set.panels[0].curves[0], set.axis), 100);
  EXPECT_EQ(largest_infeasible(set.panels[0].curves[1], set.axis), 200);
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

TEST(OverheadAxis, IsOneForAllPanelsAndOfTheScaleThatIsAskedFor) {
  const std::vector<Panel> panels{panel_with_tops({12}), panel_with_tops({14})};
  const OverheadAxis axis(panels, 100, 0);
  EXPECT_EQ(axis(0.4), OverheadAxis(panels[1], 100, 0)(0.4));
  EXPECT_LT(axis(0.4), axis(0.2));
  EXPECT_TRUE(OverheadAxis(panels, 100, 0, OverheadScale::logarithmic).logarithmic());
  const Panel flat = panel_with_tops({10.1, 30});
  EXPECT_FALSE(OverheadAxis(std::span(&flat, 1), 100, 0, OverheadScale::linear).logarithmic());
  const Panel nothing = panel_with_tops({10});
  EXPECT_FALSE(
      OverheadAxis(std::span(&nothing, 1), 100, 0, OverheadScale::logarithmic).logarithmic())
      << "there is no overhead to bend";
}

TEST(MethodsSvg, HasABarForEachMethodAndTheBoundOfItsGroup) {
  const auto bar = [](const char* method, const char* set, Joules energy) {
    return MethodBar{.problem = "tiny on board, RAM budget 100 B, runtime 2x",
                     .method = method,
                     .techniques = set,
                     .energy_joules = energy,
                     .lower_bound_joules = 11,
                     .baseline_energy_joules = 10};
  };
  std::vector<MethodBar> bars{bar("chen-sqrt", "remat", 14), bar("page-all", "paging", 20),
                              bar("poet", "both", 11)};
  bars.push_back(bar("chen-greedy", "remat", 0));
  bars.back().without = "no schedule within the budgets";
  for (const double width : {84.0, 174.0}) {
    const std::string svg = methods_svg(bars, {.width_mm = width});
    EXPECT_THAT(svg, HasSubstr("chen-sqrt: 14 J, +40.000 % over the baseline"));
    EXPECT_THAT(svg, HasSubstr(">100 %</text>"));
    EXPECT_THAT(svg, HasSubstr("no schedule within the budgets"));
    EXPECT_THAT(svg, HasSubstr("class=\"dot1\""));
    EXPECT_THAT(svg, HasSubstr("class=\"dot2\""));
    EXPECT_THAT(svg, HasSubstr("class=\"budget\""));
  }
}

// A bar without a bound is in an order of its own, which may need less.
TEST(MethodsSvg, DrawsTheBoundBesideTheBarsThatItBounds) {
  std::vector<MethodBar> bars;
  for (const Joules bound : {11.0, 0.0, 11.0, 11.0, 0.0})
    bars.push_back({"tiny", "a", "both", "", 14, bound, 10});
  const std::string svg = methods_svg(bars);
  const std::regex line("class=\"budget\" d=\"M[0-9.]+ ([0-9.]+)L[0-9.]+ ([0-9.]+)\"");
  std::vector<double> lengths;
  for (std::sregex_iterator at(svg.begin(), svg.end(), line), end; at != end; ++at) {
    lengths.push_back(std::stod((*at)[2]) - std::stod((*at)[1]));
  }
  EXPECT_EQ(lengths, (std::vector<double>{14, 17, 32})) << "in the legend, and of one and two bars";
}

// A bound that is proven without recomputation would lie above bars of methods that recompute.
TEST(MethodsSvg, DrawsNoBoundOfSchedulesThatLeaveOutWhatOthersUse) {
  const auto svg = [](const std::string& set, Joules bound) {
    const MethodBar paging{.problem = "tiny",
                           .method = "paging-only",
                           .techniques = set,
                           .energy_joules = 20,
                           .lower_bound_joules = bound,
                           .baseline_energy_joules = 10};
    const MethodBar all{.problem = "tiny",
                        .method = "poet",
                        .techniques = "both",
                        .energy_joules = 14,
                        .lower_bound_joules = 11,
                        .baseline_energy_joules = 10};
    return methods_svg(std::vector<MethodBar>{paging, all});
  };
  EXPECT_EQ(svg("paging", 19), svg("paging", 11)) << "the line stays at 11";
  EXPECT_NE(svg("both", 13), svg("both", 11));
}

TEST(OverheadAxis, KeepsWhatLiesBelowTheBaselineOnTheAxis) {
  for (const Joules top : {14.0, 300.0}) {
    EXPECT_EQ(OverheadAxis(panel_with_tops({10.1, top}), 100, 0)(-0.5), 100);
  }
}

TEST(OverheadAxis, HasRoundEnergiesUnlessItIsLogarithmic) {
  const OverheadAxis axis(panel_with_tops({12, 14}), 100, 0);
  std::vector<std::string> labels;
  for (const Tick& tick : axis.energy_ticks(9.5)) labels.push_back(tick.label);
  EXPECT_THAT(labels, ElementsAre("10 J", "11 J", "12 J", "13 J"));
  EXPECT_NEAR(axis.energy_ticks(9.5).front().value, 10 / 9.5 - 1, 1e-12);
  const OverheadAxis bent(panel_with_tops({10.1, 30}), 100, 0);
  ASSERT_EQ(bent.energy_ticks(10).size(), bent.ticks().size());
  for (std::size_t t = 0; t < bent.ticks().size(); ++t) {
    EXPECT_NEAR(bent.energy_ticks(10)[t].value, bent.ticks()[t].value, 1e-12);
  }
  EXPECT_THAT(axis.energy_ticks(0), IsEmpty());
}

TEST(OverheadAxis, HasAHeightWhereNothingCostsMore) {
  const OverheadAxis axis(panel_with_tops({10, 10}), 100, 0);
  EXPECT_EQ(axis(0), 100);
  EXPECT_GE(axis.ticks().size(), 2U);
}

}  // namespace
}  // namespace poet::plot
