// From an ONNX file to a schedule.
#include <filesystem>

#include "cli/poet_solve.hpp"
#include "support/contents_of.hpp"
#ifdef POET_HAS_ONNX
#include "support/onnx_text.hpp"
#endif

namespace poet::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ImportCommand : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string output_ = folder_.file("net.json");
};

#ifdef POET_HAS_ONNX

TEST_F(ImportCommand, WritesAModelFileThatIsSolvedAlike) {
  const std::string network = folder_.write("net.onnx", onnx_bytes(kSmallOnnx));
  const Finished run = poet_solve({"import", network, "--output", output_});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("141 parameters"));
  const auto solved = [](const std::string& model) {
    return document(poet_solve(problem(model, "m4", "80%", "2")));
  };
  const nlohmann::json from_network = solved(network);
  const nlohmann::json from_model = solved(output_);
  EXPECT_EQ(from_network.at("status"), "optimal");
  EXPECT_EQ(from_network.at("summary"), from_model.at("summary"));
  EXPECT_EQ(from_network.at("model").at("sha256"), from_model.at("model").at("sha256"));
}

TEST_F(ImportCommand, TakesWhatTheFileDoesNotSay) {
  const std::string network = folder_.write("net.onnx", onnx_bytes(kSmallOnnx));
  const Finished run = poet_solve(
      {"import", network, "--loss", "mse", "--trainable", "last:1", "--shape", "x=2,3,8,8"});
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json model = document(run);
  EXPECT_EQ(model.at("layers").back().at("op"), "mse");
  EXPECT_EQ(model.at("layers")[0].at("trainable"), false);
  EXPECT_EQ(model.at("input").at("shape"), nlohmann::json({2, 3, 8, 8}));
  const Finished info = poet_solve({"info", network, "--trainable", "last:1", "--json"});
  EXPECT_EQ(document(info).at("parameter_count"), 141) << info.err;
}

TEST_F(ImportCommand, LeavesNothingBehindWhenItFails) {
  const std::string broken = folder_.write("net.onnx", "no model");
  const auto expect = [&](const Words& words, const std::string& part) {
    const Finished run = poet_solve(Words{"import"} + words + Words{"--output", output_});
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(output_));
  };
  expect({broken}, "expected an ONNX model");
  expect({folder_.file("none.onnx")}, "none.onnx");
  const std::string network = folder_.write("good.onnx", onnx_bytes(kSmallOnnx));
  expect({network, "--custom", "Sin"}, "--custom");
  expect({network, "--custom", "Sin=0"}, "--custom");
  expect({network, "--shape", "x=1,,2"}, "--shape");
  expect({network, "--loss", "hinge"}, "--loss");
  expect({network, "--set", "x"}, "--set: found 'x'; expected NAME=VALUE");
  expect({network, "--set", "z=1"}, "--set: no input has the name 'z'");
  expect({network, "--shape", "2,3"}, "--shape: found 2 extents for the input 'x', which has 4");
}

TEST_F(ImportCommand, MakesAnInputAConstant) {
  const std::string network = folder_.write("net.onnx", onnx_bytes(R"(
net (float[N,8] x, float ratio, bool training) => (float[N,8] y) {
  a = Dropout(x, ratio, training)
  y = Relu(a)
})"));
  const Finished run = poet_solve({"import", network, "--set", "training=1", "--set", "ratio=0.5"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(document(run).at("layers")[0].at("op"), "dropout");
  const Finished other = poet_solve({"info", "linear", "--set", "training=1"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("--set"), HasSubstr(".onnx")));
}

TEST_F(ImportCommand, DoesNotReplaceItsNetwork) {
  const std::string bytes = onnx_bytes(kSmallOnnx);
  const std::string network = folder_.write("net.onnx", bytes);
  const Finished run = poet_solve({"import", network, "--output", folder_.file("./net.onnx")});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--output: found the file of NETWORK"));
  EXPECT_EQ(contents_of(network), bytes);
}

#else

TEST_F(ImportCommand, SaysWhatABuildWithoutOnnxIsMissing) {
  const std::string network = folder_.write("net.onnx", "");
  for (const Words& words : {Words{"import", network}, Words{"info", network}}) {
    const Finished run = poet_solve(words);
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, AllOf(HasSubstr("libonnx-dev"), HasSubstr("libprotobuf-dev")));
  }
}

#endif

TEST_F(ImportCommand, IsNamedWhereAModelFileIsExpected) {
  const Finished run = poet_solve({"sweep", "--models", "net.onnx", "--platforms", "m4",
                                   "--ram-budget", "60%", "--runtime-budget", "2"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("poet-solve import"));
  const Finished other = poet_solve({"info", "linear", "--loss", "mse"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("--loss"), HasSubstr(".onnx")));
}

}  // namespace
}  // namespace poet::test
