// Stages written by hand, which `verify` completes.
#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

/// The stages of the measured model, with `a` recomputed for `c`: 7 J, 4 s, 60 bytes.
json recomputing_stages() {
  return {{"format", "poet-schedule"},
          {"version", 1},
          {"stages", json::array({{{"compute", {"a"}}},
                                  {{"resident", {"a"}}, {"compute", {"b"}}},
                                  {{"resident", {"b"}}, {"compute", {"a", "c"}}}})}};
}

/// The measured model and stages for it as files.
class Drafts : public testing::Test {
 protected:
  Finished verify(const json& stages, const Words& options = {}) {
    return poet_solve(Words{"verify", "-", "--model", model_} + options, stages.dump());
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.write("model.json", measured_model());
};

TEST_F(Drafts, AreCompletedByTheModelWhoseNodesTheyName) {
  const Finished run = verify(recomputing_stages());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("stdin: valid; 7 J (+16.667 % over the baseline)"));
  const json file = document(run);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_EQ(file.at("model").at("name"), "measured");
  EXPECT_EQ(file.at("summary").at("energy_joules"), 7);
  EXPECT_EQ(file.at("summary").at("lower_bound_joules"), 6);
  EXPECT_EQ(file.at("request").at("ram_budget_bytes"), 60);
  EXPECT_EQ(file.at("request").at("runtime_budget_seconds"), 4);
  EXPECT_EQ(file.at("program").size(), 8U);
  EXPECT_EQ(poet_solve({"plot", "-"}, run.out).status, 0);
  const Finished again = poet_solve({"verify", "-"}, run.out);
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out, "") << "a complete file is verified only";
  EXPECT_EQ(poet_solve({"verify", "-", "--ram-budget", "60"}, run.out).out, run.out);
}

TEST_F(Drafts, AreReplayedWithinTheBudgetsOfTheCommandLine) {
  const Finished fits =
      verify(recomputing_stages(), {"--ram-budget", "100", "--runtime-budget", "1.5"});
  EXPECT_EQ(fits.status, 0) << fits.err;
  EXPECT_EQ(document(fits).at("request").at("ram_budget_bytes"), 100);
  EXPECT_EQ(document(fits).at("request").at("runtime_budget_ratio"), 1.5);

  const std::string output = folder_.file("out.json");
  json wrong = recomputing_stages();
  wrong["stages"][0]["page_out"] = {"b"};
  const Finished tight =
      verify(wrong, {"--ram-budget", "50", "--runtime-budget", "1", "--output", output});
  EXPECT_EQ(tight.status, 5);
  EXPECT_EQ(tight.out, "");
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_THAT(tight.err, HasSubstr("stdin: rule 5 (RAM): stage 2: 60 bytes are in RAM while "
                                   "computing 2 (c); the budget is 50 bytes"));
  EXPECT_THAT(tight.err, HasSubstr("rule 6 (runtime)"));
  EXPECT_THAT(tight.err, HasSubstr("rule 3 (page-out): stage 0: 1 (b) is paged out"));
  EXPECT_THAT(tight.err, HasSubstr("stdin: invalid, 3 findings; nothing was written"));
}

TEST_F(Drafts, MayHaveNodesOfTheirOwn) {
  json whole = document(verify(recomputing_stages()));
  for (const char* key :
       {"code", "status", "model", "platform", "request", "summary", "solver", "program"}) {
    whole.erase(key);
  }
  const std::string file = folder_.file("whole.json");
  const std::string draft = folder_.write("mine.json", whole.dump());
  const Finished run = poet_solve({"verify", draft, "--output", file, "--compact"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "");
  const std::string text = contents_of(file);
  EXPECT_EQ(count_lines(text), 1U);
  EXPECT_EQ(as_document(text).at("model").at("name"), "mine");
  EXPECT_EQ(poet_solve({"verify", file}).status, 0);
}

// By rule 5 it frees what its stage writes out. A solve once proved that nothing below 306 J
// exists.
TEST_F(Drafts, MayRecomputeWhatTheirStageNeitherUsesNorKeeps) {
  const std::string cases = POET_TEST_DATA "/cases/";
  const std::string model = cases + "idle_model.json";
  const Finished replayed = poet_solve({"verify", cases + "idle_stages.json", "--model", model});
  ASSERT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_EQ(document(replayed).at("summary").at("energy_joules"), 209);
  EXPECT_EQ(document(replayed).at("summary").at("peak_ram_bytes"), 12);
  EXPECT_EQ(document(replayed).at("request").at("ram_budget_bytes"), 12);
  const Finished solved =
      poet_solve({"--model", model, "--ram-budget", "13", "--runtime-budget", "3", "--gap", "0"});
  ASSERT_EQ(solved.status, 0) << solved.err;
  EXPECT_EQ(document(solved).at("status"), "optimal");
  EXPECT_EQ(document(solved).at("summary").at("energy_joules"), 209);
}

TEST_F(Drafts, AreRefusedIfTheyAreMalformedOrAboutAnotherGraph) {
  json unknown = recomputing_stages();
  unknown["stages"][1]["compute"] = {"bb"};
  const Finished run = verify(unknown);
  EXPECT_EQ(run.status, 2);
  expect_error_document(document(run), 2);
  EXPECT_THAT(run.err, HasSubstr("stdin: /stages/1/compute/0: found 'bb', which is not a node"));
  EXPECT_EQ(verify(recomputing_stages(), {"--ram-budget", "min"}).status, 2);
  EXPECT_EQ(verify(recomputing_stages(), {"--ram-budget", "chip"}).status, 2);
  EXPECT_EQ(poet_solve({"verify", "-"}, recomputing_stages().dump()).status, 2);
  EXPECT_EQ(poet_solve({"verify", "-", "--platform", "m4"}, recomputing_stages().dump()).status, 2);
  const Finished other =
      poet_solve({"verify", "-", "--model", "linear", "--platform", "m4", "--compact"},
                 verify(recomputing_stages()).out);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("found the nodes of another graph than --model has"));
}

TEST_F(Drafts, AreTheOnlyFile) {
  const std::string draft = folder_.write("draft.json", recomputing_stages().dump());
  const std::string whole = folder_.write("whole.json", verify(recomputing_stages()).out);
  const Finished among = poet_solve({"verify", whole, draft, "--model", model_});
  EXPECT_EQ(among.status, 2);
  EXPECT_THAT(among.err, HasSubstr("whole.json: valid"));
  EXPECT_THAT(among.err, HasSubstr("draft.json: found no 'code'"));
  const Finished both = poet_solve({"verify", whole, whole, "--compact"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("found 2 files with an option for stages written by hand"));
}

TEST_F(Drafts, HaveTheirOldCommandWhichCompletesAnyFile) {
  const Finished now = verify(recomputing_stages());
  const Finished old =
      poet_solve({"simulate", "-", "--model", model_}, recomputing_stages().dump());
  EXPECT_EQ(old.status, 0);
  EXPECT_EQ(old.out, now.out);
  EXPECT_EQ(old.err,
            "poet-solve: warning: simulate is now verify; this name goes with the next release\n" +
                now.err);
  EXPECT_EQ(poet_solve({"simulate", "-"}, now.out).out, now.out);
}

}  // namespace
}  // namespace poet::test
