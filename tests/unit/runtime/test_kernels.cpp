// What must hold for the bits of all kernels: in place or not, whatever the sink, on any machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {
namespace {

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

TEST(Kernel, GivesTheSameBitsInPlace) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const std::vector<Tensor> apart = run(item);
    for (const int over : item.over) {
      std::vector<Tensor> inputs = item.inputs;
      item.forward(pointers(inputs), inputs[over].data());
      EXPECT_TRUE(same_bits(inputs[over], apart[0])) << "over input " << over;
    }
    for (const int input : {item.gradient_over_dy, item.gradient_over_x}) {
      if (input < 0) continue;
      std::vector<Tensor> inputs = item.inputs;
      std::vector<Tensor> gradients = inputs;
      Tensor dy = dy_of(item);
      Sinks sinks;
      for (Tensor& gradient : gradients) sinks.push_back(store_in(gradient.data()));
      Tensor& over = input == item.gradient_over_dy ? dy : inputs[input];
      sinks[input] = store_in(over.data());
      item.backward(pointers(inputs), apart[0].data(), dy.data(), sinks);
      EXPECT_TRUE(same_bits(over, apart[input + 1]));
    }
  }
}

TEST(Kernel, AgreesWithTheDoubleBuild) {
  const std::vector<CaseValues> doubles = double_precision::values_of_all_cases();
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const auto expected =
        std::find_if(doubles.begin(), doubles.end(),
                     [&](const CaseValues& values) { return values.name == item.name; });
    ASSERT_NE(expected, doubles.end());
    const std::vector<Tensor> found = run(item);
    for (std::size_t t = 0; t < found.size(); ++t) {
      double largest = 0;
      for (const double value : expected->tensors[t]) largest = std::max(largest, std::abs(value));
      for (std::size_t i = 0; i < found[t].size(); ++i) {
        EXPECT_NEAR(found[t][i], expected->tensors[t][i], 2e-6 * largest) << t << ", " << i;
      }
    }
  }
}

/// Parameters and the state of an optimizer for one input of a case.
struct Training {
  Tensor parameters, first, second, gradient;
  std::vector<Tensor> other_gradients;  ///< of the case's other inputs, in the last step
  std::vector<int> times_observed;
  poet_optimizer optimizer{};

  Training(const Tensor& start, int kind)
      : parameters(start),
        first(start.size()),
        second(start.size()),
        gradient(start.size()),
        times_observed(start.size()) {
    optimizer.kind = kind;
    optimizer.learning_rate = 0.05F;
    optimizer.momentum = 0.9F;
    optimizer.beta1 = 0.9F;
    optimizer.beta2 = 0.999F;
    optimizer.epsilon = 1e-8F;
  }

  poet_sink apply() {
    poet_sink sink{};
    sink.optimizer = &optimizer;
    sink.parameters = parameters.data();
    sink.first = first.data();
    sink.second = second.data();
    return sink;
  }
};

void count_call(void* context, int32_t index, poet_real /*gradient*/) {
  ++(*static_cast<std::vector<int>*>(context))[static_cast<std::size_t>(index)];
}

/// Two steps in which input `trained` changes; the kernels read the parameters that they change.
/// `fused`: the optimizer applies each gradient where it arises, else the whole buffer afterwards.
Training train(const Case& item, int trained, int kind, bool fused) {
  Training training(item.inputs[trained], kind);
  for (int step = 0; step < 2; ++step) {
    poet_begin_step(&training.optimizer);
    poet_end_step(&training.optimizer);
    Inputs x = pointers(item.inputs);
    x[trained] = training.parameters.data();
    std::vector<Tensor> gradients = item.inputs;
    Sinks sinks;
    for (Tensor& gradient : gradients) sinks.push_back(store_in(gradient.data()));
    Tensor y(item.output_size);
    item.forward(x, y.data());
    sinks[trained] = fused ? training.apply() : store_in(training.gradient.data());
    sinks[trained].observe = count_call;
    sinks[trained].context = &training.times_observed;
    const Tensor dy = dy_of(item);
    item.backward(x, y.data(), dy.data(), sinks);
    training.other_gradients = gradients;
    if (fused) continue;
    const poet_sink update = training.apply();
    poet_update(static_cast<int32_t>(training.gradient.size()), training.gradient.data(), &update);
  }
  return training;
}

TEST(Kernel, TrainsToTheSameBitsFusedOrBuffered) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    for (const int trained : item.trained) {
      for (const int kind : {POET_SGD, POET_MOMENTUM, POET_ADAM}) {
        const Training fused = train(item, trained, kind, true);
        const Training buffered = train(item, trained, kind, false);
        EXPECT_TRUE(same_bits(fused.parameters, buffered.parameters)) << kind;
        EXPECT_TRUE(same_bits(fused.first, buffered.first)) << kind;
        EXPECT_TRUE(same_bits(fused.second, buffered.second)) << kind;
        for (std::size_t i = 0; i < item.inputs.size(); ++i) {
          EXPECT_TRUE(same_bits(fused.other_gradients[i], buffered.other_gradients[i])) << i;
        }
        EXPECT_FALSE(same_bits(fused.parameters, item.inputs[trained])) << kind;
        EXPECT_THAT(fused.times_observed, testing::Each(2)) << "once a step for each parameter";
      }
    }
  }
}

TEST(Kernel, AddsToEarlierContributions) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const std::vector<Tensor> alone = run(item);
    for (const int trained : item.trained) {
      const Tensor& gradient = alone[trained + 1];
      Tensor sum = numbers(gradient.size(), 5);
      Tensor expected = sum;
      for (std::size_t i = 0; i < sum.size(); ++i) expected[i] = sum[i] + gradient[i];
      std::vector<Tensor> others = item.inputs;
      Sinks sinks;
      for (Tensor& other : others) sinks.push_back(store_in(other.data()));
      sinks[trained] = store_in(sum.data());
      sinks[trained].sum = sum.data();
      item.backward(pointers(item.inputs), alone[0].data(), dy_of(item).data(), sinks);
      EXPECT_TRUE(same_bits(sum, expected));
    }
  }
}

// Kernels inside a case that are computed in place.

TEST(KernelInPlace, LstmMakesItsInnerGradientsOverCellsAndGates) {
  const poet_recurrent_spec r{2, 3, 4, 1};
  Tensor gates = numbers(32, 1, 1);
  const Tensor c = numbers(8, 2);
  const Tensor before = numbers(8, 3);
  const Tensor dh = numbers(8, 4);
  Tensor dc = numbers(8, 5);
  Tensor dcell(8);
  Tensor dgates(32);
  poet_lstm_grad_cell(&r, gates.data(), c.data(), dh.data(), dc.data(), dcell.data());
  poet_lstm_grad_cell(&r, gates.data(), c.data(), dh.data(), dc.data(), dc.data());
  EXPECT_TRUE(same_bits(dc, dcell));
  poet_lstm_grad_gates(&r, gates.data(), c.data(), before.data(), dh.data(), dcell.data(),
                       dgates.data());
  poet_lstm_grad_gates(&r, gates.data(), c.data(), before.data(), dh.data(), dcell.data(),
                       gates.data());
  EXPECT_TRUE(same_bits(gates, dgates));
}

TEST(KernelSinks, NormalisationsMakeEitherGradientWithoutTheOther) {
  const poet_group_norm_spec n{
      .samples = 2, .groups = 2, .channels = 2, .plane = 3, .has_bias = 1, .epsilon = 1e-5F};
  const poet_batch_norm_spec b{.batch = 2, .channels = 4, .plane = 3, .epsilon = 1e-5F};
  const Tensor x = numbers(24, 1);
  const Tensor dy = numbers(24, 2);
  const Tensor gamma = numbers(4, 3);
  Tensor dx(24);
  Tensor alone(24);
  Tensor scales(8);
  Tensor scales_alone(8);
  const poet_sink dw = store_in(scales.data());
  const poet_sink dw_alone = store_in(scales_alone.data());
  poet_group_norm_grad(&n, x.data(), dy.data(), gamma.data(), dx.data(), &dw);
  poet_group_norm_grad(&n, x.data(), dy.data(), gamma.data(), alone.data(), nullptr);
  poet_group_norm_grad(&n, x.data(), dy.data(), gamma.data(), nullptr, &dw_alone);
  EXPECT_TRUE(same_bits(dx, alone));
  EXPECT_TRUE(same_bits(scales, scales_alone));
  poet_batch_norm_grad(&b, x.data(), dy.data(), gamma.data(), dx.data(), &dw);
  poet_batch_norm_grad(&b, x.data(), dy.data(), gamma.data(), alone.data(), nullptr);
  poet_batch_norm_grad(&b, x.data(), dy.data(), gamma.data(), nullptr, &dw_alone);
  EXPECT_TRUE(same_bits(dx, alone));
  EXPECT_TRUE(same_bits(scales, scales_alone));
}

TEST(KernelSinks, HavePartsOfTheGradientsIfOnlyPartsTrain) {
  const Tensor x{3, 1, 4, 1, 5, 9, 2, 6}, dy{2, 7, 1, 8, 2, 8, 1, 9}, gamma{0.5F, 2};
  const poet_batch_norm_spec b{
      .batch = 2, .channels = 2, .plane = 2, .epsilon = 0.1F, .keep = 0.5F, .take = 0.5F};
  struct Made {
    Tensor dx = Tensor(8), scales = Tensor(4, -1), running = Tensor(4, 1);
  };
  const auto made = [&](auto* kernel) {
    Made result;
    poet_sink sink{};
    sink.gradient = result.scales.data();
    sink.running = result.running.data();
    kernel(&b, x.data(), dy.data(), gamma.data(), result.dx.data(), &sink);
    return result;
  };
  const Made both = made(poet_batch_norm_grad);
  for (const auto& [part, first] : {std::pair{made(poet_batch_norm_grad_gamma), 0},
                                    std::pair{made(poet_batch_norm_grad_beta), 2}}) {
    EXPECT_TRUE(same_bits(part.dx, both.dx));
    EXPECT_TRUE(same_bits(part.running, both.running));
    EXPECT_EQ(part.scales, (Tensor{both.scales[first], both.scales[first + 1], -1, -1}));
  }
  const poet_recurrent_spec r{.rows = 1, .inputs = 1, .hidden = 1, .has_bias = 1};
  const Tensor gates{0.5F, 0.25F, 0.75F}, dgates{1, 2, 3}, h{4};
  Tensor of_state(6), of_bias(3);
  poet_sink whole{}, alone{};
  whole.gradient = of_state.data();
  alone.gradient = of_bias.data();
  poet_gru_after_gradw_hidden(&r, h.data(), gates.data(), dgates.data(), &whole);
  poet_gru_after_gradb_hidden(&r, gates.data(), dgates.data(), &alone);
  EXPECT_EQ(of_bias, (Tensor{1, 2, 1.5F}));
  EXPECT_EQ(of_bias, Tensor(of_state.begin() + 3, of_state.end()));
}

// PyTorch: clip_grad_value_() before the step, whose weight_decay is added to the gradient.
TEST(KernelSinks, LimitGradientsAndLetParametersDecay) {
  poet_optimizer optimizer{};
  optimizer.kind = POET_SGD;
  optimizer.learning_rate = 0.5F;
  optimizer.largest_gradient = 1;
  optimizer.weight_decay = 0.25F;
  Tensor parameters{4, -8, 2};
  poet_sink sink{};
  sink.optimizer = &optimizer;
  sink.parameters = parameters.data();
  const Tensor gradients{3, -0.5F, -7};
  poet_update(3, gradients.data(), &sink);
  EXPECT_EQ(parameters,
            (Tensor{4 - 0.5F * (1 + 1), -8 - 0.5F * (-0.5F - 2), 2 - 0.5F * (-1 + 0.5F)}));
}

TEST(KernelInPlace, AccumulatesOverEitherSide) {
  const poet_map_spec m{30, 0};
  Tensor a = numbers(30, 1);
  Tensor b = numbers(30, 2);
  Tensor apart(30);
  poet_accumulate(&m, a.data(), b.data(), apart.data());
  Tensor over = a;
  poet_accumulate(&m, over.data(), b.data(), over.data());
  EXPECT_TRUE(same_bits(over, apart));
  poet_accumulate(&m, a.data(), b.data(), b.data());
  EXPECT_TRUE(same_bits(b, apart));
}

/// FNV-1a over the words of a tensor, byte order apart.
std::uint64_t digest(std::uint64_t hash, const Tensor& tensor) {
  for (const poet_real value : tensor) {
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    hash = (hash ^ word) * 1099511628211u;
  }
  return hash;
}

/// They came after the first digest, and have one of their own: so the first one still says that
/// the bits of the others are what they were.
bool is_later(const std::string& name) {
  static const std::set<std::string> later = {
      "elu",        "softplus",   "prelu",     "prelu_per_channel",  "log_softmax",
      "max_pool1d", "avg_pool1d", "gru_after", "adaptive_avg_pool1d"};
  return later.contains(name);
}

// The promise of the runtime. The numbers were computed once; any compiler, flags and machine that
// the rules allow must find them again. A change of a case or of an order of summation changes one.
TEST(KernelDigest, IsTheSameWithEveryCompilerAndOnEveryMachine) {
  constexpr std::uint64_t kStart = 14695981039346656037u;
  std::uint64_t first = kStart;
  std::uint64_t later = kStart;
  for (const Case& item : all_cases()) {
    std::uint64_t& hash = is_later(item.name) ? later : first;
    for (const Tensor& tensor : run(item)) hash = digest(hash, tensor);
  }
  EXPECT_EQ(first, 14396158387271071246u);
  EXPECT_EQ(later, 7878604586974400640u);
}

}  // namespace
}  // namespace poet::test::POET_PRECISION
