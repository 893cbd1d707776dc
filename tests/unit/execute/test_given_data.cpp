// Names and shapes of parameters, and data of a user in the place of those of the seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "execute/given_data.hpp"
#include "expect_input_error.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"

namespace poet::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kDense = R"(
  {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 2},
  {"name": "n", "op": "layer_norm", "inputs": ["a"]},
  {"name": "loss", "op": "cross_entropy", "inputs": ["n"], "classes": 2})";

std::vector<std::string> names_of(const TrainingStep& step) {
  std::vector<std::string> names;
  for (const StepParameters& each : step.parameters) {
    for (const StepTensor& tensor : each.tensors) names.push_back(tensor.name);
  }
  return names;
}

NamedArray array_of(const std::string& name, const std::vector<std::int64_t>& shape, double value) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return {name, {.shape = shape, .values = std::vector<double>(count, value)}};
}

std::vector<NamedArray> dense_arrays() {
  return {array_of("a.weight", {2, 3}, 0.5), array_of("a.bias", {2}, 0.1),
          array_of("n.weight", {2}, 2), array_of("n.bias", {2}, 3)};
}

std::string error_of(const std::vector<NamedArray>& arrays) {
  const TrainingStep step = bound_step(exact_text("[1, 3]", kDense));
  GivenData given;
  return input_error([&] { give_parameters(step, arrays, "p.npz", given); });
}

TEST(ParameterNames, AreThoseOfPyTorch) {
  EXPECT_THAT(names_of(bound_step(exact_text("[1, 3]", kDense))),
              ElementsAre("a.weight", "a.bias", "n.weight", "n.bias"));
  const std::string cell = exact_text("[1, 3]", R"(
      {"name": "start", "op": "parameter", "shape": [1, 3]},
      {"name": "in", "op": "add", "inputs": ["input", "start"]},
      {"name": "cell", "op": "lstm", "inputs": ["in", "h", "c"]},
      {"name": "fc", "op": "linear", "inputs": ["cell"], "out_features": 2, "bias": false},
      {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 2})",
                                      R"("update": "buffered",
      "inputs": {"h": {"shape": [1, 2]}, "c": {"shape": [1, 2]}},)");
  EXPECT_THAT(names_of(bound_step(cell)),
              ElementsAre("start", "cell.weight_ih", "cell.bias_ih", "cell.weight_hh",
                          "cell.bias_hh", "fc.weight"));
}

TEST(GivenParameters, ReplaceThoseOfTheSeed) {
  const TrainingStep step = bound_step(exact_text("[1, 3]", kDense));
  GivenData given;
  std::vector<NamedArray> arrays = dense_arrays();
  arrays.push_back(array_of("n.running_mean", {2}, 0));
  arrays.push_back(array_of("n.num_batches_tracked", {}, 0));
  give_parameters(step, arrays, "p.npz", given);
  TrainingState state = initial_state(step, 1);
  const TrainingState seeded = state;
  apply(step, given, state);
  EXPECT_THAT(state.parameters[0], ElementsAre(0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.1F, 0.1F));
  EXPECT_THAT(state.parameters[1], ElementsAre(2, 2, 3, 3));
  EXPECT_EQ(state.inputs, seeded.inputs);
}

TEST(GivenParameters, AreRefusedWithEverythingThatIsWrong) {
  std::vector<NamedArray> arrays = dense_arrays();
  arrays[0] = array_of("a.weight", {3, 2}, 0);
  arrays[1].name = "a.bios";
  arrays[2].array.values[1] = 1e300;
  arrays[3].array.is_integer = true;
  EXPECT_THAT(
      error_of(arrays),
      AllOf(HasSubstr("p.npz: 'a.weight': found the shape (3, 2); expected (2, 3)"),
            HasSubstr("'a.bios': found an array of this name, which is no parameter of the "
                      "model; did you mean 'a.bias'?"),
            HasSubstr("'a.bias': missing; expected an array of the shape (2)"),
            HasSubstr("'n.weight': element 1 is 1e+300"), HasSubstr("'n.bias': found integers")));
  arrays = dense_arrays();
  arrays.push_back(array_of("b.running_mean", {2}, 0));
  EXPECT_THAT(error_of(arrays), AllOf(HasSubstr("'b.running_mean': found an array of this name"),
                                      Not(HasSubstr("a.weight"))));
}

TEST(GivenParameters, MayHaveMoreOrFewerExtentsOfOne) {
  std::vector<NamedArray> arrays = dense_arrays();
  arrays[0].array.shape = {2, 1, 3, 1};
  const TrainingStep step = bound_step(exact_text("[1, 3]", kDense));
  GivenData given;
  give_parameters(step, arrays, "p.npz", given);
  EXPECT_EQ(given.parameters.size(), 2U);
}

TEST(GivenData, HasToSuitTheStep) {
  const StepData floats{.name = "x", .shape = {1, 3}, .count = 3};
  const NumberArray three{.has_shape = false, .values = {1, 2, -3}};
  EXPECT_THAT(data_bits(floats, three, "x.bin"),
              ElementsAre(std::bit_cast<std::uint32_t>(1.0F), std::bit_cast<std::uint32_t>(2.0F),
                          std::bit_cast<std::uint32_t>(-3.0F)));
  const NumberArray two{.has_shape = false, .values = {1, 2}};
  EXPECT_THAT(input_error([&] { data_bits(floats, two, "x.bin"); }),
              HasSubstr("x.bin: found 2 numbers; expected 3, the shape (1, 3)"));

  const StepData classes{.name = "loss", .shape = {3}, .count = 3, .index_limit = 3};
  NumberArray indices{.shape = {3}, .is_integer = true, .values = {0, 2, 1}};
  EXPECT_THAT(data_bits(classes, indices, "y.npy"), ElementsAre(0, 2, 1));
  indices.values[1] = 3;
  EXPECT_THAT(input_error([&] { data_bits(classes, indices, "y.npy"); }),
              HasSubstr("y.npy: element 1 is 3; expected an index from 0 to 2"));
  indices.values[1] = -1;
  EXPECT_THAT(input_error([&] { data_bits(classes, indices, "y.npy"); }), HasSubstr("is -1"));
  EXPECT_THAT(input_error([&] { data_bits(classes, three, "y.npy"); }),
              HasSubstr("found floats; expected int32 or int64"));
  indices.shape = {3, 3};
  EXPECT_THAT(input_error([&] { data_bits(classes, indices, "y.npy"); }),
              HasSubstr("found the shape (3, 3); expected (3)"));
}

}  // namespace
}  // namespace poet::test
