// Problems, random and built-in, in the words of three solvers.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "golden/instance.hpp"
#include "poet/solve.hpp"
#include "support/cases.hpp"
#include "support/other_solvers.hpp"
#include "support/temporary_folder.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

constexpr double kTolerance = 1e-6;  // of the energy; theirs are absolute and documented as 1e-7
constexpr Seconds kTheirLimit = 1;   // POET_SECONDS for another

Seconds their_limit() {
  const char* const text = std::getenv("POET_SECONDS");
  return text == nullptr ? kTheirLimit : std::strtod(text, nullptr);
}

struct Named {
  std::string name;
  Problem problem;
};

std::vector<Named> built_in_problems() {
  std::vector<Named> all;
  for (const char* platform : {"m0", "m4", "a72", "jetsontx2"}) {
    for (const Bytes ram : {3256, 4000, 6000}) {
      all.push_back(
          {fmt::format("linear on {} in {}", platform, ram), instance("linear", platform, ram, 2)});
    }
  }
  all.push_back({"transformer on a72", instance("transformer", "a72", 40'000'000, 1.5)});
  return all;
}

std::vector<Named> problems() {
  std::vector<Named> all = built_in_problems();
  const CaseRange range = wanted_cases(15);
  for (int number = range.first; number < range.first + range.count; ++number) {
    Random random(number);
    all.push_back({fmt::format("case {}", number),
                   wild_problem(random, 8 + random.below(9), Numbers::moderate)});
  }
  return all;
}

/// What two solvers cannot both be right about.
std::string contradiction(const SolveResult& ours, const OtherAnswer& theirs) {
  using Status = OtherAnswer::Status;
  const bool they_have_one = !std::isnan(theirs.energy_joules);
  if (ours.status == poet::Status::infeasible) {
    return they_have_one || theirs.status == Status::optimal ? "infeasible, and a solution" : "";
  }
  if (theirs.status == Status::infeasible) return ours.schedule ? "a schedule, and infeasible" : "";
  const double slack = kTolerance * ours.energy_joules;
  if (they_have_one && theirs.energy_joules < ours.lower_bound_joules - slack) {
    return fmt::format("bound {:.12g} J, and {:.12g} J", ours.lower_bound_joules,
                       theirs.energy_joules);
  }
  if (theirs.status == Status::optimal && theirs.energy_joules > ours.energy_joules + slack) {
    return fmt::format("{:.12g} J, and a proven optimum of {:.12g} J", ours.energy_joules,
                       theirs.energy_joules);
  }
  return {};
}

class OtherSolvers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (Named& named : problems()) {
      results_.push_back(solve(named.problem, {.settings = {.gap = 0, .time_limit_seconds = 20}}));
      all_.push_back(std::move(named));
    }
  }

  std::string file(std::size_t index, const std::string& ending) const {
    const std::string path = folder_.file(fmt::format("model{}{}", index, ending));
    export_milp(all_[index].problem, path);
    return path;
  }

  void expect_agreement(const std::vector<OtherAnswer>& answers, const char* who) const {
    int settled = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      EXPECT_EQ(contradiction(results_[i], answers[i]), "") << all_[i].name << ", " << who;
      settled += answers[i].status != OtherAnswer::Status::stopped ? 1 : 0;
    }
    std::cout << fmt::format("{} problems, {} of them settled by {}\n", all_.size(), settled, who);
    EXPECT_GE(settled, static_cast<int>(all_.size()) / 2);
  }

  TemporaryFolder folder_;
  static inline std::vector<Named> all_;
  static inline std::vector<SolveResult> results_;
};

TEST_F(OtherSolvers, GlpsolDoesNotContradict) {
  if (!has_glpsol()) GTEST_SKIP() << "no glpsol (Debian: glpk-utils)";
  std::vector<OtherAnswer> answers;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    answers.push_back(ask_glpsol(file(i, ".mps"), their_limit()));
  }
  expect_agreement(answers, "glpsol");
}

TEST_F(OtherSolvers, HighsDoesNotContradict) {
  if (!has_highs()) GTEST_SKIP() << "no HiGHS; scripts/install-highs puts it there";
  std::vector<std::string> files;
  for (std::size_t i = 0; i < all_.size(); ++i) files.push_back(file(i, ".lp"));
  expect_agreement(ask_highs(files, their_limit()), "HiGHS");
}

}  // namespace
}  // namespace poet::test
