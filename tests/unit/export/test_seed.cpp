// The numbers of a seed in C, against what is published about SplitMix64.
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poet_seed.h>

namespace poet {
namespace {

using testing::Each;
using testing::ElementsAre;

// The first outputs of SplitMix64 from state 0.
constexpr std::uint64_t kFirst = 0xe220a8397b1dcdafU;
constexpr std::uint64_t kSecond = 0x6e789e6aa1b965f4U;

TEST(Seed, GivesTheNumbersOfSplitMix64) {
  poet_random random{0};
  EXPECT_EQ(poet_below(&random, 0xffffffffU), kFirst >> 32U);
  EXPECT_EQ(poet_below(&random, 1000), (kSecond >> 32U) % 1000);
  random = {0};
  EXPECT_EQ(poet_uniform(&random), std::ldexp(static_cast<float>(kFirst >> 40U), -23) - 1);
  EXPECT_EQ(poet_uniform(&random), std::ldexp(static_cast<float>(kSecond >> 40U), -23) - 1);
}

TEST(Seed, HasOtherNumbersForEachTensorStreamAndSeed) {
  const std::array<std::uint64_t, 4> states{poet_random_of(1, POET_STREAM_INPUTS, 0).state,
                                            poet_random_of(2, POET_STREAM_INPUTS, 0).state,
                                            poet_random_of(1, POET_STREAM_TARGETS, 0).state,
                                            poet_random_of(1, POET_STREAM_INPUTS, 1).state};
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(states[i], states[j]);
  }
  EXPECT_NE(poet_dropout_seed(1, 0), poet_dropout_seed(1, 1));
  EXPECT_EQ(poet_dropout_seed(1, 2), poet_dropout_seed(3, 0));
}

TEST(Seed, FillsParametersWithinTheirSpread) {
  poet_random random = poet_random_of(1, POET_STREAM_PARAMETERS, 0);
  std::array<float, 1001> values{};
  values.back() = 7;
  const poet_initial scale{.count = 1000, .center = 1, .spread = 0.1F};
  poet_fill_parameters(&random, &scale, values.data());
  EXPECT_EQ(values.back(), 7) << "written behind the end";
  float sum = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_LE(std::abs(values[i] - 1), 0.1001F);
    sum += values[i] / 1000;
  }
  EXPECT_NEAR(sum, 1, 0.01);
  EXPECT_EQ(poet_weight_spread(6), 1);
}

TEST(Seed, FillsFirstStatesWithZeros) {
  poet_random random = poet_random_of(1, POET_STREAM_INPUTS, 0);
  std::array<std::uint32_t, 4> bits{1, 2, 3, 4};
  poet_fill_data(&random, 3, -1, bits.data());
  EXPECT_THAT(bits, ElementsAre(0, 0, 0, 4));
}

TEST(Seed, FillsDataWithIndicesBelowTheirLimit) {
  poet_random random = poet_random_of(1, POET_STREAM_TARGETS, 0);
  std::array<std::int32_t, 100> indices{};
  poet_fill_data(&random, 100, 3, indices.data());
  EXPECT_THAT(indices, Each(testing::AllOf(testing::Ge(0), testing::Lt(3))));
  EXPECT_THAT(indices, testing::IsSupersetOf({0, 1, 2}));
  random = {0};
  float number = 0;
  poet_fill_data(&random, 1, 0, &number);
  random = {0};
  EXPECT_EQ(number, poet_uniform(&random));
}

TEST(Seed, HasTheUsualRates) {
  const auto rates = [](poet_optimizer_kind kind) {
    const poet_optimizer made = poet_usual_optimizer(kind);
    EXPECT_EQ(made.kind, kind);
    EXPECT_EQ(made.has_begun, 0);
    return std::array{made.learning_rate, made.beta1, made.beta2, made.epsilon};
  };
  EXPECT_THAT(rates(POET_SGD), ElementsAre(0.01F, 0, 0, 0));
  EXPECT_THAT(rates(POET_MOMENTUM), ElementsAre(0.01F, 0, 0, 0));
  EXPECT_THAT(rates(POET_ADAM), ElementsAre(0.001F, 0.9F, 0.999F, 1e-8F));
  EXPECT_EQ(poet_usual_optimizer(POET_MOMENTUM).momentum, 0.9F);
}

}  // namespace
}  // namespace poet
