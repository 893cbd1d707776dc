#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pictures/curves.hpp"
#include "pictures/scale.hpp"
#include "support/tiny_sweep.hpp"

namespace poet::plot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SweepRow row_of(const SweepOutcome& outcome) {
  SweepGrid grid;
  grid.subjects.push_back(test::subject_of(test::hill_graph()));
  return make_result(grid, {test::point_of(150)}, 0, outcome, {.gap = 0.5}).row;
}

TEST(RowPoints, HaveTheFiguresOfTheirRows) {
  const std::vector<SweepRow> rows{row_of(test::solved(test::hill_recomputed(), 6, 5.5)),
                                   row_of(test::infeasible())};
  const std::vector<CurvePoint> points = curve_points(rows);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].model, "hill");
  EXPECT_EQ(points[0].platform, "");
  EXPECT_EQ(points[0].techniques, "remat + paging");
  EXPECT_EQ(points[0].ram_budget_bytes, 150);
  EXPECT_EQ(points[0].runtime_budget_ratio, 2);
  EXPECT_EQ(points[0].status, Status::feasible);
  EXPECT_EQ(points[0].energy_joules, 6);
  EXPECT_EQ(points[0].lower_bound_joules, 5.5);
  EXPECT_EQ(points[0].baseline_energy_joules, 5);
  EXPECT_EQ(points[1].status, Status::infeasible);
}

TEST(RowPoints, ThatFailedHaveNoSchedule) {
  SweepOutcome failed;
  failed.failure = "ended by signal 11";
  EXPECT_EQ(curve_points(std::vector{row_of(failed)})[0].status, Status::unknown);
}

TEST(RowPoints, KeepApartWhatCostsDependOn) {
  SweepRow row = row_of(test::infeasible());
  row.problem.batch_size = 4;
  row.problem.platform = "m4";
  row.problem.mem_power_scale = 0.5;
  row.problem.limits.techniques = kNoTechnique;
  const CurvePoint point = curve_points(std::vector{row})[0];
  EXPECT_EQ(point.model, "hill, batch size 4");
  EXPECT_EQ(point.platform, "m4 with memory power x0.5");
  EXPECT_EQ(point.techniques, "neither remat nor paging");
}

TEST(JouleLabels, TellNeighboursApart) {
  EXPECT_THAT(joule_labels(std::vector{10.0, 11.0, 12.0}), ElementsAre("10 J", "11 J", "12 J"));
  EXPECT_THAT(joule_labels(std::vector{3.44, 3.4434, 3.4469}),
              ElementsAre("3.440 J", "3.443 J", "3.447 J"));
  EXPECT_THAT(joule_labels(std::vector{1896.45, 1896.64}), ElementsAre("1.8964 kJ", "1.8966 kJ"));
  EXPECT_THAT(joule_labels(std::vector{0.0005}), ElementsAre("500 uJ"));
}

TEST(JouleLabels, AreNoneWhereTheyWouldSayNothing) {
  EXPECT_THAT(joule_labels(std::vector{5.0, 5.0}), IsEmpty());
  EXPECT_THAT(joule_labels(std::vector{5.0, 5.0 + 1e-14}), IsEmpty());
  EXPECT_THAT(joule_labels(std::vector<Joules>{}), IsEmpty());
  EXPECT_THAT(joule_labels(std::vector{0.0, 0.0}), IsEmpty());
}

}  // namespace
}  // namespace poet::plot
