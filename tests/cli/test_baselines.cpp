// The methods of other papers, as a user runs them.
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

using testing::SizeIs;

Words baselines(const std::string& ram, const Words& more = {}) {
  return Words{"baselines", "--model",          "linear", "--platform",     "m4", "--ram-budget",
               ram,         "--runtime-budget", "2",      "--time-limit-s", "30"} +
         more;
}

TEST(Baselines, AreALinePerMethodAndBudgetWithSchedulesThatVerifyAccepts) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(baselines("80%,100%", {"--schedules", folder.file("s")}));
  EXPECT_EQ(run.status, 0) << run.err;
  const Lines rows = as_lines(run.out);
  ASSERT_THAT(rows, SizeIs(30));
  Words files{"verify"};
  for (const json& row : rows) {
    EXPECT_EQ(row.at("format"), "poet-baselines");
    const bool feasible = row.at("status") == "feasible";
    EXPECT_EQ(feasible, row.at("schedule_file").is_string()) << row;
    EXPECT_NE(row.at("changes"), "");
    if (!feasible) continue;
    files.push_back(row.at("schedule_file"));
    EXPECT_LE(row.at("lower_bound_joules").get<double>(),
              row.at("energy_joules").get<double>() * (1 + 1e-9))
        << row;
  }
  EXPECT_EQ(poet_solve(files).status, 0);
  EXPECT_EQ(rows.front().at("method"), "keep-all");
  EXPECT_EQ(rows.front().at("status"), "infeasible");
  EXPECT_EQ(rows.at(15).at("status"), "feasible");
  EXPECT_TRUE(std::filesystem::exists(rows.back().at("schedule_file").get<std::string>()));
}

TEST(Baselines, PrintATableUnlessTheyAreQuiet) {
  const Words few = baselines("100%", {"--methods", "keep-all,poet"});
  EXPECT_THAT(poet_solve(few).err, HasSubstr("keep-all      feasible"));
  EXPECT_EQ(poet_solve(few + Words{"--quiet"}).err, "");
  EXPECT_THAT(as_lines(poet_solve(few).out), SizeIs(2));
}

TEST(Baselines, AreATableAndAPictureAsWell) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve(baselines("60%", {"--methods", "chen-sqrt,page-all,poet", "--csv",
                                   folder.file("t.csv"), "--plot", folder.file("b.svg")}));
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string table = contents_of(folder.file("t.csv"));
  EXPECT_EQ(table.find("point,method,status,"), 0U);
  EXPECT_EQ(count_lines(table), 4U);
  const std::string picture = contents_of(folder.file("b.svg"));
  for (const json& row : as_lines(run.out)) {
    EXPECT_THAT(picture, HasSubstr(">" + row.at("method").get<std::string>() + "</text>"));
    EXPECT_THAT(table, HasSubstr("," + row.at("method").get<std::string>() + ","));
  }
  EXPECT_THAT(picture, HasSubstr("linear/m4, RAM budget 4.345 KiB, runtime 2x"));
}

TEST(Baselines, CopyEverythingInAnExactModel) {
  const TemporaryFolder folder;
  const Finished run = poet_solve({"baselines", "--model", "ds_cnn", "--platform", "m4",
                                   "--ram-budget", "45%", "--runtime-budget", "2", "--methods",
                                   "keep-all,int8-all", "--schedules", folder.path(), "--quiet"});
  const Lines rows = as_lines(run.out);
  ASSERT_THAT(rows, SizeIs(2)) << run.err;
  EXPECT_EQ(rows.front().at("status"), "infeasible");
  ASSERT_EQ(rows.back().at("status"), "feasible") << rows.back();
  const Finished verified = poet_solve({"verify", rows.back().at("schedule_file")});
  EXPECT_EQ(verified.status, 0) << verified.err;
}

TEST(Baselines, AreDrawnFromTheirLinesAsWell) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(
      baselines("80%", {"--methods", "page-all,poet", "--plot", folder.file("b.svg"), "--quiet"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(poet_solve({"plot", "-"}, run.out).out, contents_of(folder.file("b.svg")));
  for (const Words& refused : {Words{"--format", "html"}, Words{"--lanes", "none"},
                               Words{"--data", folder.file("d.csv")}, Words{"--beside-baseline"}}) {
    const Finished plot = poet_solve(Words{"plot", "-"} + refused, run.out);
    EXPECT_EQ(plot.status, 2);
    EXPECT_THAT(plot.err, HasSubstr("the lines of baselines"));
  }
  const Finished cut = poet_solve({"plot", "-"}, run.out.substr(0, run.out.size() / 2));
  EXPECT_EQ(cut.status, 2);
  EXPECT_EQ(cut.out, "");
  const Finished verified = poet_solve({"verify", "-"}, run.out);
  EXPECT_EQ(verified.status, 2);
  EXPECT_THAT(verified.err, HasSubstr("found the lines of baselines"));
}

TEST(Baselines, RefuseWhatTheyDoNotKnow) {
  const Finished unknown = poet_solve(baselines("90%", {"--methods", "chen-sqr"}));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--methods"));
  EXPECT_THAT(unknown.err, HasSubstr("chen-sqrt"));
  const Finished gone = poet_solve({"sweep", "--baselines", "--models", "linear"});
  EXPECT_EQ(gone.status, 2);
  EXPECT_THAT(gone.err, HasSubstr("--baselines: found a removed option: use the command "
                                  "'poet-solve baselines'"));
}

TEST(Baselines, CompareGraphsWithoutPagingCostsIfPagingIsForbidden) {
  json model = json::parse(measured_model());
  for (json& node : model.at("nodes")) {
    node.erase("page_in_energy_joules");
    node.erase("page_out_energy_joules");
  }
  const TemporaryFolder folder;
  const std::string file = folder.write("measured.json", model.dump());
  const Words words{"baselines", "--model", file, "--ram-budget", "100%", "--runtime-budget", "2"};
  EXPECT_EQ(poet_solve(words).status, 2) << "transfers cost nobody knows what";
  const Finished run = poet_solve(words + Words{"--no-paging", "--schedules", folder.file("s")});
  ASSERT_EQ(run.status, 0) << run.err;
  const Lines rows = as_lines(run.out);
  ASSERT_THAT(rows, SizeIs(15));
  EXPECT_EQ(rows.front().at("status"), "feasible");
  EXPECT_EQ(rows.at(5).at("method"), "page-all");
  EXPECT_EQ(rows.at(5).at("status"), "not-applicable");
  EXPECT_EQ(rows.at(5).at("reason"), "it needs paging, which is forbidden");
  EXPECT_EQ(rows.back().at("status"), "feasible");
  EXPECT_EQ(rows.back().at("techniques"), "remat");
  EXPECT_EQ(poet_solve({"verify", rows.back().at("schedule_file"), "--model", file}).status, 0);
  for (const json& row : as_lines(poet_solve(baselines("80%", {"--no-remat"})).out)) {
    const bool recomputes = row.at("techniques") == "both" || row.at("techniques") == "remat";
    const bool needs_layers = row.at("method") == "int8-all";
    EXPECT_EQ(row.at("status") == "not-applicable", recomputes || needs_layers) << row;
  }
}

TEST(Baselines, KeepFinishedLinesWhenTheyAreInterrupted) {
  Command command =
      poet_solve_command({"baselines", "--model", "resnet18_cifar", "--platform", "m4",
                          "--ram-budget", "15%", "--runtime-budget", "2", "--gap", "0",
                          "--time-limit-s", "100", "--methods", "keep-all,poet,checkmate"});
  command.interrupt_after = "poet-solve";
  command.interrupt = [](pid_t program) {
    ::sleep(1);
    ::kill(program, SIGINT);
  };
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  // poet, which runs last, is not reached.
  for (const json& row : as_lines(run.out)) {
    EXPECT_THAT(row.at("method"), testing::AnyOf("keep-all", "checkmate"));
  }
}

}  // namespace
}  // namespace poet::test
