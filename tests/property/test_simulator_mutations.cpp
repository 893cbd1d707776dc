#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mutations.hpp"
#include "poet/report.hpp"
#include "schedule/summary.hpp"
#include "support/program_interpreter.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {
namespace {

constexpr int kCasesPerMutation = 300;
constexpr int kTriesPerCase = 500;  ///< until a schedule offers an occasion for the mutation

/// POET_SEED repeats a run; every failure names the seed that was in use.
std::uint64_t seed() {
  const char* const text = std::getenv("POET_SEED");
  return text == nullptr ? 20220716 : std::strtoull(text, nullptr, 10);
}

std::string first_message(const Replay& replay) {
  return replay.valid() ? "no violation" : replay.violations.front().message;
}

bool reports(const Replay& replay, const Expected& expected) {
  return std::any_of(replay.violations.begin(), replay.violations.end(),
                     [&](const Violation& violation) {
                       return violation.rule == expected.rule && violation.stage == expected.stage;
                     });
}

TEST(RandomSchedules, AreValidWithinTheirTightestLimitsAndRunAsPrograms) {
  Random random(seed());
  for (int i = 0; i < 3000; ++i) {
    const Case made = random_case(random);
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    ASSERT_TRUE(replay.valid()) << "seed " << seed() << ", case " << i << ": "
                                << first_message(replay);
    const Execution run = execute(made.graph, to_program(made.graph, made.schedule));
    ASSERT_EQ(run.fault, "") << "seed " << seed() << ", case " << i;
    ASSERT_EQ(run.energy_joules, replay.energy_joules) << "seed " << seed() << ", case " << i;
    ASSERT_EQ(run.peak_ram_bytes, replay.peak_ram_bytes) << "seed " << seed() << ", case " << i;
    ASSERT_EQ(run.tensors_left, 0U) << "seed " << seed() << ", case " << i;
  }
}

TEST(RandomSchedules, UseEveryTechnique) {
  Random random(seed());
  int recomputed = 0;
  int paged_in = 0;
  for (int i = 0; i < 200; ++i) {
    const Case made = random_case(random);
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    recomputed += replay.recompute_count > 0 ? 1 : 0;
    paged_in += replay.page_in_count > 0 ? 1 : 0;
  }
  EXPECT_GT(recomputed, 50);
  EXPECT_GT(paged_in, 20);
}

TEST(RandomSchedules, TimelinesReachThePeakOfEachStageThatComputesAboveItsStart) {
  Random random(seed());
  for (int i = 0; i < 500; ++i) {
    const Case made = random_case(random);
    std::vector<Bytes> peaks(made.graph.nodes.size(), 0);
    for (const RamSample& sample : ram_timeline(made.graph, made.schedule)) {
      peaks[sample.stage] = std::max(peaks[sample.stage], sample.ram_bytes);
    }
    // The first computation adds to what is resident, so no stage peaks at its start.
    ASSERT_EQ(peaks, simulate(made.graph, made.schedule, made.limits).stage_peak_ram_bytes)
        << "seed " << seed() << ", case " << i;
  }
}

/// A corrupted case, and what must be found in it.
struct Corrupted {
  Case made;
  Expected expected;
};

std::optional<Corrupted> corrupt(Random& random, const Mutation& mutation) {
  for (int tried = 0; tried < kTriesPerCase; ++tried) {
    Case made = random_case(random);
    if (const auto expected = mutation.apply(random, made)) return Corrupted{made, *expected};
  }
  return {};
}

class SimulatorMutations : public testing::TestWithParam<Mutation> {};

TEST_P(SimulatorMutations, EveryOneIsRejectedByTheRightRuleAtTheRightStage) {
  Random random(seed());
  for (int i = 0; i < kCasesPerMutation; ++i) {
    const auto corrupted = corrupt(random, GetParam());
    ASSERT_TRUE(corrupted) << "no schedule offers an occasion; seed " << seed();
    const auto& [made, expected] = *corrupted;
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    ASSERT_TRUE(reports(replay, expected))
        << "seed " << seed() << ", case " << i << ": expected " << rule_name(expected.rule)
        << " in stage " << expected.stage << ", found first: " << first_message(replay);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, SimulatorMutations, testing::ValuesIn(mutations()),
                         [](const testing::TestParamInfo<Mutation>& test) {
                           return std::string(test.param.name);
                         });

/// A schedule file that says of itself what the replay says of it.
std::string file_of(const Case& made) {
  const Replay replay = simulate(made.graph, made.schedule, made.limits);
  Report report;
  report.status = Status::feasible;
  report.request = {.ram_budget_bytes = made.limits.ram_budget_bytes,
                    .runtime_budget_seconds = made.limits.runtime_budget_seconds,
                    .paging = made.limits.paging,
                    .remat = made.limits.remat};
  report.summary = summarise(made.graph, replay, made.limits.ram_budget_bytes, 0);
  report.graph = made.graph;
  report.schedule = made.schedule;
  report.stage_peak_ram_bytes = replay.stage_peak_ram_bytes;
  return to_json(report);
}

/// The independent checker, run by python3: POET_CHECKER, or else the one that the build knows.
/// Nothing where either is missing.
std::optional<std::string> checker_command() {
  const char* const named = std::getenv("POET_CHECKER");
  const std::string checker = named == nullptr ? POET_DEFAULT_CHECKER : named;
  if (!std::filesystem::exists(checker)) return {};
  if (std::system("python3 --version > /dev/null 2>&1") != 0) return {};
  return "python3 '" + checker + "' --quiet '";
}

class IndependentChecker : public testing::Test {
 protected:
  void SetUp() override {
    command_ = checker_command();
    if (!command_) GTEST_SKIP() << "no checker (POET_CHECKER names one), or no python3";
  }

  bool accepts(const Case& made) const {
    const std::string path = testing::TempDir() + "poet_checker_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             ".json";
    std::ofstream(path) << file_of(made);
    const int status = std::system((*command_ + path + "' > /dev/null").c_str());
    std::filesystem::remove(path);
    return status == 0;
  }

 private:
  std::optional<std::string> command_;
};

TEST_F(IndependentChecker, AcceptsWhatTheSimulatorAccepts) {
  Random random(seed());
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(accepts(random_case(random))) << "seed " << seed() << ", case " << i;
  }
}

TEST_F(IndependentChecker, RejectsWhatTheSimulatorRejects) {
  Random random(seed());
  for (const Mutation& mutation : mutations()) {
    if (!mutation.known_to_checker) continue;
    for (int i = 0; i < 4; ++i) {
      const auto corrupted = corrupt(random, mutation);
      ASSERT_TRUE(corrupted) << mutation.name << ", seed " << seed();
      ASSERT_FALSE(accepts(corrupted->made)) << mutation.name << ", seed " << seed();
    }
  }
}

}  // namespace
}  // namespace poet::test
