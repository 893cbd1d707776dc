// What branching on counts counts as work, and where it ends.
#include "solver/relaxation/count_branching.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/process/child.hpp"
#include "solver/formulation/formulate.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

constexpr Bytes kTensor = 1000;

Improvement nothing(const std::vector<double>& /*values*/, double /*bound*/,
                    std::int64_t /*most_work*/) {
  return {};
}

/// Branches on the counts of a chain, as far as so much work goes.
class Search {
 public:
  Search() {
    problem_.limits.ram_budget_bytes = 5 * kTensor + kTensor / 2;
    model_.emplace(formulate(problem_, useful_windows(problem_, false, kInfinity)));
    scaled_ = scale(model_->milp, baseline(problem_.graph).energy_joules);
    counts_ = make_counts(*model_, problem_.graph, scaled_);
    // A ceiling so high that no branch can matter, and one some way above the root's bound.
    ceiling_ = 1e9;
    const double bound = run(kNoLimit, nothing).bound;
    ceiling_ = 1.6 * bound;
  }

  std::int64_t round() const { return static_cast<std::int64_t>(scaled_.milp.nonzeros()); }

  template <typename Improve>
  CountBranchingResult run(std::int64_t most_work, Improve improve) const {
    CountBranchingOptions options{
        .features = no_features(), .processes = 2, .most_work = most_work};
    options.ceiling = [this] { return ceiling_; };
    options.improve = improve;
    options.improved = [](const Schedule&) {};
    options.progress = [](double, std::int64_t) { return true; };
    CountBranchingResult result =
        run_count_branching(*model_, problem_.graph, scaled_, counts_, options);
    EXPECT_EQ(result.status, CountBranchingResult::Status::searched);
    return result;
  }

 private:
  Problem problem_ = test::chain_problem(8, kTensor);
  std::optional<Formulation> model_;
  ScaledMilp scaled_;
  std::vector<Count> counts_;
  double ceiling_ = 0;
};

TEST(CountBranching, KeepsAnyLimitOfWork) {
  const Search search;
  const CountBranchingResult all = search.run(kNoLimit, nothing);
  ASSERT_GT(all.nodes, 10);
  for (const int part : {10, 5, 2}) {
    const std::int64_t most = all.work / part;
    const CountBranchingResult limited = search.run(most, nothing);
    EXPECT_LT(limited.nodes, all.nodes);
    // A task that is short of work ends after the round in which it notices.
    EXPECT_LE(limited.work, most + search.round());
    EXPECT_FALSE(limited.subproblems.empty());
  }
}

TEST(CountBranching, CountsPolishing) {
  const Search search;
  const CountBranchingResult all = search.run(kNoLimit, nothing);
  const auto polish = [&](const std::vector<double>&, double, std::int64_t) {
    return Improvement{.work = all.work};
  };
  EXPECT_GE(search.run(kNoLimit, polish).work, 2 * all.work);
}

TEST(CountBranching, LetsPolishingDoItsShareOnly) {
  const Search search;
  const std::int64_t most = search.run(kNoLimit, nothing).work / 2;
  const auto polish = [](const std::vector<double>&, double, std::int64_t share) {
    return Improvement{.work = share};
  };
  const CountBranchingResult result = search.run(most, polish);
  EXPECT_LE(result.work, most + search.round());
}

TEST(CountBranching, CountsAProcessThatFailsAsItsShare) {
  const Search search;
  const CountBranchingResult all = search.run(kNoLimit, nothing);
  const std::int64_t most = 10 * all.work;
  const auto polish = [](const std::vector<double>&, double, std::int64_t) {
    ::raise(SIGKILL);
    return Improvement{};
  };
  EXPECT_GT(search.run(most, polish).work, all.work + all.work / 2);
}

TEST(CountBranching, RefusesRangesOfCountsThatDoNotExist) {
  const auto result_about = [](int count) {
    return CountBranchingResult{.subproblems = {{.ranges = {{.count = count}}}}};
  };
  EXPECT_NO_THROW(check_ranges(result_about(0), 3));
  EXPECT_NO_THROW(check_ranges(result_about(2), 3));
  EXPECT_THROW(check_ranges(result_about(3), 3), MalformedMessage);
  EXPECT_THROW(check_ranges(result_about(-1), 3), MalformedMessage);
}

}  // namespace
}  // namespace poet
