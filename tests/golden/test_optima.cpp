// The optima of small instances, proven by a second solver with a second formulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "golden/instance.hpp"
#include "golden/reference.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"

namespace poet {

/// One row of optima.json.
struct Optimum {
  std::string model;
  std::string platform;
  Bytes ram_budget_bytes = 0;
  double runtime_budget_ratio = 0;
  bool paging = true;
  bool remat = true;
  std::string status;
  Joules energy_joules = 0;  ///< of an optimal row

  std::string name() const {
    const char* const techniques = paging && remat ? "both" : paging ? "paging" : "remat";
    std::string text = fmt::format("{}_{}_{}_{}_{}", model, platform, ram_budget_bytes,
                                   runtime_budget_ratio, techniques);
    std::replace(text.begin(), text.end(), '.', '_');
    return text;
  }
};

void PrintTo(const Optimum& row, std::ostream* out) {
  *out << row.name();
}

namespace {

constexpr double kRelativeTolerance = 1e-6;
constexpr Seconds kTimeLimit = 20;

std::vector<Optimum> rows() {
  std::vector<Optimum> all;
  const nlohmann::json file = reference("optima.json");
  for (const auto& row : file.at("optima")) {
    const auto& energy = row.at("energy_joules");
    all.push_back({.model = row.at("model"),
                   .platform = row.at("platform"),
                   .ram_budget_bytes = row.at("ram_budget_bytes"),
                   .runtime_budget_ratio = row.at("runtime_budget_ratio"),
                   .paging = row.at("paging"),
                   .remat = row.at("remat"),
                   .status = row.at("status"),
                   .energy_joules = energy.is_null() ? 0 : energy.get<double>()});
  }
  return all;
}

Problem problem_of(const Optimum& row) {
  Problem problem =
      instance(row.model, row.platform, row.ram_budget_bytes, row.runtime_budget_ratio);
  problem.limits.techniques.paging = row.paging;
  problem.limits.techniques.remat = row.remat;
  return problem;
}

/// The rows of `transformer` at 31457279 bytes say `optimal`, yet one node with its inputs needs
/// 31457280 bytes, so rule 5 leaves no schedule. The second solver allows a row to be overrun by
/// a tolerance, and a single byte in 31457280 is within it.
bool needs_one_byte_more(const Optimum& row) {
  return row.model == "transformer" && row.ram_budget_bytes == 31457279;
}

class Optima : public testing::TestWithParam<Optimum> {};

TEST_P(Optima, AreFoundAndProvenExactly) {
  const Optimum& row = GetParam();
  const Problem problem = problem_of(row);
  const SolveResult result =
      solve(problem, {.settings = {.gap = 0, .time_limit_seconds = kTimeLimit}});
  EXPECT_LE(result.statistics.wall_seconds, kTimeLimit);
  if (needs_one_byte_more(row)) {
    ASSERT_EQ(row.status, "optimal") << "the exception is not needed any more";
    ASSERT_EQ(working_set(problem.graph).bytes, row.ram_budget_bytes + 1);
    EXPECT_EQ(result.status, Status::infeasible);
    return;
  }
  ASSERT_EQ(status_name(result.status), row.status) << result.reason;
  ASSERT_EQ(result.schedule.has_value(), row.status == "optimal");
  if (!result.schedule) return;
  const double tolerance = kRelativeTolerance * row.energy_joules;
  EXPECT_NEAR(result.energy_joules, row.energy_joules, tolerance);
  EXPECT_NEAR(result.lower_bound_joules, row.energy_joules, tolerance);
  const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
  EXPECT_TRUE(replay.valid()) << replay.violations.front().message;
  EXPECT_NEAR(replay.energy_joules, row.energy_joules, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Reference, Optima, testing::ValuesIn(rows()),
                         [](const auto& test) { return test.param.name(); });

TEST(OptimaFile, HoldsEveryRowAndSixThatNeedOneByteMore) {
  const std::vector<Optimum> all = rows();
  EXPECT_EQ(all.size(), 76U);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), needs_one_byte_more), 6);
}

}  // namespace
}  // namespace poet
