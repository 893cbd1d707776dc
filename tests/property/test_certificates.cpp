// Certificates against the oracle: at the optimum there is nearly always one, and the independent
// checker accepts it; just above the optimum there is none, and none that says that a problem with
// a schedule has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "poet/certify.hpp"
#include "poet/problem.hpp"
#include "support/cases.hpp"
#include "support/idle_problems.hpp"
#include "support/oracle.hpp"
#include "support/random_graphs.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"
#include "support/truth.hpp"
#include "support/wild_problems.hpp"

namespace poet::test {
namespace {

const CertifyOptions kBriefly{.time_limit_seconds = 10};

bool is_proven(const Certificate& certificate) {
  return certificate.status == Certificate::Status::proven;
}

/// What became of the certificates of many problems.
struct CertificateTally {
  int feasible = 0;
  int at_optimum = 0;  ///< certified
  int infeasible = 0;
  int none_certified = 0;
  int less = 0;  ///< certified, of a claim above the optimum
};

class Certificates : public testing::Test {
 protected:
  void expect_certificates(const CaseRange& range, const std::function<Problem(Random&)>& draw) {
    CertificateTally tally;
    for (int number = range.first; number < range.first + range.count; ++number) {
      SCOPED_TRACE(fmt::format("POET_SEED={} POET_CASES=1", number));
      Random random(number);
      const Problem problem = draw(random);
      const Truth truth(problem);
      if (truth.strict) {
        certify_feasible(problem, truth, number, tally);
      } else if (!truth.lenient) {
        certify_infeasible(problem, number, tally);
      }
      if (HasFailure()) return;
    }
    std::cout << fmt::format(
        "{} of {} optima certified, {} of {} infeasible problems, {} bounds of claims that are "
        "false\n",
        tally.at_optimum, tally.feasible, tally.none_certified, tally.infeasible, tally.less);
    expect_checked(tally.at_optimum + tally.none_certified + tally.less);
    if (range.count < 20) return;
    EXPECT_GT(tally.less, 0);
    EXPECT_GE(tally.at_optimum, tally.feasible * 9 / 10);
    EXPECT_GE(tally.none_certified, tally.infeasible / 2);
  }

 private:
  void certify_feasible(const Problem& problem, const Truth& truth, int number,
                        CertificateTally& tally) {
    ++tally.feasible;
    // A proof of either would be false.
    EXPECT_FALSE(is_proven(certify(problem, std::nullopt, kBriefly)));
    const Joules extra = *truth.strict - baseline(problem.graph).energy_joules;
    const Joules above = *truth.strict * (1 + 1e-9) + 1e-4 * std::max(0.0, extra);
    if (above > *truth.strict) certify_above(problem, above, *truth.strict, number, tally);
    // The tree of so high a claim has columns that no proof of the optimum has.
    const Joules far = *truth.strict + extra;
    if (far > above) certify_above(problem, far, *truth.strict, number, tally);
    const Joules optimum = truth.lenient.value_or(*truth.strict);
    const Certificate at =
        certify(problem, certifiable_claim(problem.graph, optimum, optimum), kBriefly);
    if (!is_proven(at)) return;
    ++tally.at_optimum;
    keep(at, fmt::format("{}", *truth.strict), std::to_string(number));
  }

  void certify_above(const Problem& problem, Joules above, Joules optimum, int number,
                     CertificateTally& tally) {
    const Certificate high = certify(problem, above, kBriefly);
    EXPECT_FALSE(is_proven(high)) << above << " J where the optimum is " << optimum;
    if (high.status != Certificate::Status::weaker) return;
    EXPECT_LE(high.claim_joules, optimum * (1 + 1e-12));
    ++tally.less;
    keep(high, fmt::format("{}", optimum), fmt::format("{}-less-{}", number, tally.less));
  }

  void certify_infeasible(const Problem& problem, int number, CertificateTally& tally) {
    ++tally.infeasible;
    const Certificate none = certify(problem, std::nullopt, kBriefly);
    if (!is_proven(none)) return;
    ++tally.none_certified;
    keep(none, "infeasible", std::to_string(number));
  }

  void keep(const Certificate& certificate, const std::string& optimum, const std::string& name) {
    folder_.write(name + ".optimum", optimum);
    folder_.write(name + ".proof", certificate.text);
  }

  /// One process of the checker for all of them.
  void expect_checked(int count) {
    const Finished run =
        run_program({.program = "python3",
                     .arguments = {POET_SOURCE_DIR "/tests/property/check_certificates.py",
                                   folder_.path(), std::to_string(count)}});
    EXPECT_EQ(run.status, 0) << run.err;
    std::cout << run.out;
  }

  TemporaryFolder folder_;
};

TEST_F(Certificates, ProveWhatTheOracleSays) {
  expect_certificates(wanted_cases(40), [](Random& random) {
    return wild_problem(random, 4 + random.below(5), Numbers::moderate);
  });
}

TEST_F(Certificates, ProveWhatTheOracleSaysOfGraphsThatAreNotPoets) {
  expect_certificates(wanted_cases(40), [](Random& random) {
    return random_exact_problem(random, 4 + random.below(4));
  });
}

// RAM that is held only to be written out, and recomputations that only free it.
TEST_F(Certificates, ProveOptimaThatNeedIdleRecomputations) {
  expect_certificates(wanted_cases(40), idle_problem);
}

}  // namespace
}  // namespace poet::test
