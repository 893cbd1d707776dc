// The simulator against a checker written by others, in thousands of schedules.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mutations.hpp"
#include "poet/schedule_file.hpp"
#include "report/summary.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/run_program.hpp"

namespace poet::test {
namespace {

constexpr std::uint64_t kSeed = 20220716;

/// A schedule file that says of itself what the replay says of it, on one line.
std::string document_of(const Case& made) {
  const Replay replay = simulate(made.graph, made.schedule, made.limits);
  ScheduleFile report;
  report.status = Status::feasible;
  report.request = make_request(made.limits, Ratio{}, {}, {});
  report.summary = summarise(made.graph, replay, made.limits.ram_budget_bytes, 0);
  report.graph = made.graph;
  report.schedule = made.schedule;
  if (schedule_version(report) > 1) add_exact_figures(report.summary, made.graph, replay);
  report.stage_peak_ram_bytes = replay.stage_peak_ram_bytes;
  return to_json(report, true);
}

bool simulator_accepts(const Case& made) {
  return simulate(made.graph, made.schedule, made.limits).valid();
}

/// The other checker takes a page-in whose tensor the next stage does not hold for a waste; for us
/// it breaks rule 4.
bool pages_in_and_lets_go(const Schedule& schedule) {
  for (std::size_t t = 0; t < schedule.stages.size(); ++t) {
    for (const int node : schedule.stages[t].page_in) {
      if (t + 1 == schedule.stages.size()) return true;
      const std::vector<int>& next = schedule.stages[t + 1].resident;
      if (std::find(next.begin(), next.end(), node) == next.end()) return true;
    }
  }
  return false;
}

/// The checker is a Python file that POET_CHECKER names.
class IndependentChecker : public testing::Test {
 protected:
  void SetUp() override {
    const char* const named = std::getenv("POET_CHECKER");
    if (named == nullptr) GTEST_SKIP() << "POET_CHECKER names no checker";
    checker_ = named;
    ASSERT_TRUE(std::filesystem::exists(checker_)) << checker_;
  }

  /// Its verdicts on the cases, in order.
  std::vector<bool> verdicts(const std::vector<Case>& cases) const {
    std::string documents;
    for (const Case& made : cases) documents += document_of(made);
    const Finished run =
        run_program({.program = "python3",
                     .arguments = {POET_SOURCE_DIR "/tests/property/check_many.py", checker_},
                     .stdin_text = documents});
    EXPECT_EQ(run.status, 0) << run.err;
    std::vector<bool> accepted;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) accepted.push_back(line == "valid");
    EXPECT_EQ(accepted.size(), cases.size());
    accepted.resize(cases.size());
    return accepted;
  }

  void compare_after_edits(Case (*draw_case)(Twister&), std::size_t count) const;

 private:
  std::string checker_;
};

TEST_F(IndependentChecker, AcceptsWhatTheSimulatorAccepts) {
  Twister random(kSeed);
  std::vector<Case> cases(2500);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i] = i < 500 ? random_case(random) : random_exact_case(random);
  }
  const std::vector<bool> accepted = verdicts(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_TRUE(accepted[i]) << "case " << i;
}

TEST_F(IndependentChecker, RejectsWhatTheSimulatorRejects) {
  Twister random(kSeed);
  std::vector<Case> cases;
  std::vector<std::string> names;
  for (const Mutation& mutation : stage_mutations()) {
    if (!mutation.known_to_checker) continue;
    for (int i = 0; i < 30; ++i) {
      const auto corrupted = corrupt(random, mutation);
      ASSERT_TRUE(corrupted) << mutation.name;
      const ScheduleFile& file = corrupted->file;
      cases.push_back({file.graph, file.schedule, file.request.limits});
      names.push_back(fmt::format("{} {}", mutation.name, i));
    }
  }
  const std::vector<bool> accepted = verdicts(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_FALSE(accepted[i]) << names[i];
}

/// Compares the verdicts on random schedules with one to three random edits.
void IndependentChecker::compare_after_edits(Case (*draw_case)(Twister&), std::size_t count) const {
  Twister random(kSeed);
  std::vector<Case> cases;
  while (cases.size() < count) {
    Case made = draw_case(random);
    // With room to spare, or nearly every edit that adds something breaks rule 5.
    made.limits.ram_budget_bytes += draw(random, 0, 1000);
    made.limits.runtime_budget_seconds *= 1.5;
    for (int edits = chance(random, 70) ? 1 : draw(random, 2, 3); edits > 0; --edits) {
      edit(random, made.schedule);
    }
    if (!pages_in_and_lets_go(made.schedule)) cases.push_back(std::move(made));
  }
  const std::vector<bool> accepted = verdicts(cases);
  const auto valid = std::count(accepted.begin(), accepted.end(), true);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(accepted[i], simulator_accepts(cases[i])) << "case " << i;
  }
  std::cout << fmt::format("{} schedules, {} of them valid\n", cases.size(), valid);
  EXPECT_GT(valid, 100);
  EXPECT_LT(valid, static_cast<std::ptrdiff_t>(count) - 100);
}

TEST_F(IndependentChecker, GivesTheSameVerdictOnSchedulesWithOneToThreeRandomEdits) {
  compare_after_edits(random_case, 2000);
}

TEST_F(IndependentChecker, GivesTheSameVerdictOnEditedSchedulesOfGraphsBeyondPoets) {
  compare_after_edits(random_exact_case, 5000);
}

}  // namespace
}  // namespace poet::test
