// Numbers of layers that change results and no costs: epsilon, slope, rate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include <fmt/format.h>

#include "execute/given_data.hpp"
#include "expect_input_error.hpp"
#include "formats/write_inputs.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"
#include "support/tiny_steps.hpp"

namespace poet::test {
namespace {

std::string with_layer(const std::string& layer) {
  return exact_text("[4, 6]", classified(R"({"name": "a", "op": "linear", "inputs": ["input"],
    "out_features": 6}, {"name": "last", "inputs": ["a"], )" +
                                             layer + "}",
                                         "last"));
}

std::string digest_of(const std::string& text) {
  const Platform platform = load_platform("m4");
  return graph_sha256(cost_graph(parse_model(text, "m.json"), &platform), false);
}

double loss_with(const std::string& layer) {
  TrainingStep step = bound_step(with_layer(layer));
  seed_dropout(step, 1, 0);
  return loss_of(step, initial_state(step, 3));
}

struct Number {
  const char* name;
  const char* layer;    ///< without the number
  const char* usual;    ///< the number with its default
  const char* another;  ///< with another value
};

void PrintTo(const Number& number, std::ostream* out) {
  *out << number.name;
}

class LayerNumbers : public testing::TestWithParam<Number> {};

TEST_P(LayerNumbers, ChangeResultsAndNoGraph) {
  const Number& number = GetParam();
  const std::string layer = number.layer;
  const double loss = loss_with(layer);
  EXPECT_EQ(loss_with(layer + ", " + number.usual), loss);
  EXPECT_NE(loss_with(layer + ", " + number.another), loss);
  const auto digest = [](const std::string& text) { return digest_of(with_layer(text)); };
  EXPECT_EQ(digest(layer + ", " + number.another), digest(layer));
}

TEST_P(LayerNumbers, AreWrittenUnlessUsual) {
  const Number& number = GetParam();
  const auto written = [&](const std::string& layer) {
    InputErrors errors;
    const std::string text = layers_json(read_model(with_layer(layer), "m.json", errors));
    errors.throw_if_any();
    return text;
  };
  const std::string layer = number.layer;
  EXPECT_EQ(written(layer + ", " + number.usual), written(layer));
  EXPECT_THAT(written(layer + ", " + number.another), testing::HasSubstr(number.another));
}

TEST_P(LayerNumbers, HaveTheGradientsOfTheirLoss) {
  const Number& number = GetParam();
  TrainingStep step = bound_step(with_layer(std::string(number.layer) + ", " + number.another));
  seed_dropout(step, 1, 0);
  const TrainingState start = initial_state(step, 3);
  TrainingState after = start;
  compute_unscheduled(step, after);
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    EXPECT_NEAR(gradient_quotient(step, start, after.gradients[p], p), 1, 0.03)
        << step.parameters[p].name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LayerNumbers,
    testing::Values(Number{"Slope", R"("op": "leaky_relu")", R"("slope": 0.01)", R"("slope": 0.3)"},
                    Number{"Rate", R"("op": "dropout")", R"("rate": 0.1)", R"("rate": 0.5)"},
                    Number{"RateOfSamples", R"("op": "stochastic_depth")", R"("rate": 0.1)",
                           R"("rate": 0.6)"},
                    Number{"EpsilonOfBatches", R"("op": "batch_norm1d")", R"("epsilon": 1e-05)",
                           R"("epsilon": 0.2)"},
                    Number{"EpsilonOfLayers", R"("op": "layer_norm")", R"("epsilon": 0.00001)",
                           R"("epsilon": 0.3)"},
                    Number{"EpsilonOfGroups", R"("op": "group_norm", "groups": 2)",
                           R"("epsilon": 1e-5)", R"("epsilon": 0.25)"}),
    [](const auto& number) { return number.param.name; });

TEST(NumbersAtTheirLimits, AreAllowed) {
  for (const char* const layer :
       {R"("op": "layer_norm", "epsilon": 1e30)", R"("op": "layer_norm", "epsilon": 0)",
        R"("op": "batch_norm1d", "momentum": 1)", R"("op": "batch_norm1d", "momentum": 0)",
        R"("op": "leaky_relu", "slope": 0)", R"("op": "dropout", "rate": 0.999999)"}) {
    EXPECT_NO_THROW(bound_step(with_layer(layer))) << layer;
  }
}

TEST(RateOf0, IsTheIdentityWithTheSameGraph) {
  const double kept = loss_with(R"("op": "dropout", "rate": 0)");
  EXPECT_EQ(kept, loss_with(R"("op": "identity")"));
  EXPECT_NE(kept, loss_with(R"("op": "dropout")"));
  EXPECT_EQ(kept, loss_with(R"("op": "stochastic_depth", "rate": 0)"));
}

TEST(ValuesOfParameters, AreWhatAllElementsBeginWith) {
  const auto text = [](const std::string& value) {
    return exact_text("[4, 6]",
                      R"({"name": "p", "op": "parameter", "shape": [2, 3])" + value +
                          R"(}, {"name": "r", "op": "reshape", "inputs": ["p"],
        "shape": [6]}, {"name": "y", "op": "mul", "inputs": ["input", "r"]},
        {"name": "loss", "op": "mse", "inputs": ["y"]})",
                      R"("update": "buffered",)");
  };
  const auto begun = [&](const std::string& value) {
    return initial_state(bound_step(text(value)), 1).parameters[0];
  };
  EXPECT_THAT(begun(R"(, "value": -0.3)"), testing::Each(-0.3F));
  EXPECT_THAT(begun(R"(, "value": 0)"), testing::Each(0.0F));
  EXPECT_NE(begun("")[0], begun("")[1]);
  EXPECT_EQ(digest_of(text(R"(, "value": 2)")), digest_of(text("")));
  InputErrors errors;
  EXPECT_THAT(layers_json(read_model(text(R"(, "value": 0)"), "m.json", errors)),
              testing::HasSubstr(R"("value": 0)"));
  EXPECT_THAT(layers_json(read_model(text(""), "m.json", errors)),
              testing::Not(testing::HasSubstr("value")));
  GivenData given;
  give_parameters(bound_step(text(R"(, "value": 2)")), {}, "p.npz", given);
  EXPECT_THAT(given.parameters[0], testing::Each(2.0F));
  EXPECT_THAT(input_error([&] { give_parameters(bound_step(text("")), {}, "p.npz", given); }),
              testing::HasSubstr("'p': missing"));
}

TEST(LayersOfAnotherNetwork, AreSolvedAndNotComputed) {
  const std::string layer = R"("op": "relu", "differs": "its slope is 0.2, the layer's 0")";
  EXPECT_EQ(digest_of(with_layer(layer)), digest_of(with_layer(R"("op": "relu")")));
  EXPECT_THAT(input_error([&] { bound_step(with_layer(layer)); }),
              testing::AllOf(testing::HasSubstr("layer 'last' (relu): the network that it was "
                                                "imported from differs from what the kernels "
                                                "compute: its slope is 0.2, the layer's 0;"),
                             testing::HasSubstr("take the key out")));
}

// A model of version 1 has POET's counts, which know no numbers.
TEST(NumbersOfVersion2, DoNotStopThePoetChain) {
  const auto digest = [](const char* number) {
    return digest_of(
        exact_text("[1, 3, 4, 4]",
                   fmt::format(R"({{"name": "n", "op": "batch_norm2d", "inputs": ["input"]{}}},
        {{"name": "d", "op": "dropout", "inputs": ["n"]}})",
                               number),
                   R"("backward": "poet-chain",)"));
  };
  EXPECT_EQ(digest(R"(, "epsilon": 0.001, "momentum": 0.5)"), digest(""));
}

}  // namespace
}  // namespace poet::test
