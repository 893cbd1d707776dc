// Sweeps over models whose nodes may be in other orders, as a user runs them.
#include "cli/sweep_files.hpp"
#include "support/two_orders.hpp"

namespace poet::test {
namespace {

using testing::Each;

class SweepOrders : public testing::Test {
 protected:
  SweepOrders() {
    folder_.write("two.json", two_orders_text());
    folder_.write("early.json", R"(["a", "b", "e", "c", "d", "f"])");
  }

  Finished run(const Words& words) const {
    Command command = poet_solve_command(words);
    command.directory = folder_.path();
    return run_program(command);
  }

  /// Five budgets, in each of which the given order needs 7 J, and the early one 6 J.
  Words grid(const Words& more) const {
    return Words{"sweep",      "--models",         "two.json", "--ram-budget",
                 "120..200:5", "--runtime-budget", "2"} +
           more;
  }

  TemporaryFolder folder_;
};

std::vector<double> energies(const Lines& lines) {
  std::vector<double> all;
  for (const auto& line : lines) all.push_back(line.at("energy_joules"));
  return all;
}

TEST_F(SweepOrders, ASearchFindsTheOrderAndEveryRowSaysWhich) {
  const Finished given = run(grid({"--output", "given.jsonl"}));
  ASSERT_EQ(given.status, 0) << given.err;
  const Lines before = lines_of(folder_.file("given.jsonl"));
  EXPECT_THAT(energies(before), Each(7));
  EXPECT_THAT(contents_of(folder_.file("given.jsonl")), Not(HasSubstr("order_sha256")));

  const Finished found =
      run(grid({"--order", "search", "--schedules", "runs", "--output", "found.jsonl"}));
  ASSERT_EQ(found.status, 0) << found.err;
  const Lines after = lines_of(folder_.file("found.jsonl"));
  EXPECT_THAT(energies(after), Each(6));
  for (const auto& line : after) {
    EXPECT_EQ(line.at("status"), "optimal");
    EXPECT_EQ(line.at("graph_sha256"), before[0].at("graph_sha256"));
    EXPECT_EQ(line.at("order_sha256").get<std::string>().size(), 64U);
    EXPECT_EQ(line.at("runtime_budget_ratio"), 2);
  }
  const Finished verified = run({"verify", "found.jsonl"});
  EXPECT_EQ(verified.status, 0) << verified.err;

  const Finished compared = run({"compare", "given.jsonl", "found.jsonl"});
  EXPECT_EQ(compared.status, 0);
  EXPECT_THAT(compared.err, HasSubstr("7 J -> 6 J (-14.2857 %); other order of the nodes"));
}

TEST_F(SweepOrders, ThatAreStatedHoldForEveryModelOrAreRefused) {
  const Finished stated = run(grid({"--order", "early.json"}));
  ASSERT_EQ(stated.status, 0) << stated.err;
  const Lines lines = as_lines(stated.out);
  EXPECT_THAT(energies(lines), Each(6));
  EXPECT_EQ(lines[0].at("baseline_peak_ram_bytes"), 120) << "of the row's order";
  EXPECT_EQ(lines[0].at("order_sha256"), lines[4].at("order_sha256"));

  const Finished shares = run({"sweep", "--models", "two.json", "--ram-budget", "100%",
                               "--runtime-budget", "2", "--order", "early.json"});
  EXPECT_EQ(as_lines(shares.out)[0].at("ram_budget_bytes"), 210) << "of the given order";

  folder_.write("wrong.json", "[1, 0, 4, 2, 3, 5]");
  const Finished wrong = run(grid({"--order", "wrong.json"}));
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--order: two: wrong.json"));
}

TEST_F(SweepOrders, AreThoseOfTheSweepThatGoesOn) {
  ASSERT_EQ(run(grid({"--schedules", "runs", "--output", "c.jsonl"})).status, 0);
  for (const std::string other : {"search", "early.json"}) {
    const Finished resumed = run(grid({"--resume", "c.jsonl", "--gap", "0", "--order", other}));
    EXPECT_EQ(resumed.status, 2) << other;
    EXPECT_THAT(resumed.err, HasSubstr("'c.jsonl.request' belongs to another sweep: order: found"));
  }
  ASSERT_EQ(run(grid({"--order", "search", "--schedules", "s", "--output", "s.jsonl"})).status, 0);
  const Lines before = lines_of(folder_.file("s.jsonl"));
  const Finished again = run({"sweep", "--resume", "s.jsonl", "--gap", "0"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(energies(lines_of(folder_.file("s.jsonl"))), energies(before));
}

TEST_F(SweepOrders, OfSingleSolvesAreCollectedByASearchAlone) {
  const Finished printed = run(grid({"--order", "search", "--schedules", "runs", "--dry-run"}));
  ASSERT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, HasSubstr(" --order search "));
  EXPECT_THAT(run(grid({"--order", "early.json", "--schedules", "r", "--dry-run"})).out,
              HasSubstr(" --order early.json "));
  EXPECT_THAT(run(grid({"--schedules", "r", "--dry-run"})).out, Not(HasSubstr("--order")));

  ASSERT_EQ(run(grid({"--order", "search", "--schedules", "runs", "--output", "s.jsonl"})).status,
            0);
  const Finished collected = run(grid({"--order", "search", "--collect", "runs"}));
  EXPECT_EQ(collected.status, 0) << collected.err;
  EXPECT_THAT(energies(as_lines(collected.out)), Each(6));
  const Finished refused = run(grid({"--collect", "runs"}));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("its nodes are in another order than --order given has them; "
                                     "--order search takes schedules in any order"));

  // The reverse: schedules in the given order, whose bounds of 7 J are above 6 J.
  ASSERT_EQ(run(grid({"--schedules", "mixed", "--output", "g.jsonl"})).status, 0);
  folder_.write("mixed/0004-two-both-2x-200.json",
                contents_of(folder_.file("runs/0004-two-both-2x-200.json")));
  folder_.write("mixed/0002-two-both-2x-160.json",
                contents_of(folder_.file("runs/0002-two-both-2x-160.json")));
  const Finished mixed = run(grid({"--order", "search", "--collect", "mixed"}));
  EXPECT_EQ(mixed.status, 0) << mixed.err;
  EXPECT_EQ(energies(as_lines(mixed.out)), (std::vector<double>{7, 7, 6, 6, 6}));
}

TEST_F(SweepOrders, AreSearchedForTheSmallestBudget) {
  const Words asked{"sweep", "--models",     "two.json", "--min-ram", "--runtime-budget",
                    "1",     "--techniques", "none"};
  EXPECT_EQ(as_lines(run(asked).out)[0].at("smallest_ram_bytes"), 210);
  const Finished found = run(asked + Words{"--order", "search"});
  const auto line = as_lines(found.out).at(0);
  EXPECT_EQ(line.at("feasible_ram_bytes"), 120);
  EXPECT_EQ(line.at("infeasible_below_bytes"), 110) << "what a computation needs by itself";
  EXPECT_TRUE(line.contains("order_sha256"));
  EXPECT_EQ(found.status, 4) << "not all orders were tried";
}

}  // namespace
}  // namespace poet::test
