// Models that go to other solvers, and their solutions that come back as schedules.
#include <filesystem>
#include <regex>
#include <sstream>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

/// The quick problem with the energy that poet-solve proves for it.
class ImportSolution : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    optimum_ = document(poet_solve(quick_problem() + Words{"--gap", "0"}))
                   .at("summary")
                   .at("energy_joules");
  }

  std::string export_to(const std::string& name, const Words& words = quick_problem()) const {
    const std::string path = folder_.file(name);
    const Finished run = poet_solve(words + Words{"--export-model", path, "--no-solve"});
    EXPECT_EQ(run.status, 0) << run.err;
    return path;
  }

  static Finished import(const std::string& solution, const std::string& exported,
                         const Words& words = quick_problem()) {
    return poet_solve(Words{"import-solution", solution, "--exported", exported} + words);
  }

  void expect_optimum(const std::string& solution, const std::string& exported) const {
    const std::string path = folder_.file("schedule.json");
    const Finished run =
        import(solution, exported, quick_problem() + Words{"--output", path, "--compact"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "");
    const auto file = as_document(contents_of(path));
    EXPECT_EQ(file.at("status"), "feasible");
    EXPECT_EQ(file.at("summary").at("lower_bound_joules"),
              file.at("summary").at("baseline_energy_joules"));
    EXPECT_NEAR(file.at("summary").at("energy_joules").get<double>(), optimum_, 1e-9 * optimum_);
    EXPECT_EQ(poet_solve({"verify", path, "--model", "linear", "--platform", "m4"}).status, 0);
  }

  /// Runs another solver; the test fails if it does.
  static std::string ask(const std::string& program, const Words& arguments) {
    const Finished run = run_program({.program = program, .arguments = arguments});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    return run.out;
  }

  /// What a file of Gurobi would hold: a schedule that keeps everything, which is no solution of
  /// the quick problem but of that with all the RAM.
  std::string keep_all(const std::string& exported) const {
    std::string text = "# Solution for model poet\n# Objective value = 1\n";
    std::istringstream lines(contents_of(exported));
    static const std::regex carried(" (C_[0-9]+_[0-9]+) energy .*");
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, match, carried)) text += match[1].str() + " 1\n";
    }
    return folder_.write("gurobi.sol", text);
  }

  TemporaryFolder folder_;
  static inline double optimum_ = 0;
};

TEST_F(ImportSolution, TakesThatOfCbc) {
  if (std::string(POET_CBC).empty()) GTEST_SKIP() << "no cbc (Debian: coinor-cbc)";
  const std::string solution = folder_.file("cbc.sol");
  for (const char* name : {"model.mps", "model.lp"}) {
    const std::string exported = export_to(name);
    ask(POET_CBC, {exported, "solve", "solution", solution});
    expect_optimum(solution, exported);
    ask(POET_CBC, {exported, "printingOptions", "all", "solve", "solution", solution});
    expect_optimum(solution, exported);
  }
}

TEST_F(ImportSolution, TakesThatOfGlpsolByTheOrderOfTheColumns) {
  if (std::string(POET_GLPSOL).empty()) GTEST_SKIP() << "no glpsol (Debian: glpk-utils)";
  const std::string solution = folder_.file("glpsol.sol");
  for (const auto& [name, format] : {std::pair("model.mps", "--freemps"), {"model.lp", "--lp"}}) {
    const std::string exported = export_to(name);
    ask(POET_GLPSOL, {format, exported, "-w", solution});
    expect_optimum(solution, exported);
  }
}

TEST_F(ImportSolution, TakesThatOfHighs) {
  if (!std::filesystem::exists(POET_HIGHS)) {
    GTEST_SKIP() << "no HiGHS; scripts/install-highs puts it there";
  }
  for (const auto& [name, style] : {std::pair("model.mps", "pretty"), {"model.lp", "raw"}}) {
    const std::string exported = export_to(name);
    const std::string text = ask(
        "node", {POET_SOURCE_DIR "/tests/support/highs_solution.cjs", POET_HIGHS, exported, style});
    expect_optimum(folder_.write("highs.sol", text), exported);
  }
}

TEST_F(ImportSolution, ProvesWhatCostsAsMuchAsTheBaseline) {
  const Words everything = problem("linear", "m4", "100%", "2");
  const std::string exported = export_to("model.mps", everything);
  const Finished run = import(keep_all(exported), exported, everything);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(document(run).at("status"), "optimal");
  EXPECT_EQ(document(run).at("summary").at("gap"), 0);
}

TEST_F(ImportSolution, TakesThatOfAModelWithStatedCopiesOnlyWithThese) {
  const Words model = problem("ds_cnn", "m4", "100%", "2") + Words{"--backward", "exact"};
  const std::string copies =
      folder_.write("copies.json", R"({"mode": "int8", "tensors": ["stem.relu", "pool"]})");
  const Words copied = model + Words{"--copies", copies};
  const std::string exported = export_to("model.mps", copied);
  const std::string solution = keep_all(exported);
  const std::string path = folder_.file("schedule.json");
  ASSERT_EQ(import(solution, exported, copied + Words{"--output", path}).status, 0);
  EXPECT_EQ(as_document(contents_of(path)).at("model").at("copies").at("tensors"),
            (Words{"stem.relu", "pool"}));
  const Finished replay =
      poet_solve({"run", path, "--model", "ds_cnn", "--output", folder_.file("run.json")});
  EXPECT_EQ(replay.status, 0) << replay.err;
  EXPECT_THAT(import(solution, exported, model).err, HasSubstr("or set of copies"));
  EXPECT_THAT(poet_solve(model + Words{"--copies", "int8", "--no-solve", "--export-model",
                                       folder_.file("without.mps")})
                  .err,
              HasSubstr("without.mps, without copies: a search chooses them later"));
}

TEST_F(ImportSolution, ReadsStdin) {
  const Words everything = problem("linear", "m4", "100%", "2");
  const std::string exported = export_to("model.mps", everything);
  const std::string text = contents_of(keep_all(exported));
  const Words words{"import-solution", "-", "--exported", exported};
  EXPECT_EQ(poet_solve(words + everything, text).status, 0);
  const Finished twice = poet_solve(words + problem("-", "m4", "100%", "2"), text);
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("found - twice"));
}

TEST_F(ImportSolution, NamesTheStageTheNodeAndTheRule) {
  const std::string exported = export_to("model.mps");
  const Finished run = import(keep_all(exported), exported);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, testing::ContainsRegex(
                           "gurobi.sol: the solution breaks rule 5 \\(RAM\\): stage [0-9]+: [0-9]+ "
                           "bytes are in RAM while computing [0-9]+ \\("));
  expect_error_document(document(run), 2);
}

TEST_F(ImportSolution, RefusesAnotherProblemAndSaysWhatDiffers) {
  const std::string exported = export_to("model.mps");
  const std::string solution = keep_all(exported);
  const auto error = [&](const Words& words) {
    const Finished run = import(solution, exported, words);
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  EXPECT_THAT(error(problem("linear", "m4", "3600", "2")),
              HasSubstr("--exported: " + exported +
                        ": RAM budget: found '3500 bytes'; expected '3600 bytes'"));
  EXPECT_THAT(error(problem("linear", "m4", "3500", "1.5")), HasSubstr(": runtime budget: found "));
  EXPECT_THAT(error(problem("linear", "a72", "3500", "2")), HasSubstr(": platform: found 'm4, "));
  EXPECT_THAT(error(problem("transformer", "m4", "3500", "2")),
              HasSubstr(": model: found 'linear, "));
  EXPECT_THAT(error(quick_problem() + Words{"--batch-size", "2"}),
              HasSubstr(": batch size: found '1'; expected '2'"));
  EXPECT_THAT(error(quick_problem() + Words{"--mem-power-scale", "3"}),
              HasSubstr(": memory power scale: found '1'; expected '3'"));
  EXPECT_THAT(error(quick_problem() + Words{"--no-remat"}),
              HasSubstr(": techniques: found 'paging and recomputation'; expected 'paging'"));
  EXPECT_THAT(error(problem("linear", "m4", "min", "2")), HasSubstr("--ram-budget: found min"));
}

TEST_F(ImportSolution, RefusesWhatIsNoSolutionOfTheFile) {
  const std::string exported = export_to("model.mps");
  const auto error = [&](const std::string& text) {
    const Finished run = import(folder_.write("x.sol", text), exported);
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  EXPECT_THAT(error("Infeasible - objective value 5\n"), HasSubstr("CBC found no solution"));
  EXPECT_THAT(error("# Objective value = 1\nx_1 1\n"),
              HasSubstr("x.sol:2: found a value of 'x_1'"));
  EXPECT_THAT(error("# Objective value = 1\nC_1_0 0.5\n"), HasSubstr("column C_1_0 is 0.5"));
  EXPECT_THAT(error("s mip 1 2 o 1\ni 1 0\nj 1 0\nj 2 0\ne o f\n"),
              HasSubstr("found a solution of 2 columns; expected "));
  EXPECT_THAT(error(contents_of(exported).substr(0, 2000)),
              HasSubstr("expected a solution of CBC, glpsol -w, HiGHS or Gurobi"));
}

TEST_F(ImportSolution, NeedsTheExportedFile) {
  const std::string solution = folder_.write("x.sol", "# Objective value = 1\nC_1_0 1\n");
  const Finished without = poet_solve(Words{"import-solution", solution} + quick_problem());
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.err, HasSubstr("--exported: missing"));
  EXPECT_THAT(import(solution, solution).err,
              HasSubstr("--exported: " + solution + ": found no model of --export-model"));
  EXPECT_THAT(import(solution, folder_.file("none.mps")).err, HasSubstr("none.mps: cannot read: "));
  EXPECT_THAT(import(solution, "-").err, HasSubstr("--exported: found -; expected a file"));
}

}  // namespace
}  // namespace poet::test
