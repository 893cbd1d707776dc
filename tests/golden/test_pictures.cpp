// Pictures are text, and the same text everywhere: small ones are compared with those in
// tests/data/pictures, whose looks were checked by eye.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/plot.hpp"
#include "support/contents_of.hpp"
#include "support/curve_points.hpp"
#include "support/tiny_report.hpp"
#include "support/xml.hpp"

namespace poet {
namespace {

using test::curve_point;
using test::TinySolve;
using testing::HasSubstr;
using testing::Not;

void expect_golden(const std::string& picture, const std::string& name) {
  if (picture == test::contents_of(POET_TEST_DATA "/pictures/" + name)) return;
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << picture;
  ADD_FAILURE() << name << " differs; look at what was drawn: " << path;
}

TEST(GoldenPicture, OfARecomputation) {
  expect_golden(schedule_svg(TinySolve(test::recompute_a()).report()), "recompute.schedule.svg");
}

TEST(GoldenPicture, OfPaging) {
  expect_golden(schedule_svg(TinySolve(test::page_a()).report()), "page.schedule.svg");
}

TEST(GoldenPicture, OfASweep) {
  expect_golden(sweep_svg(test::small_sweep()), "small.sweep.svg");
}

TEST(GoldenPicture, OnPaper) {
  PictureOptions column{.width_mm = 84, .title = false, .theme = PictureTheme::light};
  expect_golden(schedule_svg(TinySolve(test::page_a()).report(), column), "page.84mm.schedule.svg");
  expect_golden(sweep_svg(test::small_sweep(), column), "small.84mm.sweep.svg");
  PictureOptions page{.width_mm = 174, .theme = PictureTheme::light};
  expect_golden(schedule_svg(TinySolve(test::recompute_a()).report(), page),
                "recompute.174mm.schedule.svg");
  expect_golden(sweep_svg(test::small_sweep(), page), "small.174mm.sweep.svg");
}

/// Names that a picture must survive, and that must not become markup.
std::string hostile_name() {
  return std::string(
             "</title><script>alert(1)</script>&amp;\"'\x01\x1b[31m\xFF\xED\xA0\x80\xEF\xBF\xBE") +
         std::string("\0\r\n]]>", 6) + std::string(5000, 'W') + " \xE2\x80\xAE end";
}

class Pictures : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::have_python()) GTEST_SKIP() << "no python3 to read XML with";
  }
};

TEST_F(Pictures, SurviveEveryName) {
  TinySolve solve(test::page_a());
  solve.model.name = solve.platform.name = hostile_name();
  for (Node& node : solve.problem.graph.nodes) node.name = node.op = hostile_name();
  const std::string schedule = schedule_svg(solve.report());
  std::vector<CurvePoint> points = test::small_sweep();
  for (CurvePoint& point : points) point.model = point.platform = point.techniques = hostile_name();
  points.push_back(test::small_sweep().front());
  const std::string sweep = sweep_svg(points);
  for (const std::string& picture : {schedule, sweep}) {
    EXPECT_EQ(test::xml_fault(picture), "");
    EXPECT_THAT(picture, Not(HasSubstr("<script>")));
  }
  EXPECT_NE(test::xml_fault("<svg xmlns='http://www.w3.org/2000/svg'><g></svg>"), "");
}

TEST_F(Pictures, OfSweepsWithLittleInThem) {
  const auto infeasible = curve_point("remat", 100, Status::infeasible, 0, 0);
  const auto unknown = curve_point("remat", 100, Status::unknown, 0, 0);
  const auto one = curve_point("remat", 100, Status::optimal, 10, 10);
  const std::string none = sweep_svg({});
  EXPECT_THAT(none, HasSubstr("no points"));
  EXPECT_EQ(test::xml_fault(none), "");
  for (const auto& points : {std::vector{infeasible}, std::vector{unknown}, std::vector{one},
                             std::vector{infeasible, unknown}, std::vector{one, one}}) {
    const std::string picture = sweep_svg(points);
    EXPECT_EQ(test::xml_fault(picture), "");
    EXPECT_THAT(picture, Not(HasSubstr("no points")));
  }
}

TEST_F(Pictures, OfSweepsWithExtremeFigures) {
  std::vector<CurvePoint> points = test::small_sweep();
  points[0].ram_budget_bytes = kMaxBytes;
  points[1].ram_budget_bytes = kMaxBytes - 1;
  points[2].energy_joules = 1e308;
  points[2].baseline_energy_joules = 1e-308;
  points[3].baseline_energy_joules = 0;
  points[3].status = Status::feasible;
  points[3].lower_bound_joules = -1;
  EXPECT_EQ(test::xml_fault(sweep_svg(points)), "");
  EXPECT_EQ(test::xml_fault(sweep_svg(std::vector{points[0], points[1]})), "");
}

/// One forward node; nothing has a size.
TEST_F(Pictures, OfTheSmallestSchedules) {
  for (const Bytes bytes : {Bytes{0}, Bytes{1}, kMaxBytes}) {
    TinySolve solve({.stages = {{.compute = {0}}}});
    solve.problem.graph = make_graph({{.name = "only", .bytes = bytes}});
    solve.problem.limits.ram_budget_bytes = solve.request.limits.ram_budget_bytes = kMaxBytes;
    solve.result.energy_joules = solve.result.lower_bound_joules = 0;
    EXPECT_EQ(test::xml_fault(schedule_svg(solve.report())), "") << bytes;
  }
}

TEST(ScheduleSvg, NamesABudgetThatLiesFarAboveTheChart) {
  TinySolve solve(test::keep_all());
  solve.problem.limits.ram_budget_bytes = solve.request.limits.ram_budget_bytes = 100000;
  const std::string picture = schedule_svg(solve.report());
  EXPECT_THAT(picture, HasSubstr("97.66 KiB</text>"));
  EXPECT_THAT(picture, HasSubstr("(above this)"));
  EXPECT_THAT(picture, Not(HasSubstr("class=\"budget\"")));
}

}  // namespace
}  // namespace poet
