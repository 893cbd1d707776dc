#include <set>

#include "expect_input_error.hpp"
#include "poet/simulate.hpp"
#include "support/tiny_sweep.hpp"
#include "sweep/dominance.hpp"
#include "sweep/reuse_results.hpp"

namespace poet {
namespace {

using Origin = SweepOutcome::Origin;
using test::hill_paged;
using test::hill_recomputed;
using test::infeasible;
using test::point_of;
using test::solved;
using testing::HasSubstr;

TEST(HillGraph, IsWhatTheTestsSay) {
  const Subject subject = test::subject_of(test::hill_graph());
  EXPECT_EQ(working_set(subject.graph).bytes, 120);
  EXPECT_EQ(subject.base.peak_ram_bytes, 210);
  EXPECT_EQ(simulate(subject.graph, hill_recomputed(), point_of(120, 6).limits).energy_joules, 6);
  EXPECT_EQ(simulate(subject.graph, hill_paged(), point_of(120, 5).limits).energy_joules, 9);
}

/// What the first points of a list say about its last one.
class Reuse : public testing::Test {
 protected:
  Reuse() { grid_.subjects.push_back(test::subject_of(test::hill_graph())); }

  KnownResults knowledge() const { return {grid_, points_, starts_}; }

  SweepGrid grid_;
  std::vector<SweepPoint> points_;
  std::vector<std::vector<OrderedSchedule>> starts_;
};

TEST_F(Reuse, AnOptimumThatFitsASmallerBudgetIsItsOptimumToo) {
  points_ = {point_of(200), point_of(120)};
  KnownResults known = knowledge();
  known.add(0, solved(hill_recomputed(), 6, 6));
  const auto outcome = known.outcome_of(1, 0);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->origin, Origin::reused);
  EXPECT_EQ(outcome->origin_point, 0);
  EXPECT_EQ(outcome->result.status, Status::optimal);
  EXPECT_EQ(outcome->result.schedule, hill_recomputed());
  EXPECT_EQ(outcome->result.energy_joules, 6);
  EXPECT_EQ(outcome->result.lower_bound_joules, 6);
}

TEST_F(Reuse, AnUnprovenScheduleIsAStartAndItsBoundIsABound) {
  points_ = {point_of(200), point_of(120)};
  KnownResults known = knowledge();
  known.add(0, solved(hill_paged(), 9, 5.5));
  EXPECT_FALSE(known.outcome_of(1, 0.1));
  EXPECT_TRUE(known.outcome_of(1, 0.4)) << "(9 - 5.5) / 9 is below that gap";
  const SolveOptions options = known.options_for(1, {.settings = {.seed = 7}});
  EXPECT_EQ(options.start, hill_paged());
  EXPECT_EQ(options.known_bound_joules, 5.5);
  EXPECT_EQ(options.settings.seed, 7U);
}

TEST_F(Reuse, AScheduleThatDoesNotFitIsNoStart) {
  // Recomputing takes 6 s and is no paging.
  points_ = {point_of(200), point_of(120, 5), point_of(120, 10, kOnlyPaging)};
  KnownResults known = knowledge();
  known.add(0, solved(hill_recomputed(), 6, 6));
  for (const int point : {1, 2}) {
    EXPECT_FALSE(known.outcome_of(point, 0));
    const SolveOptions options = known.options_for(point, {});
    EXPECT_FALSE(options.start);
    EXPECT_EQ(options.known_bound_joules, 6);
  }
}

TEST_F(Reuse, NothingIsLearntFromPointsThatAllowLess) {
  points_ = {point_of(120), point_of(200, 10, kOnlyRemat), point_of(199)};
  KnownResults known = knowledge();
  known.add(0, solved(hill_recomputed(), 6, 6));
  known.add(1, solved(hill_recomputed(), 6, 6));
  EXPECT_FALSE(known.outcome_of(2, 0));
  EXPECT_FALSE(known.options_for(2, {}).start);
  EXPECT_EQ(known.options_for(2, {}).known_bound_joules, 0);
}

TEST_F(Reuse, WhatIsInfeasibleStaysSoWithLess) {
  points_ = {point_of(150, 10, kOnlyRemat), point_of(130, 9, kOnlyRemat)};
  KnownResults known = knowledge();
  known.add(0, infeasible());
  const auto outcome = known.outcome_of(1, 0);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result.status, Status::infeasible);
  EXPECT_EQ(outcome->origin_point, 0);
  EXPECT_THAT(outcome->result.reason, HasSubstr("point 0"));
}

TEST_F(Reuse, AProofThatThereIsNoneIsAnErrorOfOursIfAScheduleFits) {
  // The tighter point's schedule is one for the looser point.
  points_ = {point_of(120, 6), point_of(150)};
  KnownResults known = knowledge();
  known.add(0, solved(hill_recomputed(), 6, 6));
  EXPECT_EQ(internal_error([&] { known.add(1, infeasible()); }),
            "point 1 is proven infeasible, but the schedule of point 0 fits its limits");
}

TEST_F(Reuse, AProofThatThereIsNoneIsAnErrorOfOursIfAStartFits) {
  points_ = {point_of(120, 5)};
  starts_ = {{{hill_recomputed()}, {hill_paged()}}};
  KnownResults known = knowledge();
  EXPECT_EQ(internal_error([&] { known.add(0, infeasible()); }),
            "point 0 is proven infeasible, but a schedule of the search for min, or of an earlier "
            "run, fits its limits");
}

TEST_F(Reuse, SchedulesAreLookedAtBeforeAProofIsHandedOn) {
  points_ = {point_of(130, 6, kOnlyRemat), point_of(130, 10, kBothTechniques),
             point_of(120, 6, kOnlyRemat)};
  KnownResults known = knowledge();
  known.add(0, infeasible());
  known.add(1, solved(hill_recomputed(), 6, 6));
  EXPECT_EQ(internal_error([&] { known.outcome_of(2, 0); }),
            "point 0 is proven infeasible, but the schedule of point 1 fits its limits");
}

TEST_F(Reuse, VerdictsNeedNoOtherPoint) {
  points_ = {point_of(210), point_of(119), point_of(200, 4)};
  const KnownResults known = knowledge();
  EXPECT_EQ(known.outcome_of(0, 0)->result.status, Status::optimal);
  EXPECT_EQ(known.outcome_of(1, 0)->result.status, Status::infeasible);
  EXPECT_EQ(known.outcome_of(2, 0)->result.status, Status::infeasible);
  EXPECT_EQ(known.outcome_of(0, 0)->origin, Origin::verdict);
}

TEST_F(Reuse, KnownSchedulesAreStartsWhereTheyFit) {
  points_ = {point_of(150), point_of(150, 5)};
  starts_ = {{{hill_paged()}, {hill_recomputed()}}};
  const KnownResults known = knowledge();
  EXPECT_EQ(known.options_for(0, {}).start, hill_recomputed());
  EXPECT_EQ(known.options_for(1, {}).start, hill_paged());
}

TEST_F(Reuse, RefusesAnOutcomeThatDoesNotReplay) {
  points_ = {point_of(119), point_of(150)};
  KnownResults known = knowledge();
  EXPECT_THAT(input_error([&] { known.add(0, solved(hill_paged(), 9, 5)); }),
              HasSubstr("point 0 is not valid"));
  EXPECT_THAT(input_error([&] { known.add(1, solved(hill_paged(), 8, 5)); }),
              HasSubstr("point 1 needs 9 J; 8 J are stated"));
  EXPECT_THAT(input_error([&] { known.add(1, solved(hill_paged(), 9, 10)); }),
              HasSubstr("point 1 needs 9 J; a bound of 10 J is stated"));
}

class Settling : public Reuse {
 protected:
  void settle(double gap = 0) { share_results(grid_, points_, gap, outcomes_); }
  const SolveResult& result(int point) const { return outcomes_.at(point)->result; }

  SweepOutcomes outcomes_;
};

TEST_F(Settling, ABetterScheduleForLessReplacesAWorseOneForMore) {
  points_ = {point_of(200), point_of(120)};
  outcomes_ = {solved(hill_paged(), 9, 5), solved(hill_recomputed(), 6, 5)};
  settle();
  EXPECT_EQ(result(0).energy_joules, 6);
  EXPECT_EQ(result(0).schedule, hill_recomputed());
  EXPECT_EQ(result(0).status, Status::feasible);
  EXPECT_EQ(outcomes_[0]->origin, Origin::reused);
  EXPECT_EQ(outcomes_[0]->origin_point, 1);
  EXPECT_EQ(outcomes_[1]->origin, Origin::solved);
}

TEST_F(Settling, ABoundForMoreHoldsForLessAndMayProveIt) {
  points_ = {point_of(200), point_of(120), point_of(120, 5)};
  outcomes_ = {solved(hill_recomputed(), 6, 6), solved(hill_recomputed(), 6, 5),
               solved(hill_paged(), 9, 5)};
  settle();
  EXPECT_EQ(result(1).status, Status::optimal);
  EXPECT_EQ(result(1).lower_bound_joules, 6);
  EXPECT_EQ(result(2).status, Status::feasible);
  EXPECT_EQ(result(2).lower_bound_joules, 6);
}

TEST_F(Settling, AnUnknownPointTakesAScheduleForLess) {
  points_ = {point_of(200), point_of(120)};
  outcomes_ = {SweepOutcome{.result = {.reason = "no time"}}, solved(hill_paged(), 9, 6)};
  settle();
  EXPECT_EQ(result(0).status, Status::feasible);
  EXPECT_EQ(result(0).energy_joules, 9);
  EXPECT_EQ(result(0).lower_bound_joules, 5) << "the baseline's energy";
  EXPECT_EQ(result(0).reason, "");
}

TEST_F(Settling, LeavesFailuresAndMissingPointsAlone) {
  points_ = {point_of(200), point_of(180), point_of(120)};
  outcomes_ = {SweepOutcome{.failure = "killed"}, std::nullopt, solved(hill_paged(), 9, 5)};
  settle();
  EXPECT_EQ(outcome_name(*outcomes_[0]), "failed");
  EXPECT_FALSE(outcomes_[0]->result.schedule);
  EXPECT_FALSE(outcomes_[1]);
}

TEST_F(Settling, ABoundAboveAScheduleIsAnErrorOfOurs) {
  points_ = {point_of(200), point_of(120)};
  outcomes_ = {solved(hill_paged(), 9, 7), solved(hill_recomputed(), 6, 5)};
  EXPECT_EQ(internal_error([&] { settle(); }),
            "point 0: the schedule of point 1 needs 6 J, below the bound of 7 J that is proven for "
            "point 0");
}

TEST_F(Settling, AnInfeasiblePointIsNotMendedByAScheduleThatFits) {
  points_ = {point_of(200), point_of(120)};
  outcomes_ = {infeasible(), solved(hill_paged(), 9, 6)};
  EXPECT_EQ(internal_error([&] { settle(); }),
            "point 0 is proven infeasible, but the schedule of point 1 fits its limits");
  EXPECT_EQ(result(0).status, Status::infeasible);
}

TEST_F(Settling, WhatCountsIsWhetherAScheduleFitsAndNotWhoseItIs) {
  // Neither point allows as much as the other.
  points_ = {point_of(130, 6, kOnlyRemat), point_of(120, 9)};
  outcomes_ = {infeasible(), solved(hill_recomputed(), 6, 6)};
  EXPECT_EQ(internal_error([&] { settle(); }),
            "point 0 is proven infeasible, but the schedule of point 1 fits its limits");
  outcomes_ = {infeasible(), solved(hill_paged(), 9, 6)};
  EXPECT_NO_THROW(settle());
}

TEST_F(Settling, NothingIsInfeasibleThatTheBaselineFits) {
  points_ = {point_of(210)};
  outcomes_ = {infeasible()};
  EXPECT_EQ(internal_error([&] { settle(); }),
            "point 0 is proven infeasible, but the baseline fits its limits");
}

TEST(PointOrder, ACurveGoesFromItsLargestBudgetDown) {
  const std::vector<SweepPoint> points{point_of(120), point_of(200), point_of(150)};
  PointOrder order(points);
  std::vector<int> taken;
  while (const auto point = order.next()) {
    EXPECT_FALSE(order.next()) << "the next waits for this one";
    taken.push_back(*point);
    order.finish(*point);
  }
  EXPECT_THAT(taken, testing::ElementsAre(1, 2, 0));
}

TEST(PointOrder, APointStartsOnlyAfterAllThatAllowAsMuch) {
  std::vector<SweepPoint> points;
  for (const TechniqueSet set : {kNoTechnique, kOnlyPaging, kBothTechniques}) {
    for (const Seconds runtime : {6.0, 10.0}) {
      for (const Bytes ram : {120, 150, 200}) points.push_back(point_of(ram, runtime, set));
    }
  }
  // However many run at the same time: first all that may start, then one of them ends.
  PointOrder order(points);
  std::set<int> running;
  std::set<int> finished;
  std::size_t most = 0;
  while (finished.size() < points.size()) {
    while (const auto point = order.next()) {
      for (int other = 0; other < static_cast<int>(points.size()); ++other) {
        const Limits& loose = points[other].limits;
        const Limits& tight = points[*point].limits;
        const bool allows = other != *point && loose.ram_budget_bytes >= tight.ram_budget_bytes &&
                            loose.runtime_budget_seconds >= tight.runtime_budget_seconds &&
                            loose.techniques.paging >= tight.techniques.paging &&
                            loose.techniques.remat >= tight.techniques.remat;
        EXPECT_TRUE(!allows || finished.contains(other)) << other << " before " << *point;
      }
      EXPECT_TRUE(running.insert(*point).second);
    }
    ASSERT_FALSE(running.empty());
    most = std::max(most, running.size());
    order.finish(*running.begin());
    finished.insert(*running.begin());
    running.erase(running.begin());
  }
  EXPECT_GE(most, 2U) << "nothing ran beside anything else";
}

TEST(PointOrder, LeavesOutWhatIsKnownAlready) {
  const std::vector<SweepPoint> points{point_of(120), point_of(200), point_of(150)};
  PointOrder order(points);
  order.finish(2);
  EXPECT_EQ(order.next(), 1);
  order.finish(1);
  EXPECT_EQ(order.next(), 0);
  order.finish(0);
  EXPECT_FALSE(order.next());
}

}  // namespace
}  // namespace poet
