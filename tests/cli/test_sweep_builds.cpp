// What a journal says of who found what, about which graph: what --resume believes, and what not.
#include <fstream>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

/// A sweep whose journal is complete and has stayed, as its table could not be written.
class Builds : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    ASSERT_EQ(run(grid({"--output", "whole.jsonl"})).status, 0);
    ASSERT_EQ(run(grid({"--output", "c.jsonl", "--csv", "/dev/full"})).status, 2);
  }

  static Words grid(const Words& more) {
    return sweep("linear", "m4", "2966,min..50%:3", "2", more);
  }

  Finished run(const Words& arguments) const {
    Command command = poet_solve_command(arguments);
    command.directory = folder_.path();
    return run_program(command);
  }

  Finished resume() const { return run(grid({"--resume", "c.jsonl"})); }

  /// Changes every line of the journal but the first, or that one.
  template <typename Change>
  void change_lines(Change change, bool head = false) const {
    Lines lines = lines_of(folder_.file("c.jsonl.partial"));
    std::ofstream file(folder_.file("c.jsonl.partial"));
    for (std::size_t l = 0; l < lines.size(); ++l) {
      if ((l == 0) == head) change(lines[l]);
      file << lines[l].dump() << "\n";
    }
  }

  void expect_whole() const {
    const Lines whole = lines_of(folder_.file("whole.jsonl"));
    const Lines found = lines_of(folder_.file("c.jsonl"));
    ASSERT_EQ(found.size(), whole.size());
    for (std::size_t p = 0; p < whole.size(); ++p) {
      for (const char* key : {"status", "ram_budget_bytes", "energy_joules"}) {
        EXPECT_EQ(found[p].at(key), whole[p].at(key)) << p;
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Builds, TheSameOneBelievesAll) {
  const Finished resumed = resume();
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("4 of 4 points are known already"));
  EXPECT_THAT(resumed.err, Not(HasSubstr("another build")));
  EXPECT_EQ(without_timing(lines_of(folder_.file("c.jsonl"))),
            without_timing(lines_of(folder_.file("whole.jsonl"))));
}

TEST_F(Builds, AnotherOneKeepsSchedulesAndBelievesNoProof) {
  change_lines([](json& line) {
    line["program_sha256"] = std::string(64, '0');
    if (line.value("point", -1) != 2) return;
    line["outcome"].erase("stages");
    line["outcome"]["status"] = "infeasible";
  });
  const Finished resumed = resume();
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("5 of its 5 results are another build's"));
  EXPECT_THAT(resumed.err, HasSubstr("smallest RAM of linear/m4"));
  EXPECT_EQ(finished_points(resumed.err).size(), 4U) << "all is solved again";
  expect_whole();
}

TEST_F(Builds, AnotherOnesSchedulesAreStarts) {
  // Without time a solve has only what it is given.
  const Words hard = sweep("resnet50", "m4", "50%", "2", {"--effort", "fast"});
  ASSERT_EQ(run(hard + Words{"--output", "h.jsonl", "--csv", "/dev/full"}).status, 2);
  Lines lines = lines_of(folder_.file("h.jsonl.partial"));
  ASSERT_EQ(lines.size(), 2U);
  lines[0]["request"]["time_limit_seconds"] = 1e-6;
  lines[0]["request"]["csv"] = "";
  lines[1]["program_sha256"] = std::string(64, '0');
  std::ofstream(folder_.file("h.jsonl.partial")) << lines[0].dump() << "\n"
                                                 << lines[1].dump() << "\n";
  const Finished resumed = run({"sweep", "--resume", "h.jsonl"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  const json point = lines_of(folder_.file("h.jsonl")).at(0);
  EXPECT_EQ(point.at("status"), "feasible");
  EXPECT_EQ(point.at("energy_joules"), lines[1].at("outcome").at("energy_joules"));
  EXPECT_EQ(point.at("lower_bound_joules"), point.at("baseline_energy_joules"))
      << "its bound is not believed";
}

TEST_F(Builds, AJournalOfBeforeIsAnotherOnes) {
  change_lines([](json& head) { head["request"]["program_version"] = "0.1.0"; }, true);
  change_lines([](json& line) {
    line.erase("program_sha256");
    line.erase("graph_sha256");
  });
  const Finished resumed = resume();
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("5 of its 5 results are another build's"));
  expect_whole();
}

TEST_F(Builds, ALineAboutAnotherGraphIsSolvedAnew) {
  change_lines([](json& line) {
    if (line.value("point", -1) == 2) line["graph_sha256"] = std::string(64, '0');
  });
  const Finished resumed = resume();
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("3 of 4 points are known already"));
  EXPECT_THAT(resumed.err, HasSubstr("points about another graph or RAM budget: 1"));
  expect_whole();
}

TEST_F(Builds, AProofThatAScheduleContradictsIsAnErrorThatNamesBothAndLosesNothing) {
  change_lines([](json& line) {
    if (line.value("point", -1) != 3) return;
    line["outcome"].erase("stages");
    line["outcome"]["status"] = "infeasible";
  });
  const std::string before = contents_of(folder_.file("c.jsonl.partial"));
  const Finished resumed = resume();
  EXPECT_EQ(resumed.status, 1);
  EXPECT_THAT(resumed.err, HasSubstr("point 3 is proven infeasible, but the schedule of point "));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("c.jsonl")));
  EXPECT_EQ(contents_of(folder_.file("c.jsonl.partial")), before);
}

}  // namespace
}  // namespace poet::test
