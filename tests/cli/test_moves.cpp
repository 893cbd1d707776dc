// What moving tensors about in RAM costs, and a schedule that needs fewer moves.
#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

const Words kMoved{"--model",          POET_TEST_DATA "/cases/moved_step.json",
                   "--platform",       POET_TEST_DATA "/cases/slow_ram.json",
                   "--paging-time",    "free",
                   "--ram-budget",     "90%",
                   "--runtime-budget", "2"};

double with_moves(const nlohmann::json& summary) {
  return summary.at("energy_joules").get<double>() + summary.value("moved_joules", 0.0);
}

TEST(Moves, ArePricedForMeasuredNodesAndLeaveTheBoundToTheBudgetAskedFor) {
  const Finished least = poet_solve(kMoved + Words{"--moves", "free"});
  const Finished fewer = poet_solve(kMoved);
  ASSERT_EQ(least.status, 0) << least.err;
  ASSERT_EQ(fewer.status, 0) << fewer.err;
  EXPECT_THAT(least.err, Not(HasSubstr("without moves: ")));
  EXPECT_THAT(fewer.err, HasSubstr("optimal without moves: 586.9 uJ"));
  EXPECT_THAT(fewer.err, HasSubstr("moves included"));
  const auto before = document(least);
  const auto after = document(fewer);
  EXPECT_EQ(before.at("status"), "optimal");
  EXPECT_EQ(after.at("status"), "feasible");
  EXPECT_LT(with_moves(after.at("summary")), with_moves(before.at("summary")));
  EXPECT_GT(after.at("summary").at("energy_joules"), before.at("summary").at("energy_joules"));
  EXPECT_EQ(after.at("summary").at("lower_bound_joules"),
            before.at("summary").at("lower_bound_joules"));
  EXPECT_EQ(after.at("request").at("ram_budget_bytes"),
            before.at("request").at("ram_budget_bytes"));
  EXPECT_EQ(poet_solve({"verify", "-"}, fewer.out).status, 0);
}

TEST(Moves, AreFreeOrPriced) {
  EXPECT_THAT(poet_solve(kMoved + Words{"--moves", "dear"}).err,
              HasSubstr("--moves: found 'dear'; expected free or priced"));
}

}  // namespace
}  // namespace poet::test
