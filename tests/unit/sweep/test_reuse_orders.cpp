// What one point says about another whose nodes are in another order. In the given order the best
// is 7 J, in the early one 6 J: a bound that moves between them makes a false optimum, or is one
// above an energy.
#include "expect_input_error.hpp"
#include "poet/min_ram.hpp"
#include "poet/simulate.hpp"
#include "question/least_ram.hpp"
#include "solver/order/order_working_set.hpp"
#include "solver/order/start_orders.hpp"
#include "support/tiny_sweep.hpp"
#include "support/two_orders.hpp"
#include "sweep/reuse_results.hpp"
#include "sweep/rows.hpp"
#include "sweep/solve_point.hpp"
#include "sweep/verify_rows.hpp"

namespace poet {
namespace {

using test::a_again;
using test::a_paged;
using test::early_again;
using test::early_once;
using test::infeasible;
using test::kBetween;
using test::kEarly;
using test::point_of;
using test::solved;
using testing::HasSubstr;

SweepOutcome solved_in_order(const OrderedSchedule& schedule, Joules energy, Joules bound) {
  SweepOutcome outcome = solved(schedule.schedule, energy, bound);
  outcome.order = schedule.order;
  return outcome;
}

Joules energy_of(const Subject& subject, const Schedule& schedule) {
  const Replay replay = simulate(subject.graph, schedule, point_of(120).limits);
  EXPECT_TRUE(replay.valid());
  return replay.energy_joules;
}

TEST(TwoOrders, AreWhatTheTestsSay) {
  const Subject given = test::two_orders();
  const Subject early = reordered(given, kEarly);
  EXPECT_EQ(given.base.peak_ram_bytes, 210);
  EXPECT_EQ(early.base.peak_ram_bytes, 120);
  EXPECT_EQ(energy_of(given, a_again()), 7);
  EXPECT_EQ(energy_of(given, a_paged()), 10);
  EXPECT_EQ(energy_of(early, early_once().schedule), 6);
  EXPECT_EQ(energy_of(early, early_again().schedule), 7);
  EXPECT_EQ(early.graph_sha256(), given.graph_sha256());
  EXPECT_NE(early.order_sha256(), reordered(given, kBetween).order_sha256());
  EXPECT_EQ(solve({.graph = given.graph, .limits = point_of(150).limits}).energy_joules, 7);
}

class ReuseOrders : public testing::Test {
 protected:
  ReuseOrders() { grid_.subjects.push_back(test::two_orders()); }

  KnownResults knowledge() const { return {grid_, points_, starts_, OrderKind::search}; }
  void settle() { share_results(grid_, points_, 0, outcomes_, OrderKind::search); }
  const SolveResult& result(int point) const { return outcomes_.at(point)->result; }
  std::string digest(const NodeOrder& order) const {
    return reordered(grid_.subjects[0], order).order_sha256();
  }

  SweepGrid grid_;
  std::vector<SweepPoint> points_;
  std::vector<std::vector<OrderedSchedule>> starts_;
  SweepOutcomes outcomes_;
};

TEST_F(ReuseOrders, ABoundOfAnotherOrderMakesNoOptimum) {
  points_ = {point_of(200), point_of(190), point_of(150)};
  KnownResults known = knowledge();
  known.add(0, solved(a_paged(), 10, 7));
  known.add(1, solved_in_order(early_again(), 7, 6));
  EXPECT_FALSE(known.outcome_of(2, 0)) << "7 J in the early order are not its optimum";
  EXPECT_EQ(known.bound_for(2, ""), 7);
  EXPECT_EQ(known.bound_for(2, digest(kEarly)), 6);
  EXPECT_EQ(known.bound_for(2, digest(kBetween)), 0);
  const auto start = known.start_for(2);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->schedule, early_again().schedule);
  EXPECT_EQ(start->order, kEarly);
}

TEST_F(ReuseOrders, AScheduleBelowABoundOfAnotherOrderContradictsNothing) {
  points_ = {point_of(200), point_of(150)};
  KnownResults known = knowledge();
  known.add(0, solved(a_again(), 7, 7));
  EXPECT_NO_THROW(known.add(1, solved_in_order(early_once(), 6, 6)));
  outcomes_ = {solved(a_again(), 7, 7), solved_in_order(early_once(), 6, 6)};
  EXPECT_NO_THROW(settle());
}

TEST_F(ReuseOrders, AnOptimumGoesOnWithItsOrder) {
  points_ = {point_of(200), point_of(150)};
  KnownResults known = knowledge();
  known.add(0, solved_in_order(early_once(), 6, 6));
  const auto outcome = known.outcome_of(1, 0);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result.status, Status::optimal);
  EXPECT_EQ(outcome->order, kEarly);
  const PointResult made = make_result(grid_, points_, 1, *outcome, {.order = OrderKind::search});
  EXPECT_EQ(made.row.problem.graph_sha256, grid_.subjects[0].graph_sha256());
  EXPECT_EQ(made.row.problem.order_sha256, digest(kEarly));
  EXPECT_EQ(made.row.baseline_peak_ram_bytes, 120) << "of the row's own order";
  EXPECT_EQ(made.file->model.order, kEarly);
}

TEST_F(ReuseOrders, TheOrderOfANeighbourIsAStartEvenIfItsScheduleIsNone) {
  points_ = {point_of(209), point_of(205), point_of(110)};
  KnownResults known = knowledge();
  known.add(0, solved_in_order(early_once(), 6, 6));
  known.add(1, solved(a_again(), 7, 6));
  const auto start = known.start_for(2);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->order, NodeOrder()) << "that of more energy is nearer";
  EXPECT_FALSE(known.options_for(2, {}).start);
}

TEST_F(ReuseOrders, WithoutASearchOtherOrdersAreNoStarts) {
  points_ = {point_of(150)};
  starts_ = {{early_once()}};
  const KnownResults known(grid_, points_, starts_);
  EXPECT_FALSE(known.options_for(0, {}).start);
  EXPECT_FALSE(known.start_for(0));
  EXPECT_TRUE(knowledge().start_for(0));
}

TEST_F(ReuseOrders, AnOrderThatIsNotLegalIsNoStartAndNoOutcome) {
  points_ = {point_of(150)};
  OrderedSchedule wrong = early_once();
  wrong.order = {1, 0, 4, 2, 3, 5};
  starts_ = {{wrong}};
  KnownResults known = knowledge();
  EXPECT_FALSE(known.start_for(0));
  EXPECT_THAT(input_error([&] { known.add(0, solved_in_order(wrong, 6, 6)); }),
              HasSubstr("'b') comes before node"));
  wrong.order = {0, 0, 0, 0, 0, 0};
  EXPECT_THAT(input_error([&] { known.add(0, solved_in_order(wrong, 6, 6)); }),
              HasSubstr("twice in an order"));
}

TEST_F(ReuseOrders, ThatTheGivenOrderHasNoneIsNoVerdict) {
  // Without techniques the given order needs 210 bytes, and no computation alone more than 110.
  points_ = {point_of(150, 10, kNoTechnique), point_of(109, 10, kNoTechnique), point_of(150, 5)};
  const KnownResults known = knowledge();
  EXPECT_FALSE(known.outcome_of(0, 0));
  EXPECT_EQ(known.outcome_of(1, 0)->result.status, Status::infeasible);
  EXPECT_EQ(known.outcome_of(1, 0)->result.smallest_ram_bytes, 110);
  EXPECT_EQ(known.outcome_of(2, 0)->result.status, Status::infeasible);
  const KnownResults given(grid_, points_, starts_);
  EXPECT_EQ(given.outcome_of(0, 0)->result.status, Status::infeasible);
}

TEST_F(ReuseOrders, InfeasibleIsAboutAllOrdersWithASearchAndElseAboutOne) {
  points_ = {point_of(200, 10, kNoTechnique), point_of(150, 10, kNoTechnique)};
  outcomes_ = {infeasible(), solved_in_order(early_once(), 6, 6)};
  EXPECT_EQ(internal_error([&] { settle(); }),
            "point 0 is proven infeasible, but the schedule of point 1 fits its limits");
  EXPECT_NO_THROW(share_results(grid_, points_, 0, outcomes_));
  KnownResults known = knowledge();
  known.add(1, solved_in_order(early_once(), 6, 6));
  EXPECT_EQ(internal_error([&] { known.add(0, infeasible()); }),
            "point 0 is proven infeasible, but the schedule of point 1 fits its limits");
  KnownResults given(grid_, points_, starts_);
  given.add(1, solved_in_order(early_once(), 6, 6));
  EXPECT_NO_THROW(given.add(0, infeasible()));
}

TEST_F(ReuseOrders, ABoundGoesToPointsInItsOrderAlone) {
  points_ = {point_of(200), point_of(150), point_of(140)};
  outcomes_ = {solved(a_again(), 7, 7), solved_in_order(early_again(), 7, 6),
               solved(a_again(), 7, 6.5)};
  settle();
  EXPECT_EQ(result(1).lower_bound_joules, 6);
  EXPECT_EQ(result(1).status, Status::feasible);
  EXPECT_EQ(result(2).lower_bound_joules, 7);
  EXPECT_EQ(result(2).status, Status::optimal);
}

TEST_F(ReuseOrders, ABetterScheduleInAnotherOrderLeavesTheOldBoundBehind) {
  points_ = {point_of(200), point_of(120)};
  outcomes_ = {solved(a_again(), 7, 7), solved_in_order(early_once(), 6, 6)};
  settle();
  EXPECT_EQ(outcomes_[0]->order, kEarly);
  EXPECT_EQ(result(0).energy_joules, 6);
  EXPECT_EQ(result(0).lower_bound_joules, 6) << "the baseline, which no order is below";
  EXPECT_EQ(result(0).status, Status::optimal);
}

TEST_F(ReuseOrders, RoundingIsNoReasonToChangeOrders) {
  points_ = {point_of(200), point_of(120)};
  outcomes_ = {solved(a_again(), 7, 7), solved_in_order(early_again(), 7 * (1 - 1e-15), 6)};
  settle();
  EXPECT_EQ(outcomes_[0]->order, NodeOrder());
  EXPECT_EQ(result(0).status, Status::optimal);
}

std::vector<std::string> findings(const std::vector<SweepRow>& rows, const ScheduleFile& first) {
  RowVerifier verifier(rows);
  verifier.add(0, first);
  return verifier.findings();
}

TEST_F(ReuseOrders, RowsOfOtherOrdersContradictNoBound) {
  points_ = {point_of(200), point_of(120)};
  const SolveSettings search{.order = OrderKind::search};
  // As of a sweep whose points do not share: point 0 keeps its own order.
  const PointResult early =
      make_result(grid_, points_, 0, solved_in_order(early_once(), 6, 6), search);
  std::vector<SweepRow> rows{early.row,
                             make_result(grid_, points_, 1, solved(a_again(), 7, 7), search).row};
  EXPECT_THAT(findings(rows, *early.file), testing::IsEmpty());
  rows[1].problem.order_sha256 = rows[0].problem.order_sha256;
  rows[1].baseline_peak_ram_bytes = rows[1].summary->baseline_peak_ram_bytes = 120;
  EXPECT_THAT(findings(rows, *early.file),
              testing::Contains(HasSubstr("its bound of 7 J is above the 6 J")))
      << "in the same order, and the schedule fits";
}

TEST_F(ReuseOrders, ASweepOfFiveBudgetsIsRightAlthoughABoundOfTheGivenOrderIsAboveIt) {
  for (const Bytes ram : {200, 180, 160, 140, 120}) points_.push_back(point_of(ram));
  outcomes_ = {solved(a_again(), 7, 6.9)};
  outcomes_.resize(points_.size());
  SweepOptions options{.solve = {.settings = {.gap = 0, .order = OrderKind::search}}, .jobs = 2};
  options.bounds.assign(points_.size(), {.joules = 6.9});
  ASSERT_TRUE(run_sweep(grid_, points_, options, outcomes_));
  for (const auto& outcome : outcomes_) EXPECT_EQ(outcome->failure, "");
  settle();
  for (int p = 0; p < 5; ++p) {
    EXPECT_EQ(result(p).energy_joules, 6) << p;
    EXPECT_EQ(result(p).status, Status::optimal) << p;
    EXPECT_FALSE(outcomes_[p]->order.empty()) << p;
  }
}

TEST_F(ReuseOrders, WhatTheGivenOrderProvesIsNotSaidOfOthers) {
  // No order needs less than 120 bytes without techniques.
  points_ = {point_of(115, 10, kNoTechnique)};
  ASSERT_TRUE(
      run_sweep(grid_, points_, {.solve = {.settings = {.order = OrderKind::search}}}, outcomes_));
  EXPECT_EQ(result(0).status, Status::unknown);
  EXPECT_EQ(outcomes_[0]->given_order, Status::infeasible);
  EXPECT_EQ(result(0).smallest_ram_bytes, 110);
  const PointResult made =
      make_result(grid_, points_, 0, *outcomes_[0], {.order = OrderKind::search});
  EXPECT_EQ(made.row.given_order, Status::infeasible);
  EXPECT_EQ(made.problem->given_order, Status::infeasible);
}

TEST(SolveWithSomeCopies, BeginsWithTheOrderOfItsStart) {
  const Subject given =
      make_subject(load_model("gpt2_tiny", 1, Backward::exact), load_platform("m4"), {});
  const NodeOrder order = start_orders(given.graph, precedence(given)).back();
  const Baseline start = reordered(given, order).base;
  SolveOptions options{.settings = {.order = OrderKind::search, .copies = CopyChoice::exact}};
  options.interrupted = [] { return true; };
  const SweepOutcome outcome = solve_with_some_copies(
      given, point_of(start.peak_ram_bytes, 1e9, kNoTechnique).limits, options,
      OrderedSchedule{start.schedule, order}, [](const auto&) { return 0.0; });
  EXPECT_EQ(outcome.order, order);
  EXPECT_EQ(outcome.result.energy_joules, start.energy_joules);
}

TEST(LeastRamOfOrders, IsWhatSomeOrderReaches) {
  const Subject given = test::two_orders();
  const Limits limits = point_of(0, 10, kNoTechnique).limits;
  const SolveOptions search{.settings = {.order = OrderKind::search}};
  const MinRam found = least_ram_of_orders(given, limits, search);
  EXPECT_EQ(found.feasible_bytes, 120);
  EXPECT_EQ(found.infeasible_below_bytes, OrderWorkingSet(given.graph).of_any_order());
  EXPECT_FALSE(found.exact());
  EXPECT_NE(found.reason, "");
  const Subject ordered = reordered(given, found.order);
  Limits within = limits;
  within.ram_budget_bytes = found.feasible_bytes;
  EXPECT_TRUE(simulate(ordered.graph, found.schedule, within).valid());
}

TEST(LeastRamOfOrders, IsExactOnlyIfTheLargestComputationDecides) {
  const Subject given = test::two_orders();
  const SolveOptions search{.settings = {.order = OrderKind::search}};
  const MinRam found = least_ram_of_orders(given, point_of(0, 100).limits, search);
  EXPECT_EQ(found.infeasible_below_bytes, 110);
  EXPECT_EQ(found.exact(), found.feasible_bytes == 110);
  EXPECT_EQ(found.is_working_set, found.exact());
  // An order that is known beforehand is a start, and what it reaches is never lost.
  const MinRam started =
      least_ram_of_orders(given, point_of(0, 10, kNoTechnique).limits, search, 0, {early_once()});
  EXPECT_EQ(started.feasible_bytes, 120);
}

}  // namespace
}  // namespace poet
