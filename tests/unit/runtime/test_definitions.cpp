// Forward passes against the definitions of the ops, computed in another way or by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

constexpr float kTolerance = 1e-5F;

TEST(KernelDefinition, LinearIsXTimesWTransposed) {
  const poet_linear_spec l{.rows = 2, .inputs = 2, .outputs = 3, .has_bias = 1};
  const Tensor x = {1, 2, 3, 4};
  const Tensor w = {1, 0, 0, 1, 1, -1};
  const Tensor bias = {0, 10, 0};
  Tensor y(6);
  poet_linear(&l, x.data(), w.data(), bias.data(), y.data());
  EXPECT_THAT(y, ElementsAre(1, 12, -1, 3, 14, -1));
  poet_linear_relu(&l, x.data(), w.data(), nullptr, y.data());
  EXPECT_THAT(y, ElementsAre(1, 2, 0, 3, 4, 0));
}

TEST(KernelDefinition, MatmulReadsTransposedOperands) {
  const Tensor a = {1, 2, 3, 4, 5, 6};  // 2 x 3
  const Tensor transposed = {1, 4, 2, 5, 3, 6};
  const Tensor b = {1, 0, 0, 1, 1, 1};  // 3 x 2
  Tensor y(4);
  poet_matmul_spec m{.batches = 1, .rows = 2, .inner = 3, .columns = 2};
  poet_matmul(&m, a.data(), b.data(), y.data());
  EXPECT_THAT(y, ElementsAre(4, 5, 10, 11));
  m.transpose_a = 1;
  poet_matmul(&m, transposed.data(), b.data(), y.data());
  EXPECT_THAT(y, ElementsAre(4, 5, 10, 11));
}

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

TEST(KernelDefinition, AveragePoolsDivideByWhatTheirOptionsSay) {
  // One row of 4, windows of 3 at -1, 1 and 3: the last one has one element of the row, one of the
  // padding, and one beyond it.
  poet_pool2d_spec p{.planes = 1,
                     .height = 1,
                     .width = 4,
                     .out_height = 1,
                     .out_width = 3,
                     .kernel_height = 1,
                     .kernel_width = 3,
                     .stride_height = 1,
                     .stride_width = 2,
                     .pad_left = 1,
                     .count_include_pad = 1};
  const Tensor x = {3, 6, 9, 12};
  Tensor y(3);
  poet_avg_pool2d(&p, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(3, 9, 6));
  p.count_include_pad = 0;
  poet_avg_pool2d(&p, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(4.5F, 9, 12));
  // 4 in 3: windows [0, 2), [1, 3), [2, 4).
  poet_adaptive_avg_pool2d(&p, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(4.5F, 7.5F, 10.5F));
}

TEST(KernelDefinition, UpsampleDoesNotAlignCorners) {
  const poet_upsample2d_spec u{
      .planes = 1, .height = 1, .width = 2, .scale_height = 1, .scale_width = 2};
  const Tensor x = {1, 2};
  Tensor y(4);
  poet_upsample2d_nearest(&u, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(1, 1, 2, 2));
  poet_upsample2d_bilinear(&u, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(1, 1.25F, 1.75F, 2));
}

TEST(KernelDefinition, NormalisationsHaveMeanBetaAndVarianceGammaSquared) {
  const Tensor gamma = {2, 2, 2};
  const Tensor beta = {5, 5, 5};
  const Tensor x = numbers(24, 4);
  // The elements of channel 1 of a batch norm, of group 0 in sample 1, and of row 2.
  const auto expect_normal = [](const Tensor& y, const std::vector<int>& elements) {
    float sum = 0;
    float squares = 0;
    for (const int i : elements) sum += y[i];
    for (const int i : elements) squares += (y[i] - 5) * (y[i] - 5);
    EXPECT_NEAR(sum / static_cast<float>(elements.size()), 5, kTolerance);
    EXPECT_NEAR(squares / static_cast<float>(elements.size()), 4, 1e-3);
  };
  Tensor y(24);
  const poet_batch_norm_spec b{
      .batch = 2, .channels = 3, .plane = 4, .epsilon = 1e-5F, .keep = 0, .take = 0};
  poet_batch_norm(&b, x.data(), gamma.data(), beta.data(), y.data());
  expect_normal(y, {4, 5, 6, 7, 16, 17, 18, 19});
  const poet_group_norm_spec g{
      .samples = 2, .groups = 1, .channels = 3, .plane = 4, .has_bias = 1, .epsilon = 1e-5F};
  poet_group_norm(&g, x.data(), gamma.data(), beta.data(), y.data());
  expect_normal(y, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  const poet_group_norm_spec l{
      .samples = 8, .groups = 1, .channels = 3, .plane = 1, .has_bias = 1, .epsilon = 1e-5F};
  poet_group_norm(&l, x.data(), gamma.data(), beta.data(), y.data());
  expect_normal(y, {6, 7, 8});
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

TEST(KernelDefinition, ActivationsFollowTheirFormulas) {
  const Tensor x = {-4, -1, 0, 2, 8};
  const poet_map_spec m{.count = 5, .slope = 0.25F};
  const auto expect_map = [&](void (*map)(const poet_map_spec*, const poet_real*, poet_real*),
                              double (*formula)(double)) {
    Tensor y(5);
    map(&m, x.data(), y.data());
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(y[i], formula(x[i]), kTolerance);
  };
  expect_map(poet_relu, [](double v) { return std::max(v, 0.0); });
  expect_map(poet_relu6, [](double v) { return std::min(std::max(v, 0.0), 6.0); });
  expect_map(poet_leaky_relu, [](double v) { return v > 0 ? v : v / 4; });
  expect_map(poet_sigmoid, [](double v) { return 1 / (1 + std::exp(-v)); });
  expect_map(poet_tanh, [](double v) { return std::tanh(v); });
  expect_map(poet_hard_sigmoid, [](double v) { return std::min(std::max(v / 6 + 0.5, 0.0), 1.0); });
  expect_map(poet_hard_swish,
             [](double v) { return v * std::min(std::max(v / 6 + 0.5, 0.0), 1.0); });
  expect_map(poet_silu, [](double v) { return v / (1 + std::exp(-v)); });
  expect_map(poet_gelu, [](double v) { return v * std::erfc(-v / std::sqrt(2.0)) / 2; });
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

TEST(KernelDefinition, PreluHasASlopePerChannel) {
  const poet_prelu_spec p{.outer = 2, .channels = 2, .inner = 2};
  const Tensor x = {-4, 1, 0, -2, 3, -8, -1, 5};
  const Tensor w = {0.25F, -2};
  Tensor y(8);
  poet_prelu(&p, x.data(), w.data(), y.data());
  EXPECT_THAT(y, ElementsAre(-1, 1, 0, 4, 3, -2, 2, 5));
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

TEST(KernelDefinition, BroadcastChannelsRepeatsTheNarrowSide) {
  // 2 x 4 x 3 plus 2 x 2 x 3: the channels are 2 repetitions of 2.
  const poet_broadcast_spec s{{2, 2, 2, 3}, {12, 6, 3, 1}, {6, 0, 3, 1}};
  const Tensor wide(24, 100);
  const Tensor narrow = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  Tensor y(24);
  poet_add(&s, wide.data(), narrow.data(), y.data());
  for (int i = 0; i < 24; ++i) EXPECT_EQ(y[i], 100 + narrow[i / 12 * 6 + i % 6]);
}

TEST(KernelDefinition, AttentionWeighsValuesByTheSoftmaxOfScores) {
  poet_attention_spec a{
      .batch = 1, .heads = 2, .queries = 2, .keys = 2, .head_dim = 1, .causal = 1};
  poet_attention_layout(&a);
  const Tensor q = {1, 2, 3, 4};
  const Tensor k = {1, 0, 0, 1};
  const Tensor v = {10, 20, 30, 40};
  Tensor p(8);
  Tensor y(4);
  poet_attention_scores(&a, q.data(), k.data(), p.data());
  poet_attention_context(&a, p.data(), v.data(), y.data());
  const float first = 1 / (1 + std::exp(-3.0F));  // head 0, query 1: scores 3, 0
  const float second = 1 / (1 + std::exp(4.0F));  // head 1, query 1: scores 0, 4
  EXPECT_THAT(p, Pointwise(FloatNear(kTolerance),
                           {1.0F, 0.0F, first, 1 - first, 1.0F, 0.0F, second, 1 - second}));
  EXPECT_THAT(y,
              Pointwise(FloatNear(kTolerance), {10.0F, 20.0F, 30 - 20 * first, 40 - 20 * second}));
}

TEST(KernelDefinition, RecurrentStepsFollowTheirFormulas) {
  const poet_recurrent_spec r{.rows = 1, .inputs = 1, .hidden = 1, .has_bias = 1};
  const float x = 0.5F;
  const float h = -0.75F;
  const float c = 1.25F;
  const Tensor w = {1, 2, -1, 0.5F, /* biases */ 0.1F, 0.2F, 0.3F, 0.4F};
  const Tensor u = {-1, 1, 0.5F, 2, /* biases */ 0, 0.1F, 0, 0.1F};
  const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
  const auto sum = [&](std::size_t gate, std::size_t gates, float state) {
    return w[gate] * x + w[gates + gate] + u[gate] * state + u[gates + gate];
  };
  Tensor gates(4);
  Tensor cell(1);
  Tensor out(1);
  poet_lstm_gates(&r, &x, &h, w.data(), w.data() + 4, u.data(), u.data() + 4, gates.data());
  poet_lstm_c(&r, gates.data(), &c, cell.data());
  poet_lstm_h(&r, gates.data(), cell.data(), out.data());
  const float c_after = sigmoid(sum(1, 4, h)) * c + sigmoid(sum(0, 4, h)) * std::tanh(sum(2, 4, h));
  EXPECT_NEAR(cell[0], c_after, kTolerance);
  EXPECT_NEAR(out[0], sigmoid(sum(3, 4, h)) * std::tanh(c_after), kTolerance);

  poet_gru_gates(&r, &x, &h, w.data(), w.data() + 3, u.data(), u.data() + 3, gates.data());
  poet_gru_h(&r, gates.data(), &h, out.data());
  const float reset = sigmoid(sum(0, 3, h));
  const float update = sigmoid(sum(1, 3, h));
  const float next = std::tanh(sum(2, 3, reset * h));
  EXPECT_NEAR(out[0], (1 - update) * next + update * h, kTolerance);

  // The other form scales the bias of the product too, so it shows where that is large.
  const Tensor bent = {-1, 1, 0.5F, /* biases */ 2, 0, 0.8F};
  poet_gru_after_gates(&r, &x, &h, w.data(), w.data() + 3, bent.data(), bent.data() + 3,
                       gates.data());
  poet_gru_h(&r, gates.data(), &h, out.data());
  const float after = std::tanh(w[2] * x + w[5] + reset * (bent[2] * h + bent[5]));
  const float before = std::tanh(w[2] * x + w[5] + bent[2] * reset * h + bent[5]);
  EXPECT_GT(std::abs(after - before), 100 * kTolerance) << "the forms differ";
  EXPECT_NEAR(out[0], (1 - update) * after + update * h, kTolerance);
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
