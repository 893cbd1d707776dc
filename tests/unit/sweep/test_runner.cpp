#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "expect_input_error.hpp"
#include "poet/min_ram.hpp"
#include "question/least_ram.hpp"
#include "support/tiny_sweep.hpp"
#include "sweep/child_tasks.hpp"

namespace poet {
namespace {

using test::point_of;
using testing::HasSubstr;

TEST(Workers, ReportACrashAndGoOn) {
  std::map<int, std::string> answers;
  std::map<int, std::string> failures;
  int next = 0;
  run_child_tasks<std::string>(
      2, {.next = [&]() -> std::optional<int> {
            if (next == 4) return std::nullopt;
            return next++;
          },
          .work = [](int task, const auto& progress) -> std::string {
            progress({.phase = "at work"});
            if (task == 1) ::raise(SIGKILL);
            if (task == 2) throw std::runtime_error("not today");
            return "answer " + std::to_string(task);
          },
          .answered = [&](int task, const std::string& answer) { answers[task] = answer; },
          .failed = [&](int task, const std::string& reason) { failures[task] = reason; }});
  EXPECT_EQ(answers, (std::map<int, std::string>{{0, "answer 0"}, {3, "answer 3"}}));
  EXPECT_THAT(failures.at(1), HasSubstr("killed by signal 9"));
  EXPECT_EQ(failures.at(2), "not today");
}

TEST(Workers, ThatCannotBeStartedFailTheirTasksOnly) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizers need descriptors of their own";
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  int started = 0;
  std::map<int, std::string> answers;
  std::map<int, std::string> failures;
  run_child_tasks<std::string>(
      1, {.next = [&]() -> std::optional<int> {
            // The first task finds no descriptor left.
            rlimit now = before;
            if (started == 0) now.rlim_cur = 0;
            ::setrlimit(RLIMIT_NOFILE, &now);
            return started < 2 ? std::optional(started++) : std::nullopt;
          },
          .work = [](int, const auto&) { return std::string("answer"); },
          .answered = [&](int task, const std::string& answer) { answers[task] = answer; },
          .failed = [&](int task, const std::string& reason) { failures[task] = reason; }});
  EXPECT_EQ(answers, (std::map<int, std::string>{{1, "answer"}}));
  EXPECT_THAT(failures.at(0), HasSubstr("cannot create a pipe"));
}

TEST(Workers, AreKilledByAnInterrupt) {
  bool interrupted = false;
  run_child_tasks<std::string>(1, {.next = [] { return std::optional(0); },
                                   .work = [](int, const auto& progress) -> std::string {
                                     progress({.phase = "at work"});
                                     ::pause();
                                     return {};
                                   },
                                   .progress = [&](int, const Progress&) { interrupted = true; },
                                   .answered = [](int, const std::string&) { FAIL(); },
                                   .failed = [](int, const std::string&) { FAIL(); },
                                   .interrupted = [&] { return interrupted; }});
  EXPECT_TRUE(interrupted);
}

SweepGrid hill_grid() {
  SweepGrid grid;
  grid.subjects.push_back(test::subject_of(test::hill_graph()));
  return grid;
}

std::vector<Joules> energies(const SweepOutcomes& outcomes) {
  std::vector<Joules> all;
  for (const auto& outcome : outcomes) all.push_back(outcome->result.energy_joules);
  return all;
}

TEST(RunSweep, SolvesEveryPointAndCallsEachFinishedOnce) {
  const SweepGrid grid = hill_grid();
  const std::vector<SweepPoint> points{point_of(119),
                                       point_of(120),
                                       point_of(209),
                                       point_of(210),
                                       point_of(120, 5),
                                       point_of(120, 10, kOnlyPaging),
                                       point_of(209, 10, kNoTechnique)};
  for (const int jobs : {1, 3}) {
    std::vector<int> finished;
    SweepOutcomes outcomes;
    SweepOptions options{.solve = {.settings = {.gap = 0}}, .jobs = jobs};
    options.finished = [&](int point, const SweepOutcome&) { finished.push_back(point); };
    EXPECT_TRUE(run_sweep(grid, points, options, outcomes));
    EXPECT_THAT(finished, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6));
    EXPECT_EQ(energies(outcomes), (std::vector<Joules>{0, 6, 6, 5, 9, 9, 0}));
    EXPECT_EQ(outcome_name(*outcomes[6]), "infeasible");
    EXPECT_EQ(outcomes[1]->origin_point, 2) << "the larger budget's optimum fits";
  }
}

TEST(RunSweep, IsNotCompleteAfterAnInterrupt) {
  // Not even one that comes between points which need no process of their own.
  const SweepGrid grid = hill_grid();
  int finished = 0;
  SweepOptions options;
  options.finished = [&](int, const SweepOutcome&) { ++finished; };
  options.interrupted = [&] { return finished == 2; };
  SweepOutcomes outcomes;
  EXPECT_FALSE(run_sweep(grid, {point_of(210), point_of(211), point_of(212)}, options, outcomes));
  EXPECT_EQ(finished, 2);
}

TEST(RunSweep, DoesNotSolveWhatIsKnown) {
  const SweepGrid grid = hill_grid();
  const std::vector<SweepPoint> points{point_of(120), point_of(209)};
  SweepOutcomes outcomes{std::nullopt, test::solved(test::hill_recomputed(), 6, 6)};
  SweepOptions options;
  options.started = [](int point) { FAIL() << point; };
  EXPECT_TRUE(run_sweep(grid, points, options, outcomes));
  EXPECT_EQ(outcomes[0]->origin_point, 1);
}

TEST(RunSweep, RefusesAKnownScheduleThatIsNotValid) {
  const SweepGrid grid = hill_grid();
  SweepOutcomes outcomes{test::solved(test::hill_recomputed(), 5, 5)};
  EXPECT_THAT(input_error([&] { run_sweep(grid, {point_of(120)}, {}, outcomes); }),
              HasSubstr("needs 6 J"));
}

TEST(RunSweep, AContradictionFailsItsPointAndTheOthersAreSolved) {
  const SweepGrid grid = hill_grid();
  SweepOutcomes outcomes{std::nullopt, test::infeasible(), std::nullopt,
                         test::solved(test::hill_recomputed(), 6, 6)};
  // The proof came before the schedule was known.
  const std::vector<SweepPoint> points{point_of(120, 6, kOnlyRemat), point_of(130, 6, kOnlyRemat),
                                       point_of(150, 5), point_of(140, 8)};
  EXPECT_TRUE(run_sweep(grid, points, {}, outcomes));
  EXPECT_THAT(outcomes[0]->failure,
              HasSubstr("point 1 is proven infeasible, but the schedule of point 3 fits"));
  EXPECT_EQ(outcomes[2]->result.energy_joules, 9);
}

TEST(RunSweep, RefusesKnownOutcomesThatContradictEachOther) {
  const SweepGrid grid = hill_grid();
  SweepOutcomes outcomes{test::solved(test::hill_recomputed(), 6, 6), test::infeasible()};
  EXPECT_THAT(internal_error([&] {
                run_sweep(grid, {point_of(120), point_of(150)}, {}, outcomes);
              }),
              HasSubstr("point 1 is proven infeasible, but the schedule of point 0"));
}

MinRam smallest(const Limits& limits, Bytes floor = 0,
                const std::vector<const Schedule*>& starts = {}) {
  return least_ram(test::subject_of(test::hill_graph()), limits,
                   {.settings = {.time_limit_seconds = 60}}, floor, starts);
}

TEST(MinRam, IsTheWorkingSetWhereAScheduleReachesIt) {
  const MinRam found = smallest(point_of(0, 6).limits);
  EXPECT_TRUE(found.exact());
  EXPECT_EQ(found.feasible_bytes, 120);
  EXPECT_TRUE(found.is_working_set);
  EXPECT_EQ(found.node, 4);
}

TEST(MinRam, IsTheBaselinesPeakWhereNothingIsAllowed) {
  const MinRam found = smallest(point_of(0, 6, kNoTechnique).limits);
  EXPECT_TRUE(found.exact());
  EXPECT_EQ(found.feasible_bytes, 210);
  EXPECT_FALSE(found.is_working_set);
  EXPECT_EQ(found.node, 2) << "the first computation at the peak";
}

TEST(MinRam, LiesInBetweenWhereTimeAllowsOnlySomeRecomputation) {
  // Five nodes take 5 s and recomputing a takes a second more: with less, a has to stay.
  const MinRam found = smallest(point_of(0, 5.5, kOnlyRemat).limits);
  EXPECT_TRUE(found.exact());
  EXPECT_EQ(found.feasible_bytes, 210);
}

TEST(MinRam, IsInfeasibleBelowTheTimeOfOnePass) {
  const MinRam found = smallest(point_of(0, 4).limits);
  EXPECT_TRUE(found.infeasible);
  EXPECT_THAT(found.reason, HasSubstr("runtime budget"));
}

TEST(MinRam, UsesWhatIsKnown) {
  const Schedule start = test::hill_recomputed();
  const MinRam found = smallest(point_of(0, 6).limits, 120, {&start});
  EXPECT_TRUE(found.exact());
  EXPECT_EQ(found.schedule, start);
}

TEST(MinRam, BelowWhatIsProvenToBeTheLeastIsAnErrorOfOurs) {
  const Schedule start = test::hill_recomputed();
  EXPECT_THAT(internal_error([&] { smallest(point_of(0, 6).limits, 130, {&start}); }),
              HasSubstr("no RAM budget below 130 bytes"));
  EXPECT_THAT(internal_error([&] { smallest(point_of(0, 6).limits, 220); }),
              HasSubstr("one of 210 bytes has been replayed"));
}

TEST(MinRamTasks, AreEveryCombinationAndTheLoosestDecideMin) {
  SweepGrid grid = hill_grid();
  grid.runtime = parse_runtime_budgets("1,2");
  grid.techniques = {kNoTechnique, kOnlyRemat, kOnlyPaging};
  EXPECT_EQ(min_ram_tasks(grid).size(), 6U);
  const auto loosest = loosest_tasks(grid);
  ASSERT_EQ(loosest.size(), 2U);
  EXPECT_EQ(loosest[0].limits.techniques, kOnlyRemat);
  EXPECT_DOUBLE_EQ(loosest[0].limits.runtime_budget_seconds, 10);
  EXPECT_EQ(loosest[1].limits.techniques, kOnlyPaging);

  MinRams found;
  EXPECT_TRUE(run_min_ram(grid, loosest, {.jobs = 2}, found));
  EXPECT_EQ(smallest_ram(grid, loosest, found), std::vector<Bytes>{120});
  found[0]->failure = "killed";
  EXPECT_THROW(smallest_ram(grid, loosest, found), InternalError);
}

}  // namespace
}  // namespace poet
