// A weight as bytes and scales: what `run` computes with is what a device multiplies.
#include "step/int8_weights.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_input_error.hpp"
#include "step/kernels.hpp"

namespace poet {
namespace {

std::vector<float> products_of(const Int8Weights& made, std::size_t width) {
  std::vector<float> products;
  for (std::size_t i = 0; i < made.bytes.size(); ++i) {
    products.push_back(static_cast<float>(made.bytes[i]) * made.scales[i / width]);
  }
  return products;
}

TEST(Int8Weights, AreTheNearestMultiplesOfAScaleOfEachRow) {
  const Int8Weights made = int8_weights(std::vector<float>{1.27F, 0.015F, -0.635F, 0, 0, 254}, 2);
  EXPECT_THAT(made.bytes, testing::ElementsAre(127, 1, -63, 0, 0, 127));
  EXPECT_NEAR(made.scales[0], 0.01, 1e-6);
  EXPECT_EQ(made.scales[1], 2.0F);
}

// Both are needed for equal bits: a device multiplies once more what the host has rounded.
TEST(Int8Weights, HaveExactProductsWhichRoundToThemselves) {
  std::mt19937 random(7);
  std::uniform_int_distribution width_of(1, 40);
  std::uniform_int_distribution exponent(-140, 120);
  std::uniform_real_distribution<float> draw(-1, 1);
  for (int i = 0; i < 3000; ++i) {
    const auto width = static_cast<std::size_t>(width_of(random));
    std::vector<float> weight;
    for (std::size_t k = 0; k < 2 * width; ++k) {
      if (k % width == 0) random.discard(1);
      weight.push_back(std::ldexp(draw(random), i % 4 == 0 ? exponent(random) : -3));
    }
    const Int8Weights made = int8_weights(weight, 2);
    const std::vector<float> products = products_of(made, width);
    for (std::size_t k = 0; k < weight.size(); ++k) {
      const double exact = double{made.scales[k / width]} * made.bytes[k];
      ASSERT_EQ(exact, double{products[k]});
      ASSERT_LE(std::fabs(exact - weight[k]), 0.5 * made.scales[k / width]);
    }
    const Int8Weights again = int8_weights(products, 2);
    ASSERT_EQ(again.bytes, made.bytes) << "case " << i;
    ASSERT_EQ(products_of(again, width), products) << "case " << i;
  }
}

TEST(Int8Weights, TakeNoByteBeyond127) {
  const float largest = std::ldexp(1.0F, 127);
  const Int8Weights made = int8_weights(std::vector<float>{largest, -largest}, 1);
  EXPECT_THAT(made.bytes, testing::ElementsAre(127, -127));
  EXPECT_TRUE(std::isfinite(127 * made.scales[0]));
}

TEST(Int8Weights, RefuseWhatIsNoNumber) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -3e38F}) {
    EXPECT_THAT(input_error([&] {
                  int8_weights(std::vector<float>{1, bad, 2}, 1);
                }),
                testing::HasSubstr("expected a finite one of at most 2^127"));
  }
}

TEST(Int8Weights, RoundTheWeightAndNotTheBiases) {
  const StepParameters parameters{
      .name = "fc", .tensors = {{"fc.weight", {1, 2}}, {"fc.bias", {1}}}, .count = 3};
  std::vector<float> values{127, 0.6F, 0.6F};
  round_to_int8(parameters, values);
  EXPECT_THAT(values, testing::ElementsAre(127.0F, 1.0F, 0.6F));
}

TEST(Int8Weights, HaveAKernelForEachThatReadsAWeight) {
  const Kernel kernel = kernel_of_int8(kKernelOf<poet_conv2d>.kernel);
  EXPECT_EQ(kernel.name, "poet_conv2d_int8");
  EXPECT_EQ(kernel.operand_count, kKernelOf<poet_conv2d>.kernel.operand_count + 1);
  EXPECT_THROW(kernel_of_int8(kKernelOf<poet_relu>.kernel), InternalError);
}

}  // namespace
}  // namespace poet
