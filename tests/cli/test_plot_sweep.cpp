// `poet-solve plot` of a sweep's result, and `sweep --plot`.
#include "cli/poet_solve.hpp"
#include "cli/sweep_files.hpp"
#include "poet/units.hpp"
#include "support/xml.hpp"

namespace poet::test {
namespace {

/// Four budgets with and without paging, one of them too small; solved once for all tests.
const std::string& swept() {
  static const std::string text = poet_solve(sweep("linear", "m4", "2000,3500,4300,100%", "1.05",
                                                   {"--techniques", "both,remat"}))
                                      .out;
  return text;
}

std::string with_status(const std::string& status) {
  std::string lines;
  const json infeasible = as_lines(poet_solve(sweep("linear", "m4", "100", "1.05")).out).front();
  for (json line : as_lines(swept())) {
    for (auto& [key, value] : line.items()) {
      if (infeasible.contains(key) && infeasible.at(key).is_null()) value = nullptr;
    }
    line["status"] = status;
    line["reason"] = "ended by signal 11";
    lines += line.dump() + "\n";
  }
  return lines;
}

TEST(PlotSweep, DrawsACurveForEachSetOfTechniques) {
  const TemporaryFolder folder;
  const Finished run = poet_solve({"plot", folder.write("s.jsonl", swept())});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("<svg "));
  EXPECT_THAT(run.out, HasSubstr(">on m4, runtime 1.05x</text>"));
  for (const char* label : {">remat + paging</text>", ">remat only</text>", ">infeasible</text>"}) {
    EXPECT_THAT(run.out, HasSubstr(label));
  }
  EXPECT_THAT(run.out, HasSubstr("<title>infeasible up to 1.953 KiB</title>"));
  EXPECT_THAT(run.out, HasSubstr("<title>remat only: 1.953 KiB (2000 bytes): infeasible</title>"));
  const json loosest = as_lines(swept()).at(3);
  EXPECT_THAT(run.out, HasSubstr("+0.000 %; optimal, lower bound " +
                                 format_joules(loosest.at("lower_bound_joules"))));
  if (!have_python()) GTEST_SKIP() << "no python3 to read XML with";
  EXPECT_EQ(xml_fault(run.out), "");
}

TEST(PlotSweep, JoinsResultsThatFollowEachOther) {
  const std::string other = poet_solve(sweep("linear", "a72", "100%", "1.05")).out;
  const Finished run = poet_solve({"plot", "-"}, swept() + other);
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* label : {"linear on m4</text>", "linear on a72, remat + paging</text>",
                            ">remat + paging</text>", ">remat only</text>"}) {
    EXPECT_THAT(run.out, HasSubstr(label));
  }
}

TEST(PlotSweep, HasTheScaleThatIsAskedForAndWritesWhatItDraws) {
  const TemporaryFolder folder;
  const Words to{"--output", folder.file("s.svg"), "--data", folder.file("s.csv")};
  ASSERT_EQ(poet_solve(Words{"plot", "-", "--log"} + to, swept()).status, 0);
  EXPECT_THAT(contents_of(folder.file("s.svg")), HasSubstr("logarithmic scale"));
  EXPECT_THAT(poet_solve({"plot", "-", "--linear"}, swept()).out,
              Not(HasSubstr("logarithmic scale")));
  std::istringstream lines(contents_of(folder.file("s.csv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr("model,platform,techniques,runtime_budget_ratio,ram_budget_bytes"));
  for (const nlohmann::json& row : as_lines(swept())) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_THAT(line, HasSubstr(row.at("ram_budget_bytes").dump()));
    if (!row.at("energy_joules").is_null()) {
      EXPECT_THAT(line, HasSubstr("," + row.at("energy_joules").dump() + ","));
    }
  }
  EXPECT_EQ(poet_solve({"plot", "-", "--log", "--linear"}, swept()).status, 2);
  const Finished schedule = poet_solve({"plot", "-", "--log"}, poet_solve(quick_problem()).out);
  EXPECT_EQ(schedule.status, 2);
  EXPECT_THAT(schedule.err, HasSubstr("--log: found with a schedule file"));
}

TEST(PlotSweep, RefusesWhatOnlySchedulesHave) {
  for (const Words& words : {Words{"--lanes", "none"}, Words{"--x-axis", "time"}}) {
    const Finished run = poet_solve(Words{"plot", "-"} + words, swept());
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(words.front() + ": found with the lines of a sweep"));
  }
}

TEST(PlotSweep, IsDrawnBySweepItself) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(sweep("linear", "m4", "2000,3500,4300,100%", "1.05",
                                        {"--techniques", "both,remat", "--output",
                                         folder.file("s.jsonl"), "--plot", folder.file("s.svg")}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(folder.contents(), ElementsAre("s.jsonl", "s.jsonl.request", "s.svg"));
  EXPECT_EQ(contents_of(folder.file("s.svg")), poet_solve({"plot", folder.file("s.jsonl")}).out);
}

TEST(PlotSweep, SaysWhichPointsFailedAndDrawsTheOthers) {
  const Lines failed = as_lines(with_status("failed"));
  Lines lines = as_lines(swept());
  lines[1] = failed[1];
  std::string text;
  for (const json& line : lines) text += line.dump() + "\n";
  const Finished run = poet_solve({"plot", "-"}, text);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 of 8 points failed"));
  EXPECT_THAT(run.out, HasSubstr("no schedule found</title>"));
}

void expect_refused(const std::string& text, const std::vector<std::string>& says) {
  const TemporaryFolder folder;
  for (const Words& output : {Words{}, Words{"--output", folder.file("s.svg")}}) {
    const Finished run = poet_solve(Words{"plot", "-"} + output, text);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(count_lines(run.err), 1U) << run.err;
    for (const std::string& part : says) EXPECT_THAT(run.err, HasSubstr(part));
    EXPECT_THAT(folder.contents(), IsEmpty());
  }
}

TEST(PlotSweep, RefusesWhatHasNoResult) {
  expect_refused(with_status("failed"), {"every point failed", "ended by signal 11", "--resume"});
}

TEST(PlotSweep, RefusesAMixture) {
  const std::string schedule = poet_solve(quick_problem() + Words{"--compact"}).out;
  expect_refused(swept() + schedule, {"stdin line 9: /format", "expected \"poet-sweep\""});
  expect_refused(schedule + swept(), {"stdin:2:1", "expected the end of the file"});
}

TEST(PlotSweep, SaysWhatElseItWasGiven) {
  const TemporaryFolder folder;
  const Finished smallest =
      poet_solve({"sweep", "--models", "linear", "--platforms", "m4", "--runtime-budget", "3",
                  "--min-ram", "--csv", folder.file("min.csv")});
  expect_refused(smallest.out, {"answers of sweep --min-ram"});
  expect_refused(contents_of(folder.file("min.csv")), {"CSV table"});
  const std::string csv = poet_solve(sweep("linear", "m4", "100%", "1", {"--format", "csv"})).out;
  expect_refused(csv, {"CSV table", "expected a schedule file or the JSON lines of a sweep"});
  expect_refused(R"({"format":"poet-sweep-journal","version":1,"request":{}})", {"journal"});
}

TEST(SweepPlot, IsRefusedWhereItCannotBe) {
  const TemporaryFolder folder;
  const std::string svg = folder.file("s.svg");
  const std::vector<Words> refused{{"--plot", "/nonexistent/s.svg"},
                                   {"--plot", folder.path()},
                                   {"--plot", svg, "--output", svg},
                                   {"--plot", svg, "--csv", svg}};
  for (const Words& words : refused) {
    const Finished run = poet_solve(sweep("linear", "m4", "100%", "1", words));
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("--plot: "));
    EXPECT_THAT(folder.contents(), IsEmpty());
  }
  const Finished run = poet_solve({"sweep", "--models", "linear", "--platforms", "m4",
                                   "--runtime-budget", "1", "--min-ram", "--plot", svg});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--min-ram: found with --plot"));
}

}  // namespace
}  // namespace poet::test
