// What the ablation makes of measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/ablation.hpp"

namespace poet::bench {
namespace {

/// Baseline 90 J, energy 100 J, a limit of 40 s.
Measurement made(const std::string& model, const std::string& disabled, Status status,
                 Seconds wall_seconds, Joules bound) {
  return {.problem = model + "/m4 4000 2x",
          .disabled = disabled,
          .gap_asked = 1e-4,
          .time_limit_seconds = 40,
          .figures = {.status = status,
                      .has_schedule = true,
                      .valid = true,
                      .wall_seconds = wall_seconds,
                      .baseline_joules = 90,
                      .energy_joules = 100,
                      .bound_joules = bound}};
}

TEST(Ablation, ComparesTimesAndGapsByTheirGeometricMean) {
  const std::vector<TechniqueEffect> effects = technique_effects(
      {made("a", "", Status::optimal, 1, 100), made("a", "windows", Status::optimal, 4, 100),
       made("b", "", Status::optimal, 10, 100), made("b", "windows", Status::feasible, 41, 96)});
  ASSERT_EQ(effects.size(), 1U);
  const TechniqueEffect& windows = effects.front();
  EXPECT_EQ(windows.technique, "windows");
  EXPECT_EQ(windows.problems, 2);
  EXPECT_EQ(windows.proven_with, 2);
  EXPECT_EQ(windows.proven_without, 1);
  EXPECT_DOUBLE_EQ(windows.time_ratio, 0.25) << "1/4 and 10/40: the limit, not the wall clock";
  EXPECT_TRUE(windows.has_unproven);
  EXPECT_DOUBLE_EQ(windows.gap_ratio, std::sqrt(1e-4 / 0.04));
}

TEST(Ablation, MarksOnlyWhatWasNotProven) {
  const auto effects = technique_effects({made("a", "", Status::optimal, 1, 100),
                                          made("a", "windows", Status::optimal, 2, 100),
                                          made("a", "rebuild", Status::feasible, 40, 99)});
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_FALSE(effects[0].has_unproven);
  EXPECT_TRUE(effects[1].has_unproven);
  const std::string table = ablation_table({made("a", "", Status::optimal, 1, 100),
                                            made("a", "windows", Status::optimal, 2, 100),
                                            made("a", "rebuild", Status::feasible, 40, 99)});
  EXPECT_THAT(table, testing::HasSubstr("0.500 "));
  EXPECT_THAT(table, testing::HasSubstr("0.025*"));
}

TEST(Ablation, LeavesOutWhatFailed) {
  Measurement failed = made("a", "windows", Status::unknown, 1, 0);
  failed.failure = "ended by signal 11";
  EXPECT_TRUE(technique_effects({made("a", "", Status::optimal, 1, 100), failed}).empty());
}

TEST(Ablation, FindsABoundAboveAnEnergy) {
  Measurement better = made("a", "windows", Status::feasible, 40, 95);
  better.figures.energy_joules = 97;
  const auto found = contradictions(
      {made("a", "", Status::optimal, 1, 100), better, made("b", "", Status::feasible, 40, 95)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found.front(), testing::HasSubstr("the bound is higher with everything"));
}

TEST(Ablation, FindsAScheduleForWhatIsCalledInfeasible) {
  Measurement infeasible = made("a", "collapse", Status::infeasible, 1, 0);
  infeasible.figures.has_schedule = false;
  const auto found = contradictions({made("a", "", Status::feasible, 40, 95), infeasible});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found.front(), testing::HasSubstr("infeasible without collapse"));
}

}  // namespace
}  // namespace poet::bench
