// Parameters and data that the command run takes from files of NumPy.

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

const std::string kArrays = POET_TEST_DATA "/arrays/";

class RunWithFiles : public testing::Test {
 protected:
  void SetUp() override {
    const Finished solved = poet_solve(problem(kModel, "m4", "100%", "1.5") +
                                       Words{"--effort", "fast", "--output", schedule_});
    ASSERT_EQ(solved.status, 0) << solved.err;
  }

  Finished run(const Words& options) const {
    return poet_solve(Words{"run", schedule_, "--model", kModel} + options);
  }

  /// Expects bad input, said so, with nothing on stdout.
  void expect_error(const Words& options, const std::string& part) const {
    const Finished finished = run(options);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr(part));
  }

  inline static const std::string kModel = kArrays + "model.json";
  TemporaryFolder folder_;
  std::string schedule_ = folder_.file("schedule.json");
};

// NumPy 1.24 computed the loss in float64 from the same files: 1.2305734686478143.
TEST_F(RunWithFiles, GivesTheLossThatNumpyComputes) {
  const std::string raw = folder_.write("x.bin", contents_of(kArrays + "input.npy").substr(128));
  const std::string classes = folder_.write("y.bin", std::string("\1\0\0\0\3\0\0\0", 8));
  const std::vector<Words> all = {{"--parameters", kArrays + "stored.npz", "--input",
                                   kArrays + "input.npy", "--target", kArrays + "target.npy"},
                                  {"--parameters", kArrays + "deflated.npz", "--input",
                                   "input=" + raw, "--target", "loss=" + classes}};
  for (const Words& options : all) {
    const Finished finished = run(options);
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_NEAR(document(finished).at("losses").at(0), 1.2305734686478143, 1e-6);
  }
}

TEST_F(RunWithFiles, GivesLossAndAccuracyOfAForwardPassOverAllSamples) {
  std::string text = contents_of(kModel);
  text.replace(text.find("[2, 2, 6]"), 9, R"(["N", 2, 6])");
  const std::string model = folder_.write("model.json", text);
  const Words solve = problem(model, "m4", "100%", "1.5") + Words{"--backward", "none"};
  const Words batch{"--batch-size", "2", "--replace", "--output", schedule_};
  ASSERT_EQ(poet_solve(solve + batch).status, 0);
  const Words words{"run", schedule_, "--model", model, "--parameters", kArrays + "stored.npz"};
  const std::string x = kArrays + "input.npy";
  const std::string y = kArrays + "target.npy";
  const json once = document(poet_solve(words + Words{"--input", x, "--target", y}));
  const Finished finished = poet_solve(words + Words{"--data", x, y});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json line = json::parse(finished.out);
  EXPECT_EQ(line.at("steps"), 1);
  EXPECT_EQ(line.at("rows"), 2);
  EXPECT_EQ(line.at("loss"), once.at("losses").at(0));
  EXPECT_EQ(line.at("accuracy"), line.at("correct").get<double>() / 2);
  EXPECT_THAT(finished.err, HasSubstr("all batches: loss "));
}

TEST_F(RunWithFiles, TakesWhatNoFileGivesFromTheSeed) {
  const json seeded = document(run({})).at("losses");
  EXPECT_NE(document(run({"--target", kArrays + "target.npy"})).at("losses"), seeded);
  EXPECT_NE(document(run({"--input", kArrays + "input.npy"})).at("losses"), seeded);
}

TEST_F(RunWithFiles, RefusesWhatDoesNotFit) {
  expect_error({"--parameters", kArrays + "input.npy"}, "--parameters: ");
  expect_error({"--parameters", folder_.file("none.npz")}, "No such file");
  expect_error({"--input", kArrays + "target.npy"}, "found the shape (2); expected (2, 2, 6)");
  expect_error({"--target", kArrays + "input.npy"}, "--target: ");
  expect_error({"--target", folder_.write("y.bin", std::string("\1\0\0\0\4\0\0\0", 8))},
               "element 1 is 4; expected an index from 0 to 3");
  expect_error({"--input", "inpt=" + kArrays + "input.npy"}, "did you mean 'input'?");
  expect_error({"--input", kArrays + "input.npy", "--input", kArrays + "input.npy"},
               "'input' has a file already");
}

TEST_F(RunWithFiles, NamesEveryParameterThatIsMissing) {
  const Finished finished = poet_solve(
      problem("linear", "m4", "100%", "1.5") +
      Words{"--backward", "exact", "--effort", "fast", "--replace", "--output", schedule_});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const Finished refused =
      poet_solve({"run", schedule_, "--model", "linear", "--parameters", kArrays + "stored.npz"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("'fc1.weight': missing; expected an array of the shape (10, 784)"),
                    HasSubstr("'fc6.bias': missing"), HasSubstr("'conv.weight': found an array")));
}

}  // namespace
}  // namespace poet::test
