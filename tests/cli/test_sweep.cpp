#include <map>

#include <fmt/format.h>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

/// Energy never rises as the budget grows; infeasible points come before all others.
void expect_monotone(const Lines& curve) {
  for (std::size_t p = 1; p < curve.size(); ++p) {
    const json& tight = curve[p - 1];
    const json& loose = curve[p];
    ASSERT_LT(tight.at("ram_budget_bytes"), loose.at("ram_budget_bytes"));
    if (tight.at("energy_joules").is_null()) continue;
    ASSERT_FALSE(loose.at("energy_joules").is_null()) << p;
    EXPECT_GE(tight.at("energy_joules"), loose.at("energy_joules")) << p;
  }
}

TEST(Sweep, SixteenPointsFromTheMinimumOnAreAllOptimalAndFallWithTheBudget) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(
      sweep("vgg16_cifar", "m4", "min..100%:16", "3", {"--schedules", folder.file("s")}));
  EXPECT_EQ(run.status, 0);
  const Lines curve = as_lines(run.out);
  ASSERT_EQ(curve.size(), 16U);
  EXPECT_EQ(curve.front().at("ram_budget_bytes"), 1048576);
  EXPECT_EQ(curve.back().at("ram_budget_bytes"), 2465832);
  expect_monotone(curve);
  for (const json& point : curve) {
    EXPECT_EQ(point.at("status"), "optimal");
    EXPECT_LE(point.at("gap"), 1e-4 + 1e-9);
    EXPECT_LE(point.at("peak_ram_bytes"), point.at("ram_budget_bytes"));
    const std::string file = point.at("schedule_file");
    EXPECT_EQ(poet_solve({"verify", "-q", file}).status, 0) << file;
  }
  EXPECT_THAT(run.err, HasSubstr("16 points: 16 optimal"));
}

TEST(Sweep, IsTheSameWhateverTheNumberOfJobs) {
  const Words grid = sweep("linear,transformer", "m4", "min..100%:6", "1.02,3",
                           {"--techniques", "both,remat,paging,none"});
  const Finished one = poet_solve(grid);
  const Finished three = poet_solve(grid + Words{"--jobs", "3"});
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(without_timing(as_lines(one.out)), without_timing(as_lines(three.out)));
}

TEST(Sweep, MarksInfeasiblePointsAndDropsNone) {
  const Finished run = poet_solve(sweep("linear", "m4", "3255,3256,7416", "2,10ms"));
  EXPECT_EQ(run.status, 0) << "a proof that there is none is an answer";
  const Lines lines = as_lines(run.out);
  ASSERT_EQ(lines.size(), 6U);
  std::vector<std::string> found;
  for (const json& line : lines) found.push_back(line.at("status"));
  EXPECT_THAT(found, ElementsAre("infeasible", "optimal", "optimal", "infeasible", "infeasible",
                                 "infeasible"));
  EXPECT_THAT(lines[0].at("reason").get<std::string>(), HasSubstr("3256"));
  EXPECT_THAT(lines[5].at("reason").get<std::string>(), HasSubstr("runtime budget"));
  EXPECT_TRUE(lines[0].at("energy_joules").is_null());
}

TEST(Sweep, WritesFilesWholeAndLeavesNothingElse) {
  const TemporaryFolder folder;
  Command command =
      poet_solve_command(sweep("linear", "m4", "50%..100%:3", "2",
                               {"--output", "c.jsonl", "--csv", "c.csv", "--schedules", "new/s"}));
  command.directory = folder.path();
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(folder.contents(), ElementsAre("c.csv", "c.jsonl", "c.jsonl.request", "new"));
  const Lines lines = lines_of(folder.file("c.jsonl"));
  EXPECT_EQ(lines.at(1).at("schedule_file"), "new/s/0001-linear-m4-both-2x-5562.json");
  const std::string csv = contents_of(folder.file("c.csv"));
  EXPECT_EQ(count_lines(csv), 4U);
  EXPECT_THAT(csv, testing::StartsWith("point,status,model,"));
  for (const json& line : lines) {
    const auto file =
        as_document(contents_of(folder.file(line.at("schedule_file").get<std::string>())));
    EXPECT_EQ(file.at("summary").at("energy_joules"), line.at("energy_joules"));
    EXPECT_EQ(file.at("request").at("ram_budget_bytes"), line.at("ram_budget_bytes"));
  }
}

TEST(Sweep, WritesATableInsteadWhereAskedTo) {
  const Finished run = poet_solve(sweep("linear", "m4", "50%,100%", "2", {"--format", "csv"}));
  EXPECT_EQ(count_lines(run.out), 3U);
  EXPECT_THAT(run.out, HasSubstr("\n1,optimal,linear,"));
}

TEST(Sweep, GivesItsRowsWhereAFileBesidesCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const char* option : {"--csv", "--plot"}) {
    const Finished run =
        poet_solve(sweep("linear", "m4", "50%,60%", "2", {option, "/dev/full", "--quiet"}));
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("No space left"));
    EXPECT_EQ(as_lines(run.out).size(), 2U);
  }
}

TEST(Sweep, EndsWithFourWhereAPointIsUnknown) {
  const Finished run = poet_solve(sweep("resnet50", "m4", "12390400", "1.0000001",
                                        {"--techniques", "remat", "--time-limit-s", "0.0001"}));
  EXPECT_EQ(run.status, 4);
  EXPECT_EQ(as_lines(run.out).at(0).at("status"), "unknown");
}

TEST(Sweep, EndsWithFiveWhereAProofIsRequiredAndMissing) {
  // Proofs of this one take more than a minute.
  const Words grid =
      sweep("resnet18_cifar", "m4", "264396", "3",
            {"--backward", "exact", "--paging-time", "blocking", "--time-limit-s", "1"});
  const Finished run = poet_solve(grid + Words{"--require-optimal"});
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(as_lines(run.out).at(0).at("status"), "feasible");
  EXPECT_EQ(poet_solve(grid).status, 0);
}

TEST(Sweep, ShowsATableOfAllPointsToPeople) {
  const Words grid = sweep("linear", "m4", "40%,44%,100%", "2");
  const Finished run = poet_solve(grid);
  EXPECT_THAT(run.err, HasSubstr("point model/platform"));
  EXPECT_THAT(run.err, HasSubstr("infeasible"));
  EXPECT_EQ(finished_points(run.err).size(), 3U);
  EXPECT_EQ(poet_solve(grid + Words{"-q"}).err, "");
}

TEST(Sweep, OverwritesOneLineOfATerminal) {
  Command command = poet_solve_command(sweep("linear,transformer", "m4", "min..100%:4", "2"));
  command.stderr_is_terminal = true;
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("\r\x1b[K[####################] 8/8"));
  EXPECT_THAT(run.err, HasSubstr("s left"));
  EXPECT_EQ(finished_points(run.err).size(), 0U) << "no lines besides";
  const std::string bar = "\r\x1b[K[";
  for (std::size_t at = run.err.find(bar); at != std::string::npos;
       at = run.err.find(bar, at + 1)) {
    EXPECT_LT(run.err.find('\r', at + 1) - at, bar.size() + 100) << "a line that wraps";
  }
}

/// Model and platform of each point that --dry-run prints.
std::vector<std::pair<std::string, std::string>> subjects(const Finished& dry) {
  std::vector<std::pair<std::string, std::string>> found;
  std::istringstream commands(dry.out);
  for (std::string line; std::getline(commands, line);) {
    std::istringstream words(line);
    auto& subject = found.emplace_back();
    for (std::string word; words >> word;) {
      if (word == "--model") words >> subject.first;
      if (word == "--platform") words >> subject.second;
    }
  }
  return found;
}

TEST(Lists, MayBeWordsListsAndTheOptionAgain) {
  const Words rest{"--ram-budget", "50%", "--runtime-budget", "2x",
                   "--schedules",  "s",   "--dry-run"};
  const auto expected = subjects(
      poet_solve(Words{"sweep", "--models", "linear,vgg16,bert", "--platforms", "m4,m0"} + rest));
  ASSERT_EQ(expected.size(), 6U);
  EXPECT_EQ(expected.front(), (std::pair<std::string, std::string>{"linear", "m4"}));
  for (const Words& lists :
       {Words{"--models", "linear", "vgg16", "bert", "--platforms", "m4", "m0"},
        Words{"--models", "linear,vgg16", "bert", "--platforms", "m4,m0"},
        Words{"--model", "linear", "--platform", "m4", "--models", "vgg16,bert", "--platforms",
              "m0"}}) {
    EXPECT_EQ(subjects(poet_solve(Words{"sweep"} + lists + rest)), expected);
  }
}

TEST(Lists, TakeTheFilesThatAShellFinds) {
  const TemporaryFolder folder;
  std::string text = contents_of(POET_SOURCE_DIR "/models/linear.json");
  static_cast<void>(folder.write("a.json", text));
  static_cast<void>(folder.write("b.json", text + "\n"));
  const Finished run =
      run_program({.program = "sh",
                   .arguments = {"-c",
                                 "\"$0\" sweep --models *.json --platforms m4 --ram-budget 100% "
                                 "--runtime-budget 2",
                                 POET_SOLVE},
                   .directory = folder.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(count_lines(run.out), 2U);
}

TEST(Lists, AllIsEverythingThatIsBuiltIn) {
  const Finished dry =
      poet_solve({"sweep", "--models", "all", "--platforms", "all", "--ram-budget", "50%",
                  "--runtime-budget", "2", "--schedules", "s", "--dry-run"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  const auto found = subjects(dry);
  ASSERT_EQ(found.size(), 425U);
  EXPECT_EQ(found.front(), (std::pair<std::string, std::string>{"bert", "a72"}));
  EXPECT_EQ(found.back(), (std::pair<std::string, std::string>{"vit_tiny", "stm32u585"}));
}

TEST(Lists, RamBudgetsMayEndAtTheChip) {
  const Finished run = poet_solve(sweep("linear", "m4", "min..chip:2,0.5,8K", "2x"));
  EXPECT_EQ(run.status, 0) << run.err;
  std::vector<std::int64_t> budgets;
  for (const json& line : as_lines(run.out)) budgets.push_back(line.at("ram_budget_bytes"));
  EXPECT_THAT(budgets, ElementsAre(3256, 262144, 3708, 8192));
}

TEST(MinRam, FindsTheSmallestBudgetAndTheNodeThatDecidesIt) {
  const Finished run =
      poet_solve({"sweep", "--models", "linear,transformer", "--platforms", "m4",
                  "--runtime-budget", "1,1.02,3", "--techniques", "both,remat,none", "--min-ram"});
  EXPECT_EQ(run.status, 0);
  const Lines lines = as_lines(run.out);
  ASSERT_EQ(lines.size(), 18U);
  std::map<std::string, std::int64_t> found;
  for (const json& line : lines) {
    EXPECT_EQ(line.at("status"), "exact");
    EXPECT_EQ(line.at("smallest_ram_bytes"), line.at("infeasible_below_bytes"));
    const std::string model = line.at("model");
    const std::string techniques = line.at("techniques");
    const std::string ratio = line.at("runtime_budget_ratio").dump();
    found[fmt::format("{} {} {}", model, techniques, ratio)] = line.at("smallest_ram_bytes");
  }
  EXPECT_EQ(found["linear both 1.0"], 3256);
  EXPECT_EQ(found["linear none 3.0"], 7416);
  EXPECT_EQ(found["transformer remat 1.0"], 36175872);
  EXPECT_EQ(found["transformer remat 1.02"], 34603008);
  EXPECT_EQ(found["transformer remat 3.0"], 31457280);
  EXPECT_EQ(lines[0].at("node_name"), "grad(fc1)");
  EXPECT_EQ(lines[0].at("decided_by"), "working set");
  EXPECT_THAT(run.err, HasSubstr("grad(fc1)"));
}

TEST(MinRam, IsConfirmedByTheSingleSolve) {
  for (const auto& [ram, status] : {std::pair{"34603008", 0}, std::pair{"34603007", 3}}) {
    EXPECT_EQ(poet_solve(problem("transformer", "m4", ram, "1.02") + Words{"--no-paging"}).status,
              status);
  }
}

TEST(MinRam, IsAnIntervalWhereTimeIsShort) {
  const Finished run =
      poet_solve({"sweep", "--models", "resnet18_cifar", "--platforms", "m4", "--runtime-budget",
                  "1.001", "--techniques", "remat", "--min-ram", "--time-limit-s", "0.5"});
  EXPECT_EQ(run.status, 4);
  const json line = as_lines(run.out).at(0);
  EXPECT_EQ(line.at("status"), "interval");
  EXPECT_TRUE(line.at("smallest_ram_bytes").is_null());
  EXPECT_LT(line.at("infeasible_below_bytes"), line.at("feasible_ram_bytes"));
}

}  // namespace
}  // namespace poet::test
