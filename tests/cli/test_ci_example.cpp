// The script that the README offers for continuous integration.
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

class CiExample : public testing::Test {
 protected:
  Finished check(const Words& arguments, const std::string& limits = "") const {
    return run_program({.program = POET_SOURCE_DIR "/scripts/examples/check_energy.sh",
                        .arguments = arguments,
                        .environment = {{"POET_SOLVE", POET_SOLVE},
                                        {"SUMMARY", folder_.file("summary.md")},
                                        {"LIMITS", limits}},
                        .directory = folder_.path()});
  }

  static Words grid(const std::string& budgets = "44%,60%") {
    return {"energy.jsonl", "--models",         "linear", "--platforms", "m4", "--ram-budget",
            budgets,        "--runtime-budget", "2"};
  }

  TemporaryFolder folder_;
};

TEST_F(CiExample, HoldsAProjectToItsBaseline) {
  EXPECT_EQ(check(grid()).status, 2) << "there is no baseline yet";
  ASSERT_EQ(check(Words{"--update"} + grid()).status, 0);
  EXPECT_EQ(lines_of(folder_.file("energy.jsonl")).size(), 2U);
  const Finished same = check(grid());
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.err, HasSubstr("2 points compared: nothing is worse"));

  // What was cheaper once is a regression now.
  Lines lines = lines_of(folder_.file("energy.jsonl"));
  lines[0]["energy_joules"] = lines[0].at("energy_joules").get<double>() / 1.001;
  static_cast<void>(folder_.write("energy.jsonl", lines[0].dump() + "\n" + lines[1].dump() + "\n"));
  const Finished worse = check(grid());
  EXPECT_EQ(worse.status, 5);
  EXPECT_THAT(worse.err, HasSubstr("linear/m4 3263 bytes: energy"));
  EXPECT_THAT(worse.err, HasSubstr("+0.1000 %"));
  EXPECT_EQ(worse.err.find("energy 0."), worse.err.rfind("energy 0.")) << "said once";
  EXPECT_THAT(contents_of(folder_.file("summary.md")), HasSubstr("1 regression"));
}

TEST_F(CiExample, FailsIfAGraphHasChanged) {
  ASSERT_EQ(check(Words{"--update"} + grid()).status, 0);
  std::string changed;
  for (nlohmann::json& line : lines_of(folder_.file("energy.jsonl"))) {
    line["graph_sha256"] = "other";
    changed += line.dump() + "\n";
  }
  static_cast<void>(folder_.write("energy.jsonl", changed));
  const Finished run = check(grid());
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("graph changed"));
  EXPECT_EQ(check(grid(), "--max-energy-increase 0% --max-peak-increase 0%").status, 0)
      << "the figures are the same";
}

TEST_F(CiExample, FindsAPointThatIsNoLongerThere) {
  ASSERT_EQ(check(Words{"--update"} + grid()).status, 0);
  EXPECT_EQ(check(grid("44%")).status, 5);
}

TEST_F(CiExample, TheWorkflowIsOnThePage) {
  EXPECT_THAT(contents_of(POET_SOURCE_DIR "/docs/ci.md"),
              HasSubstr("```yaml\n" + contents_of(POET_SOURCE_DIR "/scripts/examples/energy.yml") +
                        "```\n"));
}

TEST_F(CiExample, PassesBadInputOn) {
  EXPECT_EQ(check(grid("44%,44%")).status, 2);
  EXPECT_EQ(check({}).status, 2);
}

}  // namespace
}  // namespace poet::test
