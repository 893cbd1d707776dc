#include <fmt/format.h>

#include "expect_input_error.hpp"
#include "formats/write_comparison.hpp"
#include "sweep/compare.hpp"

namespace poet {
namespace {

using Kind = Difference::Kind;
using RowStatus = SweepRow::Status;
using testing::HasSubstr;

SweepRow row(Joules energy, RowStatus status = RowStatus::optimal, Bytes ram = 1000) {
  return {.status = status,
          .problem = {.model = "net",
                      .platform = "m4",
                      .graph_sha256 = "digest",
                      .limits = {.ram_budget_bytes = ram},
                      .runtime_budget_ratio = 3},
          .requested_gap = 1e-4,
          .summary =
              Summary{.energy_joules = energy, .gap = status == RowStatus::optimal ? 1e-5 : 0.1}};
}

SweepRow without_schedule(RowStatus status, Bytes ram = 1000) {
  SweepRow result = row(0, status, ram);
  result.summary.reset();
  result.reason = "because";
  return result;
}

ComparedResult sweep(const std::vector<SweepRow>& rows) {
  ComparedResult result{.is_sweep = true};
  for (const SweepRow& r : rows) result.points.push_back({.row = r});
  return result;
}

Comparison compared(const SweepRow& before, const SweepRow& now, double rel_tol = 1e-4) {
  return compare(sweep({before}), sweep({now}), rel_tol);
}

std::vector<Kind> regressions(const Comparison& comparison) {
  std::vector<Kind> kinds;
  for (const Difference& difference : comparison.regressions) kinds.push_back(difference.kind);
  return kinds;
}

std::vector<Kind> improvements(const Comparison& comparison) {
  std::vector<Kind> kinds;
  for (const Difference& difference : comparison.improvements) kinds.push_back(difference.kind);
  return kinds;
}

using Kinds = std::vector<Kind>;

TEST(Compare, EnergiesWithinTheToleranceAreEqual) {
  const Comparison same = compared(row(1), row(1.00009));
  EXPECT_EQ(regressions(same), Kinds{});
  EXPECT_EQ(improvements(same), Kinds{});
  EXPECT_EQ(same.points, 1);
}

TEST(Compare, NamesThePointAndTheFiguresOfARise) {
  const Comparison worse = compared(row(2), row(2.002));
  ASSERT_EQ(regressions(worse), Kinds{Kind::energy});
  const Difference& difference = worse.regressions[0];
  EXPECT_EQ(difference.point, "net/m4 1000 bytes");
  EXPECT_THAT(difference.message, HasSubstr("2 J -> 2.002 J (+0.1000 %)"));
  EXPECT_EQ(difference.baseline.value().energy_joules, 2);
  EXPECT_EQ(difference.fresh.value().energy_joules, 2.002);
  ASSERT_EQ(difference.figures.size(), 1U);
  EXPECT_EQ(difference.figures[0].before, "2 J");
  EXPECT_EQ(difference.figures[0].now, "2.002 J");
  EXPECT_EQ(difference.figures[0].change, "+0.1000 %");
  EXPECT_EQ(regressions(compared(row(2), row(2.002), 0.01)), Kinds{});
}

TEST(Compare, NamesPointsByWhatTheyDoNotShare) {
  SweepRow slow = row(3);
  slow.problem.runtime_budget_ratio = 4;
  const Comparison both = compare(sweep({row(2), slow}), sweep({row(2.5), slow}), 1e-4);
  ASSERT_EQ(regressions(both), Kinds{Kind::energy});
  EXPECT_EQ(both.regressions[0].point, "net/m4 3x 1000 bytes");
  SweepRow paging = row(2.5);
  paging.problem.limits.techniques = {.paging = true, .remat = false};
  paging.problem.limits.paging_time = PagingTime::blocking;
  const Comparison mixed = compare(sweep({row(2), paging}), sweep({row(2)}), 1e-4);
  ASSERT_EQ(regressions(mixed), Kinds{Kind::missing});
  EXPECT_EQ(mixed.regressions[0].point, "net/m4 paging 1000 bytes, blocking transfers");
}

TEST(Compare, SaysBesideAnExceededLimitWhatIsNotProven) {
  const Comparison found = compare(sweep({row(2)}), sweep({row(2.5, RowStatus::feasible)}), 0,
                                   OnChangedGraph::report, {.energy = 0.05});
  EXPECT_EQ(found.regressions.at(0).message,
            "energy +25 %, limit +5 % (2 J -> 2.5 J, at most 10 % above the optimum)");
}

TEST(Compare, TellsOfImprovements) {
  EXPECT_EQ(improvements(compared(row(2), row(1.9))), Kinds{Kind::energy});
  EXPECT_EQ(improvements(compared(row(2, RowStatus::feasible), row(2))), Kinds{Kind::proof});
  EXPECT_EQ(improvements(compared(without_schedule(RowStatus::unknown), row(2))),
            Kinds{Kind::schedule});
}

SweepRow in_order(SweepRow row, const std::string& order_sha256) {
  row.problem.order_sha256 = order_sha256;
  return row;
}

TEST(Compare, ComparesEnergiesOfOtherOrdersAndNoProofs) {
  const Comparison better = compared(row(2), in_order(row(1.5, RowStatus::feasible), "other"));
  EXPECT_EQ(regressions(better), Kinds{}) << "that proof was about the given order";
  ASSERT_EQ(improvements(better), Kinds{Kind::energy});
  EXPECT_THAT(better.improvements[0].message, HasSubstr("; other order of the nodes"));
  const Comparison worse = compared(in_order(row(2), "other"), row(2.002));
  ASSERT_EQ(regressions(worse), Kinds{Kind::energy});
  EXPECT_THAT(worse.regressions[0].message, HasSubstr("; other order of the nodes"));
  EXPECT_EQ(improvements(compared(row(2, RowStatus::feasible), in_order(row(2), "other"))),
            Kinds{});
  EXPECT_EQ(
      regressions(compared(in_order(row(2), "one"), in_order(row(2, RowStatus::feasible), "one"))),
      Kinds{Kind::proof})
      << "in one order proofs count as ever";
}

TEST(Compare, AProofAboutTheGivenOrderIsNotLostToASearch) {
  SweepRow now = without_schedule(RowStatus::unknown);
  EXPECT_EQ(regressions(compared(without_schedule(RowStatus::infeasible), now)),
            Kinds{Kind::proof});
  now.given_order = poet::Status::infeasible;
  EXPECT_EQ(regressions(compared(without_schedule(RowStatus::infeasible), now)), Kinds{});
}

TEST(Compare, FindsLostProofs) {
  EXPECT_EQ(regressions(compared(row(2), row(2, RowStatus::feasible))), Kinds{Kind::proof});
  SweepRow coarse = row(2);
  coarse.requested_gap = 0.2;
  coarse.summary->gap = 0.1;
  EXPECT_EQ(regressions(compared(row(2), coarse)), Kinds{Kind::proof}) << "of a wider gap";
  EXPECT_EQ(regressions(compared(without_schedule(RowStatus::infeasible),
                                 without_schedule(RowStatus::unknown))),
            Kinds{Kind::proof});
}

TEST(Compare, FindsLostSchedules) {
  const Comparison lost = compared(row(2), without_schedule(RowStatus::infeasible));
  ASSERT_EQ(regressions(lost), Kinds{Kind::schedule});
  EXPECT_THAT(lost.regressions[0].message, HasSubstr("infeasible (because)"));
}

TEST(Compare, FindsSchedulesThatDoNotReplay) {
  ComparedResult fresh = sweep({row(2)});
  fresh.points[0].fault = "rule 5";
  EXPECT_EQ(regressions(compare(sweep({row(2)}), fresh, 0)), Kinds{Kind::invalid});
}

TEST(Compare, FindsMissingPointsAndTellsOfNewOnes) {
  const Comparison shifted = compare(sweep({row(2), row(3, RowStatus::optimal, 900)}),
                                     sweep({row(2, RowStatus::optimal, 800), row(2)}), 0);
  EXPECT_EQ(regressions(shifted), Kinds{Kind::missing});
  EXPECT_EQ(shifted.regressions[0].point, "net/m4 900 bytes");
  EXPECT_EQ(improvements(shifted), Kinds{Kind::missing});
}

TEST(Compare, ListsAChangedGraphWithBothFigures) {
  SweepRow other = row(1);
  other.problem.graph_sha256 = "another";
  other.problem.limits.ram_budget_bytes = 1100;
  other.summary->peak_ram_bytes = 1050;
  const Comparison reported = compared(row(2), other);
  EXPECT_EQ(regressions(reported), Kinds{});
  EXPECT_EQ(improvements(reported), Kinds{}) << "a lower energy of another problem is nothing";
  ASSERT_EQ(reported.graph_changes.size(), 1U) << "paired by order: no point has the same budget";
  const Difference& change = reported.graph_changes[0];
  EXPECT_EQ(change.point, "net/m4 1000 bytes");
  EXPECT_THAT(change.message, HasSubstr("graph changed: optimal"));
  EXPECT_THAT(change.message, HasSubstr("RAM budget 1000 bytes -> 1100 bytes"));
  EXPECT_THAT(change.message, HasSubstr("energy 2 J -> 1 J (-50.0000 %)"));
  EXPECT_THAT(change.message, HasSubstr("peak RAM 0 bytes -> 1050 bytes"));

  const Comparison failed = compare(sweep({row(2)}), sweep({other}), 0, OnChangedGraph::fail);
  EXPECT_EQ(regressions(failed), Kinds{Kind::graph});
  EXPECT_TRUE(failed.graph_changes.empty());
}

TEST(Compare, FindsASchedulesLossOnAChangedGraph) {
  SweepRow lost = without_schedule(RowStatus::infeasible);
  lost.problem.graph_sha256 = "another";
  const Comparison comparison = compared(row(2), lost);
  EXPECT_EQ(regressions(comparison), Kinds{Kind::schedule});
  EXPECT_EQ(comparison.graph_changes.size(), 1U);
  SweepRow still = without_schedule(RowStatus::infeasible);
  still.problem.graph_sha256 = "another";
  EXPECT_EQ(regressions(compared(without_schedule(RowStatus::infeasible), still)), Kinds{});
  EXPECT_EQ(
      regressions(compare(sweep({row(2), row(2, RowStatus::optimal, 2000)}), sweep({still}), 0)),
      (Kinds{Kind::schedule, Kind::missing}));
}

TEST(Compare, ComparesScheduleFilesOnlyOnTheSameProblem) {
  ComparedResult before{.points = {{.row = row(2)}}};
  ComparedResult now{.points = {{.row = row(2, RowStatus::optimal, 900)}}};
  const Comparison other = compare(before, now, 0);
  ASSERT_EQ(regressions(other), Kinds{Kind::problem});
  EXPECT_THAT(other.regressions[0].message, HasSubstr("RAM budget in bytes was 1000, is 900"));
  EXPECT_THAT(input_error([&] { compare(before, sweep({row(2)}), 0); }),
              HasSubstr("expected two of a kind"));
}

TEST(Compare, RefusesASweepWithAPointTwice) {
  EXPECT_THAT(input_error([] {
                compare(sweep({row(2), row(3)}), sweep({row(2)}), 0);
              }),
              HasSubstr("the baseline: found the point 'net/m4 both 3x 1000 bytes' twice"));
}

TEST(Compare, ALimitHoldsOnAChangedGraphAndTakesThePlaceOfTheTolerance) {
  SweepRow other = row(2.1);
  other.problem.graph_sha256 = "another";
  other.summary->peak_ram_bytes = 100;
  other.summary->runtime_seconds = 3;
  SweepRow before = row(2);
  before.summary->peak_ram_bytes = 80;
  before.summary->runtime_seconds = 2;
  const auto found = [&](const SweepRow& now, const IncreaseLimits& limits) {
    return compare(sweep({before}), sweep({now}), 1e-4, OnChangedGraph::report, limits);
  };
  EXPECT_EQ(regressions(found(other, {})), Kinds{});
  EXPECT_EQ(regressions(found(other, {.energy = 0.05, .peak_ram = 0.25, .runtime = 0.5})), Kinds{})
      << "exactly the limits";
  EXPECT_EQ(regressions(found(other, {.energy = 0.0499, .peak_ram = 0.2499, .runtime = 0.4999})),
            (Kinds{Kind::energy, Kind::ram, Kind::runtime}));
  const Comparison one = found(other, {.peak_ram = 0.1});
  ASSERT_EQ(regressions(one), Kinds{Kind::ram});
  EXPECT_THAT(one.regressions[0].message,
              HasSubstr("peak RAM +25 %, limit +10 % (80 bytes -> 100 bytes)"));
  other.problem.limits.ram_budget_bytes = 2048;
  const Comparison budget = found(other, {.ram_budget = 0.5});
  ASSERT_EQ(regressions(budget), Kinds{Kind::ram});
  EXPECT_THAT(budget.regressions[0].message, HasSubstr("RAM budget +104.8 %, limit +50 %"));
  EXPECT_EQ(regressions(found(other, {.ram_budget = 1.05})), Kinds{});
  EXPECT_EQ(budget.regressions[0].point, "net/m4 1000 bytes");
  EXPECT_EQ(one.graph_changes.size(), 1U) << "listed all the same";
  EXPECT_EQ(regressions(found(row(2.1), {.energy = 0.05})), Kinds{});
  EXPECT_EQ(regressions(found(row(2.1), {.runtime = 0})), Kinds{Kind::energy})
      << "the tolerance holds for what has no limit";
  EXPECT_EQ(improvements(found(row(1.9), {.energy = 0.05})), Kinds{Kind::energy});
}

TEST(Compare, ReadsPercentagesOnly) {
  EXPECT_EQ(parse_increase("5%"), 0.05);
  EXPECT_EQ(parse_increase("0%"), 0);
  EXPECT_EQ(parse_increase("12.5%"), 0.125);
  for (const char* text : {"5", "0.05", "-1%", "%", "five%", "inf%", "nan%", "5%%"}) {
    EXPECT_THAT(input_error([&] { parse_increase(text); }),
                HasSubstr("expected a percentage of 0 or more, such as 5%"))
        << text;
  }
}

TEST(ComparisonText, MarkdownFitsAComment) {
  std::vector<SweepRow> before;
  std::vector<SweepRow> now;
  for (int i = 1; i <= 2000; ++i) {
    before.push_back(row(1, RowStatus::optimal, 1000 + i));
    now.push_back(row(2, RowStatus::optimal, 1000 + i));
  }
  const std::string text = comparison_markdown(compare(sweep(before), sweep(now), 1e-4));
  EXPECT_LE(text.size(), 65536U);
  EXPECT_THAT(text, HasSubstr("| net/m4 1001 bytes | energy | 1 J | 2 J | +100.0000 % |"));
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = text.find("\n| net/", at)) != std::string::npos; ++at) ++rows;
  EXPECT_THAT(text, HasSubstr(fmt::format("\nand {} more", 2000 - rows)));
}

TEST(ComparisonText, MarkdownHasATableOfEachKind) {
  const std::string text =
      comparison_markdown(compare(sweep({row(2), row(3, RowStatus::feasible, 900)}),
                                  sweep({row(2.5), row(2, RowStatus::feasible, 900)}), 1e-4));
  EXPECT_THAT(text, HasSubstr("**2 points compared: 1 regression, 1 improvement**"));
  EXPECT_THAT(text, HasSubstr("### Worse\n\n| point | what | before | after | change |"));
  EXPECT_THAT(text, HasSubstr("\n| net/m4 1000 bytes | energy | "));
  EXPECT_THAT(text, HasSubstr("### Better"));
}

SweepRow least(Objective objective, Seconds runtime, Bytes ram, Joules energy) {
  SweepRow result = row(energy, RowStatus::optimal, ram);
  result.problem.objective = objective;
  result.problem.limits.runtime_budget_seconds = runtime;
  result.summary->runtime_seconds = runtime;
  result.summary->peak_ram_bytes = ram;
  return result;
}

Comparison compared_files(const SweepRow& before, const SweepRow& now) {
  return compare({.points = {{.row = before}}}, {.points = {{.row = now}}}, 1e-4);
}

TEST(Compare, OtherObjectivesAreOtherProblems) {
  const Comparison other =
      compared_files(least(Objective::energy, 2, 100, 1), least(Objective::runtime, 1, 100, 1));
  EXPECT_EQ(regressions(other), Kinds{Kind::problem});
  EXPECT_THAT(other.regressions.front().message,
              HasSubstr("not comparable: the objective was energy, is runtime"));
}

TEST(Compare, WhatWasMinimisedCountsBeforeTheEnergy) {
  const auto runtimes = [](Seconds was, Seconds is, Joules energy) {
    return compared_files(least(Objective::runtime, was, 100, 1),
                          least(Objective::runtime, is, 100, energy));
  };
  EXPECT_EQ(regressions(runtimes(2, 2.1, 0.5)), Kinds{Kind::runtime});
  EXPECT_EQ(improvements(runtimes(2, 2.1, 0.5)), Kinds{});
  EXPECT_THAT(runtimes(2, 2.1, 0.5).regressions.front().message, HasSubstr("runtime 2 s -> 2.1 s"));
  EXPECT_EQ(improvements(runtimes(2, 1.9, 3)), Kinds{Kind::runtime});
  EXPECT_EQ(regressions(runtimes(2, 1.9, 3)), Kinds{});
  EXPECT_EQ(regressions(runtimes(2, 2, 3)), Kinds{Kind::energy});

  const auto peaks = [](Bytes was, Bytes is, Joules energy) {
    return compared_files(least(Objective::ram, 2, was, 1), least(Objective::ram, 2, is, energy));
  };
  EXPECT_EQ(regressions(peaks(1000, 1001, 0.5)), Kinds{Kind::ram});
  EXPECT_EQ(improvements(peaks(1000, 900, 3)), Kinds{Kind::ram});
  EXPECT_EQ(improvements(peaks(1000, 1000, 0.5)), Kinds{Kind::energy});
}

}  // namespace
}  // namespace poet
