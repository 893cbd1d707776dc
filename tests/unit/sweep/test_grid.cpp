#include "expect_input_error.hpp"
#include "poet/sweep.hpp"
#include "support/tiny_sweep.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The hill: working set 120 bytes, baseline 5 s and 210 bytes.
SweepGrid grid_of(const std::string& ram, const std::string& runtime = "2") {
  return {.subjects = {test::subject_of(test::hill_graph())},
          .ram = parse_ram_ranges(ram),
          .runtime = parse_runtime_budgets(runtime),
          .techniques = {kBothTechniques}};
}

std::vector<Bytes> budgets(const SweepGrid& grid, Bytes smallest = 0) {
  std::vector<Bytes> all;
  for (const SweepPoint& point : sweep_points(grid, {smallest})) {
    all.push_back(point.limits.ram_budget_bytes);
  }
  return all;
}

TEST(SweepGrid, RangesAreRoundedDownAndEndExactly) {
  EXPECT_THAT(budgets(grid_of("10..20:4")), ElementsAre(10, 13, 16, 20));
  EXPECT_THAT(budgets(grid_of("50%..100%:3")), ElementsAre(105, 157, 210));
  EXPECT_THAT(budgets(grid_of("9007199254740990..9007199254740992:3")),
              ElementsAre(9007199254740990, 9007199254740991, 9007199254740992));
}

TEST(SweepGrid, MinIsWhatTheCallerFound) {
  EXPECT_THAT(budgets(grid_of("min..100%:3"), 120), ElementsAre(120, 165, 210));
  EXPECT_THAT(budgets(grid_of("100%,min"), 130), ElementsAre(210, 130));
}

TEST(SweepGrid, ChipIsWhatThePlatformHas) {
  SweepGrid grid = grid_of("min..chip:3,chip..100%:2");
  EXPECT_THAT(input_error([&] { check_sweep(grid); }), HasSubstr("found 'chip', but no platform"));
  grid.subjects[0].platform = Platform{.name = "board"};
  EXPECT_THAT(input_error([&] { check_sweep(grid); }), HasSubstr("/board: found 'chip'"));
  grid.subjects[0].platform->ram_bytes = 160;
  grid.ram = parse_ram_ranges("min..chip:3,170..100%:2");
  EXPECT_THAT(budgets(grid, 120), ElementsAre(120, 140, 160, 170, 210));
}

TEST(SweepGrid, ARangeFromMinHasFewerBudgetsWhereTheyCoincide) {
  EXPECT_THAT(budgets(grid_of("min..100%:16"), 210), ElementsAre(210));
  EXPECT_THAT(budgets(grid_of("min..100%:16"), 208), ElementsAre(208, 209, 210));
  EXPECT_THAT(budgets(grid_of("min..50%:4"), 120), ElementsAre(105));
  EXPECT_THAT(budgets(grid_of("210,min,min..300:2"), 210), ElementsAre(210, 300));
}

TEST(SweepGrid, PointsComeInTheOrderOfTheGrid) {
  SweepGrid grid = grid_of("2000,1500", "3,2");
  grid.techniques = {kOnlyPaging, kNoTechnique};
  const std::vector<SweepPoint> points = sweep_points(grid, {0});
  ASSERT_EQ(points.size(), 8U);
  EXPECT_EQ(points[0].limits.techniques, kOnlyPaging);
  EXPECT_EQ(points[0].limits.ram_budget_bytes, 2000);
  EXPECT_DOUBLE_EQ(points[0].limits.runtime_budget_seconds, 15);
  EXPECT_EQ(points[1].limits.ram_budget_bytes, 1500);
  EXPECT_DOUBLE_EQ(points[2].limits.runtime_budget_seconds, 10);
  EXPECT_EQ(points[4].limits.techniques, kNoTechnique);
  EXPECT_TRUE(points[0].limits.techniques.paging && !points[0].limits.techniques.remat);
  EXPECT_FALSE(points[4].limits.techniques.paging || points[4].limits.techniques.remat);
}

TEST(SweepGrid, RefusesPointsThatAreThereTwice) {
  EXPECT_THAT(input_error([] { check_sweep(grid_of("210,100%")); }),
              HasSubstr("hill: the RAM budget of 210 bytes is there twice"));
  EXPECT_THAT(input_error([] { check_sweep(grid_of("10..12:5")); }), HasSubstr("twice"));
  EXPECT_THAT(input_error([] { check_sweep(grid_of("210", "2,10s")); }),
              HasSubstr("the runtime budget of 10 s is there twice"));
}

TEST(SweepGrid, RefusesARangeThatIsReversedForASubject) {
  EXPECT_THAT(input_error([] { check_sweep(grid_of("300..100%:4")); }),
              HasSubstr("hill: a range of RAM budgets goes from 300 to 210 bytes"));
}

TEST(SweepGrid, RefusesTooManyPoints) {
  SweepGrid grid = grid_of("210..9999:1025", "1..3:4");
  EXPECT_THAT(input_error([&] { check_sweep(grid); }), HasSubstr("4100 points"));
  grid.runtime.pop_back();
  EXPECT_NO_THROW(check_sweep(grid));
}

}  // namespace
}  // namespace poet
