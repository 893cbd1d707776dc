// What ordinary values do not show of forward passes, whose values
// tests/golden/gradients_of_torch.py holds to PyTorch and KernelDigest to their bits: ties, digits
// of small and large numbers, chance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

constexpr float kTolerance = 1e-5F;

TEST(KernelDefinition, MaxPoolKeepsTheFirstOfEqualMaxima) {
  const poet_pool2d_spec p{.planes = 1,
                           .height = 3,
                           .width = 3,
                           .out_height = 2,
                           .out_width = 2,
                           .kernel_height = 3,
                           .kernel_width = 3,
                           .stride_height = 2,
                           .stride_width = 2,
                           .pad_top = 1,
                           .pad_left = 1};
  const Tensor x = {-5, -1, -2, -3, -1, -4, -9, -8, -7};
  Tensor y(4);
  std::vector<std::uint8_t> index(4);
  poet_max_pool2d(&p, x.data(), y.data());
  poet_max_pool2d_index(&p, x.data(), index.data());
  EXPECT_THAT(y, ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(index, ElementsAre(5, 3, 2, 0));
}

TEST(KernelDefinition, AGradientTakesTheBatchIntoRunningStatistics) {
  const Tensor x = {1, 3, 8, 8, 5, 7, 2, 4};  // 2 samples of 2 channels of 2
  const Tensor dy(8, 1);
  const Tensor gamma = {1, 1};
  Tensor gradient(4);
  Tensor running = {10, 20, 1, 2};
  poet_sink sink{};
  sink.gradient = gradient.data();
  sink.running = running.data();
  poet_batch_norm_spec b{
      .batch = 2, .channels = 2, .plane = 2, .epsilon = 0, .keep = 0.75F, .take = 0.25F};
  poet_batch_norm_grad(&b, x.data(), dy.data(), gamma.data(), nullptr, &sink);
  // Means 4 and 5.5; sums of squares 20 and 27, over 3.
  EXPECT_THAT(running, ElementsAre(8.5F, 16.375F, 0.75F + 0.25F * (20.0F / 3), 1.5F + 0.25F * 9));
  // A single number has no variance, and nothing is divided by 0.
  b = {.batch = 1, .channels = 2, .plane = 1, .epsilon = 1, .keep = 0.5F, .take = 0.5F};
  poet_batch_norm_grad(&b, x.data(), dy.data(), gamma.data(), nullptr, &sink);
  EXPECT_EQ(running[0], 4.25F + 0.5F);
  EXPECT_EQ(running[3], (1.5F + 0.25F * 9) / 2);
}

TEST(KernelDefinition, EluAndSoftplusKeepTheDigitsOfSmallNumbers) {
  const Tensor x = {-100, -3, -1e-6F, 0, 0.5F, 10.5F, 200};
  const poet_map_spec m{.count = 7, .slope = 2};
  Tensor y(7);
  poet_elu(&m, x.data(), y.data());
  for (std::size_t i = 0; i < 7; ++i) {
    const double exact = x[i] > 0 ? x[i] : 2 * std::expm1(static_cast<double>(x[i]));
    EXPECT_NEAR(y[i], exact, 4e-7 * std::abs(exact)) << x[i];
  }
  const poet_softplus_spec s{.count = 7, .beta = 2, .threshold = 20};
  poet_softplus(&s, x.data(), y.data());
  for (std::size_t i = 0; i < 7; ++i) {
    const double exact = x[i] > 10 ? x[i] : std::log1p(std::exp(2.0 * x[i])) / 2;
    EXPECT_NEAR(y[i], exact, 4e-7 * std::abs(exact) + 1e-40) << x[i];
  }
  // A threshold below what the function needs is a step of it, as in PyTorch.
  const poet_softplus_spec low{.count = 2, .beta = 1, .threshold = 0};
  const Tensor two = {0, 0.25F};
  const Tensor ones = {1, 1};
  poet_softplus(&low, two.data(), y.data());
  EXPECT_FLOAT_EQ(y[0], std::log(2.0F));
  EXPECT_EQ(y[1], 0.25F);
  poet_softplus_grad(&low, two.data(), ones.data(), y.data());
  EXPECT_EQ(y[0], 0.5F);
  EXPECT_EQ(y[1], 1);
}

TEST(KernelDefinition, SoftmaxAndCrossEntropyStandLargeNumbers) {
  const poet_softmax_spec s{.outer = 1, .axis = 2, .inner = 2};
  const Tensor x = {1000, 0, 1000, -1000};
  Tensor y(4);
  poet_softmax(&s, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(0.5F, 1, 0.5F, 0));
  poet_log_softmax(&s, x.data(), y.data());
  EXPECT_THAT(y,
              Pointwise(FloatNear(kTolerance), {-std::log(2.0F), 0.0F, -std::log(2.0F), -1000.0F}));
  const poet_cross_entropy_spec c{.rows = 2, .classes = 2};
  const std::int32_t target[] = {1, 0};
  Tensor loss(1);
  poet_cross_entropy(&c, x.data(), target, loss.data());
  EXPECT_FLOAT_EQ(loss[0], 500);  // the mean of 1000 and 0
}

TEST(KernelDefinition, DropoutDropsItsShareAndScalesTheRest) {
  poet_dropout_spec d{.count = 20000, .block = 1, .rate = 0.3F, .seed = {1, 2}};
  const Tensor ones(20000, 1);
  Tensor y(20000);
  poet_dropout(&d, ones.data(), y.data());
  int kept = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_TRUE(y[i] == 0 || y[i] == 1 / 0.7F);
    kept += y[i] > 0 ? 1 : 0;
    pairs += i > 0 && y[i] > 0 && y[i - 1] > 0 ? 1 : 0;
  }
  EXPECT_NEAR(kept, 14000, 260);  // four standard deviations
  EXPECT_NEAR(pairs, 9800, 450);  // neighbours are independent
  Tensor other(20000);
  d.seed[1] = 3;
  poet_dropout(&d, ones.data(), other.data());
  int equal = 0;
  for (std::size_t i = 0; i < y.size(); ++i) equal += y[i] == other[i] ? 1 : 0;
  EXPECT_NEAR(equal, 20000 * 0.58, 280);
}

TEST(KernelDefinition, OptimizersFollowTheirFormulas) {
  poet_optimizer o{};
  o.kind = POET_ADAM;
  o.learning_rate = 0.1F;
  o.beta1 = 0.9F;
  o.beta2 = 0.99F;
  float w = 1;
  float m = 0;
  float v = 0;
  poet_sink sink{};
  sink.optimizer = &o;
  sink.parameters = &w;
  sink.first = &m;
  sink.second = &v;
  double exact_w = 1;
  double exact_m = 0;
  double exact_v = 0;
  for (int t = 1; t <= 3; ++t) {
    const float g = t == 2 ? -0.5F : 2.0F;
    poet_begin_step(&o);
    poet_update(1, &g, &sink);
    poet_end_step(&o);
    exact_m = 0.9 * exact_m + 0.1 * g;
    exact_v = 0.99 * exact_v + 0.01 * g * g;
    exact_w -=
        0.1 * (exact_m / (1 - std::pow(0.9, t))) / std::sqrt(exact_v / (1 - std::pow(0.99, t)));
    EXPECT_NEAR(w, exact_w, kTolerance) << t;
  }
  o.kind = POET_MOMENTUM;
  o.momentum = 0.5F;
  w = m = 0;
  const float g = 1;
  poet_update(1, &g, &sink);
  poet_update(1, &g, &sink);
  EXPECT_FLOAT_EQ(w, -0.1F - 0.15F);
}

}  // namespace
}  // namespace poet::test::POET_PRECISION
