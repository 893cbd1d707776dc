#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/error.hpp"
#include "poet/schedule_file.hpp"
#include "report/schedule_version.hpp"
#include "support/tiny_report.hpp"

namespace poet {
namespace {

using test::keep_all;
using test::page_a;
using test::recompute_a;
using test::TinySolve;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(MakeReport, FiguresComeFromTheReplay) {
  const ScheduleFile report = TinySolve(page_a()).report();
  EXPECT_EQ(report.code, ExitCode::ok);
  EXPECT_EQ(report.summary.energy_joules, 15.75);
  EXPECT_EQ(report.summary.baseline_energy_joules, 15);
  EXPECT_EQ(report.summary.energy_overhead, 15.75 / 15 - 1);
  EXPECT_EQ(report.summary.runtime_ratio, 1);
  EXPECT_EQ(report.summary.paging_seconds, 8);
  EXPECT_EQ(report.summary.peak_ram_bytes, 1101);
  EXPECT_EQ(report.summary.baseline_peak_ram_bytes, 1101);
  EXPECT_EQ(report.summary.page_in_bytes, 100);
  EXPECT_THAT(report.stage_peak_ram_bytes, ElementsAre(100, 110, 11, 1101));
  EXPECT_EQ(without_offsets(report.program), to_program(report.graph, report.schedule));
  EXPECT_EQ(report.model.node_count, 4);
  EXPECT_EQ(report.model.forward_node_count, 3);
}

TEST(MakeReport, AnInterruptedSolveSaysSoInItsCode) {
  TinySolve solve(keep_all());
  solve.result.interrupted = true;
  EXPECT_EQ(solve.report().code, ExitCode::interrupted);
}

TEST(MakeReport, AModelWithCostsOfItsOwnHasNoPlatform) {
  const TinySolve solve(keep_all());
  EXPECT_FALSE(make_schedule_file(solve.model, nullptr, solve.problem, solve.request, solve.result)
                   .platform);
}

TEST(MakeReport, ABoundAboveTheEnergyByRoundingIsTheEnergy) {
  TinySolve solve(keep_all());
  solve.result.lower_bound_joules = 15 * (1 + 1e-12);
  EXPECT_EQ(solve.report().summary.lower_bound_joules, 15);
  EXPECT_EQ(solve.report().summary.gap, 0);
}

TEST(MakeReport, RefusesAResultWithoutASchedule) {
  TinySolve solve(keep_all());
  solve.result.schedule.reset();
  EXPECT_THROW(solve.report(), InternalError);
}

TEST(MakeReport, RefusesAScheduleThatBreaksARule) {
  TinySolve solve(keep_all());
  solve.result.schedule->stages[3].resident = {0};
  EXPECT_THROW(solve.report(), InternalError);
}

TEST(MakeReport, RefusesAnEnergyThatTheReplayContradicts) {
  TinySolve solve(keep_all());
  solve.result.energy_joules = 15 * (1 + 1e-10);
  EXPECT_NO_THROW(solve.report());
  solve.result.energy_joules = 15 * (1 + 1e-8);
  EXPECT_THROW(solve.report(), InternalError);
}

TEST(MakeReport, RefusesARequestThatIsNotWhatWasSolved) {
  TinySolve solve(keep_all());
  solve.request.limits.ram_budget_bytes += 1;
  EXPECT_THROW(solve.report(), InternalError);
}

TEST(MakeReport, RefusesToCallAScheduleOptimalWithoutProof) {
  TinySolve solve(keep_all());
  solve.result.lower_bound_joules = 15 * (1 - 2e-4);
  EXPECT_THROW(solve.report(), InternalError);
  solve.result.status = Status::feasible;
  EXPECT_NO_THROW(solve.report());
}

TEST(MakeReport, RefusesABoundAboveTheEnergyOrNone) {
  TinySolve solve(keep_all());
  solve.result.lower_bound_joules = 15 * (1 + 1e-6);
  EXPECT_THROW(solve.report(), InternalError);
  solve.result.lower_bound_joules = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(solve.report(), InternalError);
}

TEST(VerifyReport, AReportOfOursIsClean) {
  for (const Schedule& schedule : {keep_all(), recompute_a(), page_a()}) {
    EXPECT_THAT(verify_schedule_file(TinySolve(schedule).report()), IsEmpty());
  }
}

TEST(VerifyReport, NamesTheRuleTheStageAndTheNode) {
  ScheduleFile report = TinySolve(keep_all()).report();
  report.request.limits.ram_budget_bytes = report.summary.ram_budget_bytes = 1000;
  EXPECT_THAT(verify_schedule_file(report),
              ElementsAre("rule 5 (RAM): stage 3: 1101 bytes are in RAM while computing 3 (d); "
                          "the budget is 1000 bytes"));
}

/// What a clean report yields after `tamper` has changed it.
template <typename Tamper>
std::vector<std::string> findings_after(Tamper&& tamper) {
  ScheduleFile report = TinySolve(page_a()).report();
  tamper(report);
  return verify_schedule_file(report);
}

TEST(VerifyReport, EveryFigureOfTheSummaryIsChecked) {
  const auto one = [](const char* key) { return ElementsAre(HasSubstr(key)); };
  const auto tampered = [](auto figure) {
    return findings_after([&](ScheduleFile& r) { r.summary.*figure += 1; });
  };
  EXPECT_THAT(tampered(&Summary::energy_joules), one("summary.energy_joules is 16.75"));
  EXPECT_THAT(tampered(&Summary::compute_energy_joules), one("compute_energy_joules"));
  EXPECT_THAT(tampered(&Summary::page_in_energy_joules), one("page_in_energy_joules"));
  EXPECT_THAT(tampered(&Summary::page_out_energy_joules), one("page_out_energy_joules"));
  EXPECT_THAT(tampered(&Summary::baseline_energy_joules), one("baseline_energy_joules"));
  EXPECT_THAT(tampered(&Summary::energy_overhead), one("energy_overhead"));
  EXPECT_THAT(tampered(&Summary::gap), one("gap"));
  EXPECT_THAT(tampered(&Summary::runtime_seconds), one("runtime_seconds"));
  EXPECT_THAT(tampered(&Summary::runtime_ratio), one("runtime_ratio"));
  EXPECT_THAT(tampered(&Summary::peak_ram_bytes), one("peak_ram_bytes"));
  EXPECT_THAT(tampered(&Summary::ram_budget_bytes), one("ram_budget_bytes"));
  EXPECT_THAT(tampered(&Summary::baseline_peak_ram_bytes), one("baseline_peak_ram_bytes"));
  EXPECT_THAT(tampered(&Summary::recompute_count), one("recompute_count"));
  EXPECT_THAT(tampered(&Summary::page_out_count), one("page_out_count"));
  EXPECT_THAT(tampered(&Summary::page_in_count), one("page_in_count"));
  EXPECT_THAT(tampered(&Summary::page_out_bytes), one("page_out_bytes"));
  EXPECT_THAT(tampered(&Summary::page_in_bytes), one("page_in_bytes"));
}

TEST(VerifyReport, TheGapOfTheExtraEnergyIsCheckedIfItIsThere) {
  const auto with_bound = [](const std::optional<double>& gap_extra) {
    return findings_after([&](ScheduleFile& r) {
      r.summary.lower_bound_joules = 15.75 * (1 - 1e-4);
      r.summary.gap = 1e-4;
      r.summary.gap_extra = gap_extra;
    });
  };
  const double right = relative_extra_gap(15.75, 15.75 * (1 - 1e-4), 15);
  EXPECT_THAT(with_bound(right), IsEmpty());
  EXPECT_THAT(with_bound(std::nullopt), IsEmpty()) << "older files do not have it";
  EXPECT_THAT(with_bound(right + 1e-6), ElementsAre(HasSubstr("summary.gap_extra is")));
  EXPECT_THAT(with_bound(0), ElementsAre(HasSubstr("summary.gap_extra is")));
}

TEST(VerifyReport, FiguresMayDifferByTheOrderOfSummation) {
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.summary.energy_joules *= 1 + 1e-12; }),
              IsEmpty());
}

TEST(VerifyReport, StagePeaksAreChecked) {
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.stage_peak_ram_bytes[2] -= 1; }),
              ElementsAre("stage 2: peak_ram_bytes is 10; the replay says 11"));
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.stage_peak_ram_bytes.pop_back(); }),
              ElementsAre(HasSubstr("number of stage peaks is 3")));
}

TEST(VerifyReport, AProofIsCheckedAgainstTheBound) {
  const auto with_bound = [](Joules bound, double gap) {
    return findings_after([&](ScheduleFile& r) {
      r.summary.lower_bound_joules = bound;
      r.summary.gap = gap;
      r.summary.gap_extra = relative_extra_gap(15.75, bound, 15);
    });
  };
  EXPECT_THAT(with_bound(15.75 * (1 - 1e-4), 1e-4), IsEmpty());
  EXPECT_THAT(with_bound(15.75 * (1 - 2e-4), 2e-4),
              ElementsAre(HasSubstr("status is optimal, but the gap")));
  EXPECT_THAT(with_bound(15.75 * 1.5, -0.5), ElementsAre(HasSubstr("above the energy")));
}

TEST(VerifyReport, StatusAndCodeMustFitAFileWithASchedule) {
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.status = Status::infeasible; }),
              ElementsAre(HasSubstr("status is infeasible")));
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.code = ExitCode::limit; }),
              ElementsAre(HasSubstr("code is 4")));
}

TEST(VerifyReport, NodeCountsAreThoseOfTheGraph) {
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.model.node_count = 5; }),
              ElementsAre("model.node_count is 5; the replay says 4"));
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.model.forward_node_count = 2; }),
              ElementsAre("model.forward_node_count is 2; the replay says 3"));
}

TEST(VerifyReport, TheProgramIsThatOfTheStages) {
  EXPECT_THAT(findings_after([](ScheduleFile& r) { std::swap(r.program[1], r.program[2]); }),
              ElementsAre("program: instruction 1 is compute 1; the stages say page_out 0"));
  EXPECT_THAT(findings_after([](ScheduleFile& r) { r.program.pop_back(); }),
              ElementsAre("program: instruction 10 is nothing; the stages say free 3"));
}

/// A file of the fastest schedule, with a proof that it is the fastest.
ScheduleFile fastest() {
  TinySolve solve(page_a());
  solve.request.settings.objective = Objective::runtime;
  solve.result.bounds.runtime_lower_bound_seconds = 15 * (1 + 1e-12);
  return solve.report();
}

TEST(MakeReport, AnotherObjectiveIsOptimalOnlyWithItsOwnBound) {
  EXPECT_EQ(fastest().status, Status::optimal);
  EXPECT_EQ(fastest().bounds.runtime_lower_bound_seconds, 15) << "rounding is no contradiction";
  EXPECT_THAT(verify_schedule_file(fastest()), IsEmpty());
  TinySolve solve(page_a());
  solve.request.settings.objective = Objective::runtime;
  EXPECT_EQ(solve.report().status, Status::feasible) << "there is no bound";
  solve.result.bounds.runtime_lower_bound_seconds = 14;
  EXPECT_EQ(solve.report().status, Status::feasible);
  solve.result.bounds.runtime_lower_bound_seconds = 15.1;
  EXPECT_THROW(solve.report(), InternalError);

  solve.request.settings.objective = Objective::ram;
  solve.result.bounds = {.ram_lower_bound_bytes = 1100};
  EXPECT_EQ(solve.report().status, Status::feasible);
  solve.result.bounds = {.ram_lower_bound_bytes = 1101};
  EXPECT_EQ(solve.report().status, Status::optimal);
}

TEST(VerifyReport, TheBoundOfTheObjectiveIsBelowItsFigure) {
  ScheduleFile file = fastest();
  file.bounds.runtime_lower_bound_seconds = 16;
  EXPECT_THAT(verify_schedule_file(file),
              ElementsAre("the lower bound of 16 s is above the runtime of 15 s"));
  file.bounds.runtime_lower_bound_seconds = 14;
  EXPECT_THAT(verify_schedule_file(file),
              ElementsAre("status is optimal, but the least runtime is not proven within 0.0001"));
  file.status = Status::feasible;
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
  file.bounds = {.ram_lower_bound_bytes = 1102};
  EXPECT_THAT(verify_schedule_file(file),
              ElementsAre("the lower bound of 1102 bytes of RAM is above the peak of 1101 bytes"));
}

TEST(VerifyReport, GarbageIsReportedAndSurvived) {
  EXPECT_THAT(findings_after([](ScheduleFile& r) {
                r.schedule.stages[1].page_in = {-7, 1000};
              }),
              testing::Contains(HasSubstr("page_in lists -7")));
  EXPECT_THAT(verify_schedule_file(ScheduleFile{}), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace poet
