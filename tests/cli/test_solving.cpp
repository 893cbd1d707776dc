#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

TEST(Solving, WritesOneScheduleDocumentToStdoutAndTheRestToStderr) {
  const Finished run = poet_solve(quick_problem());
  EXPECT_EQ(run.status, 0);
  const auto file = document(run);
  EXPECT_EQ(file.at("code"), 0);
  EXPECT_EQ(file.at("status"), "optimal");
  EXPECT_EQ(file.at("stages").size(), file.at("nodes").size());
  EXPECT_LE(file.at("summary").at("peak_ram_bytes"), 3500);
  EXPECT_THAT(run.err, HasSubstr("optimal"));
}

TEST(Solving, EndsWithThreeAndTheReasonWhereABudgetIsBelowTheWorkingSet) {
  const Finished run = poet_solve(problem("linear", "m4", "3255", "2"));
  EXPECT_EQ(run.status, 3);
  const auto file = document(run);
  expect_error_document(file, 3);
  EXPECT_EQ(file.at("status"), "infeasible");
  EXPECT_THAT(file.at("error").get<std::string>(), HasSubstr("3256"));
}

TEST(Solving, EndsWithThreeWhereBothTechniquesAreOffAndTheBudgetIsShort) {
  const Finished run = poet_solve(quick_problem() + Words{"--no-paging", "--no-remat"});
  EXPECT_EQ(run.status, 3);
  const auto file = document(run);
  expect_error_document(file, 3);
  EXPECT_THAT(file.at("error").get<std::string>(), HasSubstr("neither paging nor remat"));
  EXPECT_THAT(file.at("error").get<std::string>(), HasSubstr("7416"));
}

TEST(Solving, WithoutPagingOnlyRecomputes) {
  const auto file =
      document(poet_solve(problem("linear", "m0", "3256", "2") + Words{"--no-paging"}));
  EXPECT_EQ(file.at("request").at("paging"), false);
  EXPECT_EQ(file.at("summary").at("page_out_count"), 0);
  EXPECT_GT(file.at("summary").at("recompute_count"), 0);
}

TEST(Solving, WithoutRematOnlyPages) {
  const auto file =
      document(poet_solve(problem("linear", "m0", "3256", "2") + Words{"--no-remat"}));
  EXPECT_EQ(file.at("request").at("remat"), false);
  EXPECT_EQ(file.at("summary").at("recompute_count"), 0);
  EXPECT_GT(file.at("summary").at("page_in_count"), 0);
}

/// On a small graph the proof costs no more than the search for a good schedule.
TEST(Solving, WithEffortFastProvesASmallGraph) {
  const Words words = problem("linear", "m4", "60%", "1.05") + Words{"--no-remat"};
  const auto proven = document(poet_solve(words));
  const auto fast = document(poet_solve(words + Words{"--effort", "fast"}));
  EXPECT_EQ(fast.at("status"), "optimal");
  EXPECT_EQ(fast.at("summary").at("energy_joules"), proven.at("summary").at("energy_joules"));
}

TEST(Solving, SaysWhatIsOpenAndWhatItWaitsForIfVerbose) {
  const Words words = problem("resnet18_cifar", "m4", "440000", "3") + Words{"--time-limit-s", "3"};
  const Finished verbose = poet_solve(words + Words{"-v"});
  EXPECT_THAT(verbose.err, HasSubstr("open: "));
  EXPECT_THAT(verbose.err, HasSubstr(" % of the energy, 0.01 % asked; waits for cheaper "));
  EXPECT_THAT(verbose.err, HasSubstr("waits for the model without forward stages"));
  EXPECT_THAT(poet_solve(words).err, testing::Not(HasSubstr("waits for")));
}

/// The best schedule known costs 0.7443 J. The local search alone ends 14 % above it; what
/// --effort fast does besides must not depend on how busy the machine is.
TEST(Solving, WithEffortFastComesCloseToTheBestSchedule) {
  const Words words = problem("resnet18_cifar", "m4", "280000", "1.5");
  const auto fast = document(poet_solve(words + Words{"--effort", "fast"}));
  EXPECT_LT(fast.at("summary").at("energy_joules"), 1.03 * 0.7443);
}

TEST(Solving, TakesTheBudgetsAsSharesSuffixesAndAbsoluteTimes) {
  const auto share = document(poet_solve(problem("linear", "m4", "50%", "2")));
  EXPECT_EQ(share.at("request").at("ram_budget_bytes"), 3708);
  const auto suffix = document(poet_solve(problem("linear", "m4", "8KiB", "1h")));
  EXPECT_EQ(suffix.at("request").at("ram_budget_bytes"), 8192);
  EXPECT_EQ(suffix.at("request").at("runtime_budget_seconds"), 3600.0);
}

TEST(Solving, FindsTheSmallestRamBudgetFirstWhereAskedFor) {
  const Finished run = poet_solve(problem("linear", "m4", "min", "2"));
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("the smallest RAM budget is 3256 bytes; node 26 ('grad(fc1)', "
                                 "gradient) decides it"));
  const auto file = document(run);
  EXPECT_EQ(file.at("request").at("ram_budget_bytes"), 3256);
  EXPECT_EQ(file.at("status"), "optimal");
  const auto without = document(
      poet_solve(problem("linear", "m4", "min", "2") + Words{"--no-paging", "--no-remat", "-q"}));
  EXPECT_EQ(without.at("request").at("ram_budget_bytes"), 7416);
}

TEST(Solving, SaysWhereTheSmallestRamBudgetIsOnlyKnownToLie) {
  const Finished run = poet_solve(problem("resnet18_cifar", "m4", "min", "1.001") +
                                  Words{"--no-paging", "--time-limit-s", "1"});
  EXPECT_EQ(run.status, 0);
  EXPECT_LE(run.wall_seconds, 3);
  EXPECT_THAT(run.err, HasSubstr("warning: the smallest RAM budget lies between "));
  const auto file = document(run);
  // The solve within that budget may come to a schedule that needs less still.
  EXPECT_LE(file.at("summary").at("peak_ram_bytes"), file.at("request").at("ram_budget_bytes"));
  EXPECT_EQ(file.at("request").at("time_limit_seconds"), 1.0);
}

TEST(Solving, TakesTheRamOfTheChip) {
  const Finished run = poet_solve(problem("linear", "m4", "chip", "2"));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(document(run).at("request").at("ram_budget_bytes"), 262144);
  EXPECT_THAT(run.err, testing::Not(HasSubstr("warning")));
}

TEST(Solving, RepeatsByteForByteButForTheClock) {
  const auto without_clock = [](const std::string& text) {
    auto file = nlohmann::ordered_json::parse(text);
    file.at("solver").erase("wall_seconds");
    file.at("solver").erase("timing");
    return file.dump();
  };
  const Words arguments = quick_problem() + Words{"--seed", "7"};
  const Finished first = poet_solve(arguments);
  const Finished second = poet_solve(arguments);
  ASSERT_EQ(first.status, 0);
  EXPECT_EQ(without_clock(first.out), without_clock(second.out));
  EXPECT_EQ(document(first).at("solver").at("seed"), 7);
}

TEST(Solving, ReadsTheModelFromStdin) {
  const Finished run = poet_solve(problem("-", "m4", "3500", "2"),
                                  contents_of(POET_SOURCE_DIR "/models/linear.json"));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(document(run).at("model").at("source"), "-");
}

TEST(Solving, ReadsThePlatformFromStdin) {
  const Finished run = poet_solve(problem("linear", "-", "100%", "2"),
                                  contents_of(POET_SOURCE_DIR "/platforms/m4.json"));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(document(run).at("platform").at("name"), "m4");
}

TEST(Solving, GivesAFileThatEqualsABuiltInOneTheSameEnergyAndDigest) {
  const TemporaryFolder folder;
  const std::string model =
      folder.write("mine.json", contents_of(POET_SOURCE_DIR "/models/linear.json"));
  const std::string platform =
      folder.write("board.json", contents_of(POET_SOURCE_DIR "/platforms/m4.json"));
  const auto theirs = document(poet_solve(quick_problem()));
  const auto mine = document(poet_solve(problem(model, platform, "3500", "2")));
  EXPECT_EQ(mine.at("summary").at("energy_joules"), theirs.at("summary").at("energy_joules"));
  EXPECT_EQ(mine.at("model").at("sha256"), theirs.at("model").at("sha256"));
  EXPECT_EQ(mine.at("platform").at("sha256"), theirs.at("platform").at("sha256"));
  EXPECT_EQ(mine.at("model").at("source"), model);
}

TEST(Solving, NeedsNoPlatformForMeasuredCosts) {
  const Finished run =
      poet_solve({"--model", "-", "--ram-budget", "60", "--runtime-budget", "1"}, measured_model());
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(document(run).at("summary").at("energy_joules"), 6.0);
  EXPECT_EQ(document(run).at("summary").at("peak_ram_bytes"), 60);
}

TEST(Solving, ScalesTheEnergyOfPagingForOneRequestOnly) {
  const Words paging = problem("linear", "m0", "3256", "2") + Words{"--no-remat"};
  const auto once = document(poet_solve(paging)).at("summary");
  const auto thrice = document(poet_solve(paging + Words{"--mem-power-scale", "3"})).at("summary");
  EXPECT_EQ(thrice.at("compute_energy_joules"), once.at("compute_energy_joules"));
  EXPECT_NEAR(thrice.at("page_in_energy_joules"),
              3 * once.at("page_in_energy_joules").get<double>(), 1e-12);
}

/// measured_model() without the figures of paging.
std::string model_without_page_energies() {
  auto model = nlohmann::json::parse(measured_model());
  for (auto& node : model.at("nodes")) {
    node.erase("page_in_energy_joules");
    node.erase("page_out_energy_joules");
  }
  return model.dump();
}

TEST(Solving, NeedsNoPageEnergiesWhereNothingIsPaged) {
  const std::string model = model_without_page_energies();
  const Words words{"--model", "-", "--ram-budget", "60", "--runtime-budget", "1"};
  const Finished run = poet_solve(words + Words{"--no-paging"}, model);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(document(run).at("summary").at("energy_joules"), 6);
  const Finished paging = poet_solve(words, model);
  EXPECT_EQ(paging.status, 2);
  EXPECT_THAT(paging.err, HasSubstr("no page_in_energy_joules"));
  const Words sweep{"sweep", "--models", "-", "--ram-budget", "60", "--runtime-budget", "1"};
  EXPECT_EQ(poet_solve(sweep + Words{"--techniques", "remat,none"}, model).status, 0);
  EXPECT_EQ(poet_solve(sweep + Words{"--techniques", "remat,both"}, model).status, 2);
}

TEST(Solving, WarnsOfABudgetAboveTheChipsRamAndSolvesAllTheSame) {
  const Finished above = poet_solve(problem("linear", "m4", "1MiB", "2"));
  EXPECT_EQ(above.status, 0);
  EXPECT_THAT(above.err, HasSubstr("warning"));
  EXPECT_THAT(above.err, HasSubstr("256 KiB"));
  const Finished within = poet_solve(problem("linear", "m4", "100%", "2"));
  EXPECT_THAT(within.err, testing::Not(HasSubstr("warning")));
}

TEST(Solving, WritesTheModelForAnotherSolverBesidesTheSchedule) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve(quick_problem() + Words{"--export-model", folder.file("linear.mps")});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(document(run).at("status"), "optimal");
  EXPECT_THAT(contents_of(folder.file("linear.mps")),
              testing::HasSubstr("\nNAME poet FREE\nROWS\n"));
}

TEST(Solving, WritesOnlyTheModelWithNoSolve) {
  const TemporaryFolder folder;
  const std::string path = folder.file("linear.lp");
  const Finished run = poet_solve(quick_problem() + Words{"--export-model", path, "--no-solve"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  const std::string model = contents_of(path);
  EXPECT_THAT(model, HasSubstr("\n\\ graph: sha256 "));
  EXPECT_THAT(model, HasSubstr("\n\\   0 input\n"));
  const Finished without = poet_solve(quick_problem() + Words{"--no-solve"});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.err, HasSubstr("--no-solve: found without --export-model"));
}

TEST(Solving, StartsFromAScheduleThatFits) {
  const TemporaryFolder folder;
  const std::string path = folder.file("small.json");
  EXPECT_EQ(poet_solve(problem("linear", "m4", "3500", "2") + Words{"--output", path}).status, 0);
  const Words blind{"--disable", "local-search", "--warm-start", path, "--time-limit-s", "0.001"};
  const Finished larger = poet_solve(problem("linear", "m4", "4000", "2") + blind);
  EXPECT_EQ(larger.status, 0) << larger.err;
  EXPECT_LE(document(larger).at("summary").at("energy_joules"),
            as_document(contents_of(path)).at("summary").at("energy_joules"));
}

TEST(Solving, WarnsOfAWarmStartThatDoesNotFitAndSolvesAllTheSame) {
  const TemporaryFolder folder;
  const std::string path = folder.file("large.json");
  EXPECT_EQ(poet_solve(problem("linear", "m4", "100%", "2") + Words{"--output", path}).status, 0);
  const Finished run = poet_solve(quick_problem() + Words{"--warm-start", path});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("does not start the search"));
}

TEST(Solving, RefusesAWarmStartOfAnotherGraph) {
  const TemporaryFolder folder;
  const std::string path = folder.file("linear.json");
  EXPECT_EQ(poet_solve(quick_problem() + Words{"--output", path}).status, 0);
  const Finished run =
      poet_solve(problem("linear", "a72", "3500", "2") + Words{"--warm-start", path});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--warm-start: "));
  EXPECT_THAT(run.err, HasSubstr("another graph"));
}

}  // namespace
}  // namespace poet::test
