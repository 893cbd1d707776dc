// Measured costs: run --profile, and the ticks of a board.

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

class MeasuredCosts : public testing::Test {
 protected:
  void SetUp() override {
    const Finished solved =
        poet_solve(problem("linear", "m4", "60%", "3") +
                   Words{"--backward", "exact", "--effort", "fast", "--time-limit-s", "5",
                         "--no-remat", "--output", schedule_});
    ASSERT_EQ(solved.status, 0) << solved.err;
    file_ = json::parse(contents_of(schedule_));
  }

  /// Ticks as the schedule predicts them, in units of this many seconds.
  std::string ticks(double seconds_per_tick) const {
    std::string text = "instruction,ticks\n";
    for (std::size_t i = 0; i < file_.at("program").size(); ++i) {
      const json& step = file_["program"][i];
      const json& node = file_["nodes"][step.at("node").get<std::size_t>()];
      const std::string op = step.at("op");
      const std::string key = op == "compute"    ? "runtime_seconds"
                              : op == "page_in"  ? "page_in_seconds"
                              : op == "page_out" ? "page_out_seconds"
                                                 : "";
      if (key.empty()) continue;
      text += std::to_string(i) + "," + json(node.value(key, 0.0) / seconds_per_tick).dump() + "\n";
    }
    return text;
  }

  Finished fit(const std::string& text, const Words& options = {}) const {
    return poet_solve(Words{"fit", folder_.write("ticks.csv", text), schedule_, "--model", "linear",
                            "--output", board_} +
                      options);
  }

  /// Expects exit 2 with this, and nothing written.
  void expect_error(const std::string& text, const std::string& part,
                    const Words& options = {}) const {
    const Finished finished = fit(text, options);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(board_));
  }

  /// Both files of a folder are solved.
  void expect_solved(const std::string& folder) const {
    const Words quick = {"--effort", "fast",     "--time-limit-s",
                         "5",        "--output", folder_.file("again.json"),
                         "--replace"};
    const Finished measured =
        poet_solve(Words{"--model", folder + "/model.json", "--ram-budget", "60%",
                         "--runtime-budget", "3", "--paging-time", "blocking"} +
                   quick);
    EXPECT_EQ(measured.status, 0) << measured.err;
    const Finished fitted = poet_solve(problem("linear", folder + "/platform.json", "60%", "3") +
                                       Words{"--backward", "exact"} + quick);
    EXPECT_EQ(fitted.status, 0) << fitted.err;
  }

  TemporaryFolder folder_;
  std::string schedule_ = folder_.file("schedule.json");
  std::string board_ = folder_.file("board");
  json file_;
};

TEST_F(MeasuredCosts, OfABoardGiveBackItsPlatform) {
  const Finished finished = fit(ticks(4e-8), {"--ticks-per-second", "25e6"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, AllOf(HasSubstr("worst node"), HasSubstr("linear_gradw"),
                                  HasSubstr("a step takes ")));
  const json platform = json::parse(contents_of(board_ + "/platform.json"));
  EXPECT_NEAR(platform.at("flops_per_second"), 6369910.145264308, 1);
  EXPECT_NEAR(platform.at("page_in").at("bytes_per_second"), 4616510, 100);
  EXPECT_NEAR(platform.at("page_in").at("latency_seconds"), 0.000109, 1e-7);
  EXPECT_EQ(platform.at("ram_bytes"), 262144);
  expect_solved(board_);
}

TEST_F(MeasuredCosts, OfABoardHaveTheSizesOfTheNamedPlatform) {
  const std::string moved = folder_.write("moved.json", R"({"format": "poet-platform", "version": 1,
      "name": "moved", "flops_per_second": 1, "flops_per_joule": 1, "ram_bytes": 12345,
      "page_in": {"latency_seconds": 0, "bytes_per_second": 1},
      "page_out": {"latency_seconds": 0, "bytes_per_second": 1},
      "memory_power_watts": 1})");
  const Finished finished = fit(ticks(4e-8), {"--ticks-per-second", "25e6", "--platform", moved});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json platform = json::parse(contents_of(board_ + "/platform.json"));
  EXPECT_EQ(platform.at("name"), "moved-measured");
  EXPECT_EQ(platform.at("ram_bytes"), 12345);
  EXPECT_NEAR(platform.at("flops_per_second"), 6369910.145264308, 1);
  std::filesystem::remove_all(board_);
  expect_error(ticks(1), "--platform: ", {"--platform", "nowhere"});
}

TEST_F(MeasuredCosts, OfABoardStateTheirSpreadIfAskedFor) {
  const std::string once = ticks(1e-6);
  const std::string twice = once + ticks(0.5e-6).substr(once.find('\n') + 1);
  const Finished apart = fit(twice);
  ASSERT_EQ(apart.status, 0);
  EXPECT_THAT(apart.err, HasSubstr("the times of the same step are 67 % apart"));
  EXPECT_EQ(json::parse(contents_of(board_ + "/platform.json")).at("version"), 1);
  std::filesystem::remove_all(board_);
  ASSERT_EQ(fit(twice, {"--intervals"}).status, 0);
  const json platform = json::parse(contents_of(board_ + "/platform.json"));
  EXPECT_EQ(platform.at("version"), 2);
  EXPECT_EQ(platform.at("standing"), "measured");
  const json rate = platform.at("ops").at("linear").at("flops_per_second");
  EXPECT_NEAR(rate.at(1).get<double>() / rate.at(0).get<double>(), 2, 1e-6);
  expect_solved(board_);
}

TEST_F(MeasuredCosts, OfABoardAreOnlyShownWithoutAFolder) {
  const Finished finished = poet_solve({"fit", "-", schedule_, "--model", "linear"}, ticks(1e-6));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, AllOf(HasSubstr("linear_gradw"), Not(HasSubstr("apart"))));
  EXPECT_THAT(folder_.contents(), ElementsAre("schedule.json"));
}

TEST_F(MeasuredCosts, OfABoardAreRefusedIfTheyAreWrong) {
  const std::string fine = ticks(1e-6);
  expect_error(fine.substr(0, fine.rfind('\n', fine.size() - 2) + 1),
               "found no time of instruction");
  expect_error(fine + "0,-1\n", "found the ticks '-1'");
  expect_error(fine + "9999,1\n", "found the instruction '9999'");
  expect_error("instruction,ticks\n0,0\n", "found no time of instruction 1");
  expect_error("{}", "found no column 'instruction'");
  expect_error(fine, "--ticks-per-second", {"--ticks-per-second", "0"});

  const Words call = {"fit", folder_.file("ticks.csv"), schedule_, "--output"};
  folder_.write("ticks.csv", fine);
  EXPECT_THAT(poet_solve(call + Words{board_, "--model", "ds_cnn"}).err,
              HasSubstr("found a model with the SHA-256"));
  EXPECT_THAT(poet_solve(call + Words{board_}).err, HasSubstr("--model: missing"));
  EXPECT_THAT(poet_solve(call + Words{schedule_, "--model", "linear"}).err,
              HasSubstr("is not a directory; expected one"));
  EXPECT_FALSE(std::filesystem::exists(board_));

  poet_solve(quick_problem() + Words{"--replace", "--output", folder_.file("chain.json")});
  EXPECT_THAT(poet_solve({"fit", folder_.file("ticks.csv"), folder_.file("chain.json"), "--model",
                          "linear"})
                  .err,
              HasSubstr("the backward pass 'poet-chain', which is not a training step"));
  file_["summary"]["energy_joules"] = 1;
  folder_.write("schedule.json", file_.dump());
  const Finished invalid = poet_solve(call + Words{board_, "--model", "linear"});
  EXPECT_EQ(invalid.status, 5) << invalid.err;
  EXPECT_THAT(invalid.err, HasSubstr("nothing was fitted"));
  EXPECT_FALSE(std::filesystem::exists(board_));
  folder_.write("schedule.json", "{}");
  expect_error(fine, "schedule.json");
}

TEST_F(MeasuredCosts, OfThisMachineAreAccepted) {
  const Finished finished =
      poet_solve({"run", schedule_, "--model", "linear", "--steps", "5", "--profile", board_});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(document(finished).at("equal"), true);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("worst node"), HasSubstr("platform.json written")));
  const json model = json::parse(contents_of(board_ + "/model.json"));
  double seconds = 0;
  for (const json& node : model.at("nodes")) seconds += node.at("runtime_seconds").get<double>();
  EXPECT_GT(seconds, 0);
  expect_solved(board_);
}

TEST_F(MeasuredCosts, OfThisMachineNeedAFolderAndAModelFile) {
  const Words run = {"run", schedule_, "--model", "linear", "--profile"};
  EXPECT_THAT(poet_solve(run + Words{schedule_}).err,
              HasSubstr("is not a directory; expected one"));
  const Finished piped = poet_solve({"run", schedule_, "--model", "-", "--profile", board_}, "{}");
  EXPECT_EQ(piped.status, 2);
  EXPECT_THAT(piped.err, HasSubstr("found --model -, which can be read only once"));
}

}  // namespace
}  // namespace poet::test
