#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

/// A sweep of three points, made once for all tests.
const std::string& baseline_sweep() {
  static const std::string text = poet_solve(sweep("linear", "m4", "40%,44%,100%", "2")).out;
  return text;
}

const std::string& schedule() {
  static const std::string text = poet_solve(quick_problem()).out;
  return text;
}

/// The sweep with one of its lines changed.
std::string with_line(std::size_t number, const std::function<void(json&)>& change) {
  std::string text;
  Lines lines = as_lines(baseline_sweep());
  change(lines.at(number));
  for (const json& line : lines) text += line.dump() + "\n";
  return text;
}

class Comparing : public testing::Test {
 protected:
  Finished compare(const std::string& before, const std::string& now,
                   const Words& more = {}) const {
    return poet_solve(Words{"compare", folder_.write("before", before), folder_.write("now", now)} +
                      more);
  }

  TemporaryFolder folder_;
};

TEST_F(Comparing, EqualSweepsEndWithZeroAndOneLine) {
  const Finished run = compare(baseline_sweep(), baseline_sweep());
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(count_lines(run.err), 1U);
  EXPECT_THAT(run.err, HasSubstr("3 points compared: nothing is worse"));
}

TEST_F(Comparing, AnEnergyRaisedByAThousandthEndsWithFiveAndNamesThePointAndTheFigures) {
  const double energy = as_lines(baseline_sweep()).at(1).at("energy_joules");
  const Finished run = compare(
      baseline_sweep(), with_line(1, [&](json& line) { line["energy_joules"] = energy * 1.001; }));
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(count_lines(run.err), 2U) << run.err;
  EXPECT_THAT(run.err, HasSubstr("linear/m4 3263 bytes: energy 0.000460"));
  EXPECT_THAT(run.err, HasSubstr("(+0.1000 %)"));
  EXPECT_EQ(compare(baseline_sweep(),
                    with_line(1, [&](json& line) { line["energy_joules"] = energy * 1.001; }),
                    {"--rel-tol", "0.01"})
                .status,
            0);
}

TEST_F(Comparing, ListsAChangedGraphAndFailsIfAsked) {
  const std::string now = with_line(1, [](json& line) { line["graph_sha256"] = "other"; });
  const Finished reported = compare(baseline_sweep(), now);
  EXPECT_EQ(reported.status, 0);
  EXPECT_THAT(reported.err, HasSubstr("3263 bytes: graph changed: optimal"));
  EXPECT_THAT(reported.err, HasSubstr("nothing is worse, 0 improvements, 1 on a changed graph"));
  EXPECT_EQ(document(compare(baseline_sweep(), now, {"--json"})).at("graph_changes").size(), 1U);
  EXPECT_THAT(compare(baseline_sweep(), now, {"--markdown"}).out, HasSubstr("### Graph changed"));
  const Finished failed = compare(baseline_sweep(), now, {"--on-changed-graph", "fail"});
  EXPECT_EQ(failed.status, 5);
  EXPECT_THAT(failed.err, HasSubstr("error: linear/m4 3263 bytes: graph changed: "));
  EXPECT_EQ(compare(baseline_sweep(), now, {"--on-changed-graph", "ignore"}).status, 2);
}

/// Each limit by itself.
TEST_F(Comparing, EndsWithFiveBeyondALimitForAnIncrease) {
  const std::vector<std::pair<std::string, std::string>> limits{
      {"--max-energy-increase", "energy_joules"},
      {"--max-peak-increase", "peak_ram_bytes"},
      {"--max-runtime-increase", "runtime_seconds"}};
  for (const auto& [option, key] : limits) {
    const std::string now = with_line(1, [&, key = key](json& line) {
      line[key] = key == "peak_ram_bytes" ? json(line[key].get<int>() * 11 / 10)
                                          : json(line[key].get<double>() * 1.1);
    });
    EXPECT_EQ(compare(baseline_sweep(), now, {option, "10.1%"}).status, 0) << option;
    const Finished beyond = compare(baseline_sweep(), now, {option, "5%"});
    EXPECT_EQ(beyond.status, 5) << option;
    EXPECT_THAT(beyond.err, HasSubstr(", limit +5 % ("));
  }
  const Finished bare = compare(baseline_sweep(), baseline_sweep(), {"--max-peak-increase", "5"});
  EXPECT_EQ(bare.status, 2);
  EXPECT_THAT(bare.err, HasSubstr("--max-peak-increase: found '5'; expected a percentage"));
  const json found = document(
      compare(baseline_sweep(), baseline_sweep(), {"--json", "--max-energy-increase", "5%"}));
  EXPECT_EQ(found.at("max_energy_increase"), 0.05);
  EXPECT_EQ(found.at("max_peak_increase"), nullptr);
}

TEST_F(Comparing, ReplaysTheSchedulesThatASweepNames) {
  Command command = poet_solve_command(
      sweep("linear", "m4", "44%", "2", {"--output", "c.jsonl", "--schedules", "s"}));
  command.directory = folder_.path();
  ASSERT_EQ(run_program(command).status, 0);
  const std::string sweep_file = folder_.file("c.jsonl");
  EXPECT_EQ(poet_solve({"compare", sweep_file, sweep_file}).status, 0);
  const std::string name = "s/0000-linear-m4-both-2x-3263.json";
  json broken = json::parse(contents_of(folder_.file(name)));
  broken["stages"][20]["resident"] = json::array();
  static_cast<void>(folder_.write(name, broken.dump()));
  const Finished run = poet_solve({"compare", sweep_file, sweep_file});
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("the schedule is not valid: "));
}

TEST_F(Comparing, WorksOnScheduleFiles) {
  EXPECT_EQ(compare(schedule(), schedule()).status, 0);
  json worse = json::parse(schedule());
  worse["summary"]["energy_joules"] = worse["summary"]["energy_joules"].get<double>() * 1.001;
  const Finished run = compare(schedule(), worse.dump());
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("linear/m4 both 2x 3500 bytes: the schedule is not valid"));
  EXPECT_THAT(run.err, HasSubstr("(+0.1000 %)"));
  const Finished other = compare(schedule(), poet_solve(problem("linear", "m4", "3600", "2")).out);
  EXPECT_EQ(other.status, 5);
  EXPECT_THAT(other.err, HasSubstr("not comparable: the RAM budget in bytes was 3500, is 3600"));
  const Finished lost = compare(schedule(), poet_solve(problem("linear", "m4", "3255", "2")).out);
  EXPECT_EQ(lost.status, 5);
  EXPECT_THAT(lost.err, HasSubstr("-> infeasible"));
}

TEST_F(Comparing, GivesProgramsJsonAndPullRequestsMarkdown) {
  const std::string worse = with_line(1, [](json& line) { line["energy_joules"] = 1.0; });
  const Finished for_programs = compare(baseline_sweep(), worse, {"--json", "-q"});
  EXPECT_EQ(for_programs.status, 5);
  const json found = document(for_programs);
  EXPECT_EQ(found.at("format"), "poet-comparison");
  EXPECT_EQ(found.at("code"), 5);
  ASSERT_EQ(found.at("regressions").size(), 1U);
  EXPECT_EQ(found.at("regressions")[0].at("kind"), "energy");
  EXPECT_EQ(found.at("regressions")[0].at("new_energy_joules"), 1.0);
  const Finished for_people = compare(baseline_sweep(), worse, {"--markdown"});
  EXPECT_EQ(for_people.status, 5);
  EXPECT_THAT(for_people.out, HasSubstr("| linear/m4 3263 bytes | energy |"));
  const auto named = [](std::string rows) {
    for (std::size_t at = 0; (at = rows.find("\"linear\"", at)) != std::string::npos;) {
      rows.replace(at, 8, "\"[a](b)\"");
    }
    return rows;
  };
  EXPECT_THAT(compare(named(baseline_sweep()), named(worse), {"--markdown"}).out,
              HasSubstr("\\[a\\](b)/m4"));
  EXPECT_EQ(document(compare(baseline_sweep(), baseline_sweep(), {"--json"})).at("code"), 0);
}

TEST_F(Comparing, RefusesWhatItCannotCompare) {
  const auto expect_refusal = [&](const std::string& before, const std::string& now,
                                  const std::string& says) {
    const Finished run = compare(before, now);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(count_lines(run.err), 1U);
    EXPECT_THAT(run.err, HasSubstr(says));
  };
  expect_refusal(baseline_sweep(), schedule(), "expected two of a kind");
  expect_refusal(baseline_sweep(), "point,status\n", "not its CSV table");
  expect_refusal(baseline_sweep(), "", "empty file");
  expect_refusal(baseline_sweep(), baseline_sweep() + "{", "line 4");
  expect_refusal(baseline_sweep() + baseline_sweep(), baseline_sweep(), "twice");
  json invalid = json::parse(schedule());
  invalid["summary"]["peak_ram_bytes"] = 1;
  expect_refusal(invalid.dump(), schedule(), "this cannot be a baseline");
  EXPECT_EQ(poet_solve({"compare", "none", "none"}).status, 2);
  EXPECT_EQ(poet_solve({"compare", "-", "-"}, schedule()).status, 2);
  EXPECT_EQ(poet_solve({"compare", "only-one"}).status, 2);
  EXPECT_EQ(compare(schedule(), schedule(), {"--rel-tol", "-1"}).status, 2);
  EXPECT_EQ(compare(schedule(), schedule(), {"--json", "--markdown"}).status, 2);
}

TEST_F(Comparing, ReadsTheNewResultFromStdin) {
  EXPECT_EQ(
      poet_solve({"compare", folder_.write("b", baseline_sweep()), "-"}, baseline_sweep()).status,
      0);
}

}  // namespace
}  // namespace poet::test
