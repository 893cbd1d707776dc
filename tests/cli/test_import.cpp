// From an ONNX file to a schedule.
#include <filesystem>

#include "arrays/read_arrays.hpp"
#include "cli/poet_solve.hpp"
#include "support/contents_of.hpp"
#ifdef POET_HAS_ONNX
#include "support/onnx_text.hpp"
#endif

namespace poet::test {
namespace {

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
  EXPECT_THAT(run.err, HasSubstr("'python3 -m poet.check " + network + "' compares these layers"));
  const auto solved = [](const std::string& model) {
    return document(poet_solve(problem(model, "m4", "80%", "2")));
  };
  const nlohmann::json from_network = solved(network);
  const nlohmann::json from_model = solved(output_);
  EXPECT_EQ(from_network.at("status"), "optimal");
  EXPECT_EQ(from_network.at("summary"), from_model.at("summary"));
  EXPECT_EQ(from_network.at("model").at("sha256"), from_model.at("model").at("sha256"));
}

TEST_F(ImportCommand, KeepsWeightsAsLayersHaveThem) {
  const std::string network = folder_.write("net.onnx", onnx_bytes(R"(
net (float[N,3] x) => (float[N,2] y)
<float[3,2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {7, 8}, float[2,2] v = {1, 2, 3, 4}> {
  h = MatMul(x, w)
  a = Add(h, b)
  r = Relu(a)
  y = Gemm<transB=1>(r, v)
})"));
  const std::string weights = folder_.file("net.npz");
  const Finished run =
      poet_solve({"import", network, "--output", output_, "--parameters-output", weights});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::vector<NamedArray> arrays = parse_npz(contents_of(weights), weights, 1 << 20);
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_THAT(arrays[0].array.shape, ElementsAre(2, 3));
  EXPECT_THAT(arrays[0].array.values, ElementsAre(1, 3, 5, 2, 4, 6)) << "out x in";
  EXPECT_THAT(arrays[1].array.values, ElementsAre(7, 8));
  EXPECT_THAT(arrays[2].array.values, ElementsAre(1, 2, 3, 4));
  const nlohmann::json layers = nlohmann::json::parse(contents_of(output_)).at("layers");
  EXPECT_EQ(arrays[0].name, layers[0].at("name").get<std::string>() + ".weight");

  // The file of the network stands for the model wherever a schedule of it is given.
  const std::string schedule = folder_.file("schedule.json");
  ASSERT_EQ(poet_solve(problem(network, "m4", "100%", "2") + Words{"--output", schedule}).status,
            0);
  const Finished ran = poet_solve({"run", schedule, "--model", network, "--parameters", weights});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const Finished exported = poet_solve({"export", schedule, "--model", network, "--parameters",
                                        weights, "--output", folder_.file("plan")});
  EXPECT_EQ(exported.status, 0) << exported.err;
  const Finished other = poet_solve({"run", schedule, "--model", network, "--loss", "mse"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err,
              AllOf(HasSubstr("net.onnx: found a model with the SHA-256"), HasSubstr("expected")));
  const Finished ignored = poet_solve({"run", schedule, "--model", output_, "--loss", "mse"});
  EXPECT_EQ(ignored.status, 2);
  EXPECT_THAT(ignored.err, HasSubstr("--loss: found with the model"));
}

TEST_F(ImportCommand, SaysWhichWeightsAreMissing) {
  const std::string network = folder_.write("net.onnx", onnx_bytes(kSmallOnnx));
  const std::string weights = folder_.file("net.npz");
  const auto expect_error = [&](const Words& options, const std::string& part) {
    const Finished run = poet_solve(Words{"import", network, "--output", output_} + options);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(output_));
    EXPECT_FALSE(std::filesystem::exists(weights));
  };
  expect_error({"--parameters-output", weights}, "the file has no numbers of the weight 'w'");
  expect_error({"--parameters-output", weights}, "the file has no numbers of the weight 'fb'");
  expect_error({"--parameters-output", folder_.file("none/net.npz")}, "--parameters-output: ");
  expect_error({"--parameters-output", output_},
               "--parameters-output: found " + output_ + ", the same file as --output");
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
  const Finished bytes = poet_solve({"import", network, "--trainable", "last:1", "--frozen-weights",
                                     "int8", "--shape", "x=2,3,8,8"});
  EXPECT_EQ(document(bytes).at("layers")[0].at("frozen_weights"), "int8") << bytes.err;
  const Finished copied = poet_solve({"import", network, "--trainable", "conv*",
                                      "--frozen-parameters", "copied", "--shape", "x=2,3,8,8"});
  EXPECT_EQ(document(copied).at("layers")[1].at("frozen_parameters"), "copied") << copied.err;
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
  EXPECT_THAT(run.err, HasSubstr("the same file as NETWORK"));
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
