#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  EXPECT_THAT(run.out, Not(HasSubstr("one sample"))) << "the batch has one already";
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

}  // namespace
}  // namespace poet::test
