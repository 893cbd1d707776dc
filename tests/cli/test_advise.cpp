#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

Words advise(const std::string& model, const std::string& ram) {
  return Words{"advise"} + problem(model, "m4", ram, "2") + Words{"--time-limit-s", "5"};
}

TEST(Advise, TriesChangesAndSaysWhatIsProven) {
  const Finished run = poet_solve(advise("ds_cnn", "80K"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("none +627.2 KiB +does not fit, which is proven\n"));
  EXPECT_THAT(run.out, testing::ContainsRegex("only the last layer with weights trains +62.5 KiB +"
                                              "[0-9.]+ mJ, 62.5 KiB of RAM; exactly optimal\n"));
  EXPECT_THAT(run.out, HasSubstr("another order of the nodes"));
  EXPECT_THAT(run.out,
              testing::ContainsRegex("read bytes \\(--copies int8\\) +627.2 KiB +nothing"));
  EXPECT_THAT(run.out, Not(HasSubstr("one sample"))) << "the batch has one already";
  EXPECT_THAT(run.out, Not(HasSubstr("bytes (int8)"))) << "the budget is for tensors";
  EXPECT_THAT(run.out, HasSubstr("what trains keeps 92.8 KiB beside tensors, most of it for "
                                 "block1.pointwise.conv (16.25 KiB), "));
}

TEST(Advise, TriesBytesThatGradientsRead) {
  const Finished run = poet_solve(advise(POET_TEST_DATA "/cases/norm_model.json", "28000"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("none +35.06 KiB +does not fit, which is proven\n"));
  EXPECT_THAT(run.out, testing::ContainsRegex("read bytes \\(--copies int8\\) +35.06 KiB +[0-9.]+ "
                                              "uJ, 24.06 KiB of RAM; exactly optimal\n"));
}

TEST(Advise, EndsWithThreeIfNothingFits) {
  const Finished run = poet_solve(advise("linear", "100"));
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.out, Not(HasSubstr("of RAM")));
}

TEST(Advise, LeavesOutWhatIsInPlace) {
  const TemporaryFolder folder;
  const std::string model = folder.write("net.json", R"({"format": "poet-model", "version": 2,
 "name": "net", "input": {"shape": ["N", 8]}, "layers": [
  {"name": "fc", "op": "linear", "inputs": ["input"], "out_features": 8},
  {"name": "relu", "op": "relu", "inputs": ["fc"], "mask": true},
  {"name": "fc2", "op": "linear", "inputs": ["relu"], "out_features": 4},
  {"name": "loss", "op": "mse", "inputs": ["fc2"]}]})");
  const std::string out = poet_solve(advise(model, "64K") + Words{"--batch-size", "4"}).out;
  EXPECT_THAT(out, HasSubstr("one sample in a batch"));
  EXPECT_THAT(out, HasSubstr("only the last layer with weights trains"));
  EXPECT_THAT(out, Not(HasSubstr("masks of activations")));
  EXPECT_THAT(out, Not(HasSubstr("last 3 layers with")));
}

// As importers write it: `inputs` by name. From stdin, which can be read once.
TEST(Advise, TriesParametersAndLimitsOfAModelFromStdin) {
  const Finished run =
      poet_solve(words_of("advise --model - --platform stm32f746 --set ram=20K --ram-budget chip "
                          "--runtime-budget 2 --no-paging --time-limit-s 5"),
                 R"({"format": "poet-model", "version": 2, "name": "net",
 "inputs": {"x": {"shape": ["N", 1, 8, 8]}}, "layers": [
  {"name": "conv", "op": "conv2d", "inputs": ["x"], "out_channels": 4, "kernel": 3,
   "trainable": false},
  {"name": "fc", "op": "linear", "inputs": ["conv"], "out_features": 8},
  {"name": "loss", "op": "mse", "inputs": ["fc"]}]})");
  EXPECT_THAT(run.out, HasSubstr("\nfrozen weights as bytes (int8)"));
  EXPECT_THAT(run.out, HasSubstr("\nan input of half the side"));
  EXPECT_THAT(run.out, HasSubstr("\npaging and recomputation without limits"));
  EXPECT_THAT(run.out, HasSubstr("most of it for fc ("));
  EXPECT_EQ(run.status, 0) << run.err << run.out;
}

}  // namespace
}  // namespace poet::test
