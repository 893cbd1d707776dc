// A sweep as single solves that a shell, GNU parallel or a cluster runs.
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

Finished finish_in(const TemporaryFolder& folder, const Words& arguments) {
  Command command = poet_solve_command(arguments);
  command.directory = folder.path();
  return run_program(command);
}

/// What a sweep and collected single solves have in common: all but how each was found.
Lines results(const Lines& lines) {
  Lines common;
  for (const json& line : lines) {
    json kept;
    for (const char* key :
         {"point", "status", "model", "platform", "techniques", "ram_budget_bytes",
          "runtime_budget_seconds", "baseline_peak_ram_bytes"}) {
      kept[key] = line.at(key);
    }
    common.push_back(kept);
  }
  return common;
}

/// Energies differ by the gap that both were asked for at most.
void expect_same_results(const Lines& found, const Lines& expected) {
  ASSERT_EQ(results(found), results(expected));
  for (std::size_t p = 0; p < found.size(); ++p) {
    const json& energy = expected[p].at("energy_joules");
    if (energy.is_null()) continue;
    EXPECT_NEAR(found[p].at("energy_joules").get<double>(), energy.get<double>(),
                2e-4 * energy.get<double>());
  }
}

TEST(SweepShell, ACommandReplacesAScheduleThatAnEarlierOneHasLeft) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("s"));
  const std::string file = "s/0000-linear-m4-both-2x-3255.json";
  static_cast<void>(folder.write(file, poet_solve(quick_problem()).out));
  const Finished dry =
      finish_in(folder, sweep("linear", "m4", "3255", "2", {"--schedules", "s", "--dry-run"}));
  ASSERT_EQ(dry.status, 0);
  const Finished solve =
      run_program({.program = "/bin/sh", .arguments = {"-c", dry.out}, .directory = folder.path()});
  EXPECT_EQ(solve.status, 3);
  EXPECT_EQ(as_document(contents_of(folder.file(file))).at("status"), "infeasible");
}

TEST(SweepShell, ANameWithALineBreakIsNoCommand) {
  const TemporaryFolder folder;
  const std::string model = "x\ntouch pwned\n.json";
  static_cast<void>(folder.write(model, measured_model()));
  const Finished dry =
      finish_in(folder, {"sweep", "--models", "./" + model, "--ram-budget", "60",
                         "--runtime-budget", "2", "--dry-run", "--schedules", "s"});
  EXPECT_EQ(dry.status, 2);
  EXPECT_THAT(dry.err, HasSubstr("--dry-run: found a name with a line break in "));
  EXPECT_EQ(dry.out, "");
}

TEST(SweepShell, ASweepThroughGnuParallelGivesTheSameResults) {
  const std::string parallel = POET_PARALLEL;
  if (parallel.empty()) GTEST_SKIP() << "GNU parallel is not installed";
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("it's a folder"));
  const Words grid =
      sweep("linear,transformer", "m4", "40%,85%,100%", "1.02,3",
            {"--techniques", "both,remat", "--schedules", "it's a folder", "--seed", "3"});
  const Finished dry = finish_in(folder, grid + Words{"--dry-run"});
  EXPECT_EQ(dry.status, 0);
  EXPECT_EQ(count_lines(dry.out), 24U);
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("it's a folder")));

  Command shell{.program = parallel,
                .arguments = {"--will-cite", "--jobs", "2"},
                .stdin_text = dry.out,
                .directory = folder.path()};
  const Finished solves = run_program(shell);
  const Finished collected =
      finish_in(folder, grid + Words{"--collect", "it's a folder", "--output", "collected.jsonl"});
  EXPECT_EQ(collected.status, 0) << collected.err;
  const Finished direct = finish_in(folder, grid + Words{"--output", "direct.jsonl"});
  EXPECT_EQ(direct.status, 0);
  const Lines expected = lines_of(folder.file("direct.jsonl"));
  expect_same_results(lines_of(folder.file("collected.jsonl")), expected);
  const auto infeasible = std::count_if(expected.begin(), expected.end(), [](const json& line) {
    return line.at("status") == "infeasible";
  });
  EXPECT_EQ(solves.status, infeasible) << "parallel counts the commands that do not end with 0";
  // What a sweep writes can be collected as well.
  const Finished again = finish_in(folder, grid + Words{"--collect", "it's a folder"});
  expect_same_results(as_lines(again.out), expected);
}

TEST(SweepShell, TheCommandOfTheDocsEndsWithTheNumberOfPointsWithoutAnAnswer) {
  const std::string parallel = POET_PARALLEL;
  if (parallel.empty()) GTEST_SKIP() << "GNU parallel is not installed";
  const std::string command = "eval {} || [ $? -eq 3 ]";
  for (const char* page : {"docs/sweeps.md"}) {
    EXPECT_THAT(contents_of(std::string(POET_SOURCE_DIR "/") + page),
                HasSubstr("| parallel '" + command + "'\n"));
  }
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("it's a folder"));
  const Finished dry = finish_in(
      folder, sweep("linear", "m4", "40%,60%", "2", {"--schedules", "it's a folder", "--dry-run"}));
  const auto status_of = [&](const std::string& commands) {
    return run_program({.program = parallel,
                        .arguments = {"--will-cite", command},
                        .stdin_text = commands,
                        .directory = folder.path()})
        .status;
  };
  EXPECT_EQ(status_of(dry.out), 0) << "the first point is infeasible";
  EXPECT_EQ(status_of(dry.out + POET_SOLVE " --model none\n"), 1);
}

class Collecting : public testing::Test {
 protected:
  Collecting() { EXPECT_EQ(finish_in(folder_, grid({"--schedules", "s"})).status, 0); }
  static Words grid(const Words& more) { return sweep("linear", "m4", "40%,44%,100%", "2", more); }
  std::string file(const std::string& name) const { return folder_.file("s/" + name); }
  Finished collect() const { return finish_in(folder_, grid({"--collect", "s"})); }

  /// Why the second of the three points failed; the others are as they were solved.
  static std::string reason_of_second(const Finished& run) {
    EXPECT_EQ(run.status, 1);
    const Lines lines = as_lines(run.out);
    std::vector<std::string> statuses;
    for (const json& line : lines) statuses.push_back(line.at("status"));
    EXPECT_THAT(statuses, testing::ElementsAre("infeasible", "failed", "optimal"));
    return lines.size() < 2 ? "" : lines[1].value("reason", "");
  }

  TemporaryFolder folder_;
};

TEST_F(Collecting, SaysWhichFileDidNotComeBack) {
  std::filesystem::remove(file("0001-linear-m4-both-2x-3263.json"));
  EXPECT_THAT(reason_of_second(collect()), HasSubstr("there is no file 's/0001-"));
}

TEST_F(Collecting, AFileThatCannotBeReadFailsItsPointOnly) {
  const std::string path = "s/0001-linear-m4-both-2x-3263.json";
  const std::string whole = contents_of(folder_.file(path));
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string(), whole + "}",
                                  std::string(R"({"format": "poet-model", "version": 1})")}) {
    static_cast<void>(folder_.write(path, text));
    const Finished run = collect();
    EXPECT_THAT(reason_of_second(run), HasSubstr(path));
    EXPECT_THAT(run.err, HasSubstr(path));
  }
}

TEST_F(Collecting, BelievesNoScheduleThatDoesNotReplay) {
  auto broken = json::parse(contents_of(file("0001-linear-m4-both-2x-3263.json")));
  broken.at("summary").at("energy_joules") = 1e-9;
  static_cast<void>(folder_.write("s/0001-linear-m4-both-2x-3263.json", broken.dump()));
  EXPECT_THAT(reason_of_second(collect()), HasSubstr("not valid"));
}

TEST_F(Collecting, AFileAboutAnotherProblemFailsItsPointOnly) {
  std::filesystem::copy_file(file("0002-linear-m4-both-2x-7416.json"),
                             file("0001-linear-m4-both-2x-3263.json"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(reason_of_second(collect()),
              HasSubstr("request.ram_budget_bytes is 7416, expected 3263"));
}

TEST_F(Collecting, NoFileAboutAnotherGraphIsBelieved) {
  // The same names and budgets, and other costs of pages.
  EXPECT_EQ(finish_in(folder_, grid({"--schedules", "s", "--mem-power-scale", "2"})).status, 0);
  const std::string other =
      as_document(contents_of(file("0000-linear-m4-both-2x-2966.json"))).at("graph_sha256");
  const Finished run = collect();
  EXPECT_EQ(run.status, 1);
  const Lines lines = as_lines(run.out);
  ASSERT_EQ(lines.size(), 3U);
  for (const json& line : lines) {
    EXPECT_EQ(line.at("status"), "failed");
    const std::string digest = line.at("graph_sha256");
    EXPECT_THAT(line.at("reason").get<std::string>(),
                HasSubstr("the digest of its graph is " + other + ", expected " + digest));
  }
}

TEST_F(Collecting, AnOldProofThatDoesNotSayOfWhatIsToBeFoundAgain) {
  const std::string name = "0000-linear-m4-both-2x-2966.json";
  json old = as_document(contents_of(file(name)));
  for (const char* key : {"model", "platform", "graph_sha256", "request"}) old.erase(key);
  static_cast<void>(folder_.write("s/" + name, old.dump()));
  const Finished run = collect();
  EXPECT_EQ(run.status, 1);
  const json line = as_lines(run.out).at(0);
  EXPECT_EQ(line.at("status"), "failed");
  EXPECT_THAT(line.at("reason").get<std::string>(), HasSubstr("solve this point again"));
  EXPECT_EQ(as_lines(run.out).at(2).at("status"), "optimal");
}

TEST_F(Collecting, AProofThatAScheduleContradictsIsAnErrorThatNamesBoth) {
  const Words wider = sweep("linear", "m4", "40%,44%,50%", "2");
  EXPECT_EQ(finish_in(folder_, wider + Words{"--schedules", "w"}).status, 0);
  json proof = as_document(contents_of(folder_.file("w/0000-linear-m4-both-2x-2966.json")));
  proof.at("request").at("ram_budget_bytes") = 3708;
  static_cast<void>(folder_.write("w/0002-linear-m4-both-2x-3708.json", proof.dump()));
  const Finished run = finish_in(folder_, wider + Words{"--collect", "w"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("internal error: point 2 is proven infeasible, but the schedule "
                                 "of point 1 fits its limits"));
  EXPECT_EQ(run.out, "");
}

}  // namespace
}  // namespace poet::test
