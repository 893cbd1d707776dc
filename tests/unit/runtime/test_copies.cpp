// Copies of one byte and of one bit against their definition, and every gradient that reads one
// against the kernel that reads numbers, on the numbers that the copy stands for. This file is
// compiled for each kind of block that the runtime has (CMakeLists.txt); POET_COPIES names it.

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "same_bits.hpp"

extern "C" {
#include "poet_kernels.h"
}

namespace poet::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

int padded(int count) {
  return (count + 3) / 4 * 4;
}

struct Copy {
  Copy(const poet_copy_spec& of, const Numbers& x)
      : spec(of), memory(static_cast<std::size_t>(padded(count()) / 4 + spec.groups)) {
    poet_copy_int8(&spec, x.data(), bytes());
  }

  int count() const { return spec.groups * spec.group_size; }
  std::int8_t* bytes() { return reinterpret_cast<std::int8_t*>(memory.data()); }
  int byte(int i) { return bytes()[i]; }
  float scale(int group) const {
    return memory[static_cast<std::size_t>(padded(count()) / 4 + group)];
  }
  Numbers numbers() {
    Numbers result;
    for (int i = 0; i < count(); ++i) {
      result.push_back(static_cast<float>(byte(i)) * scale(i / spec.group_size));
    }
    return result;
  }

  poet_copy_spec spec;
  Numbers memory;
};

/// A workspace of so many numbers, and one more that nobody may write.
class Tile {
 public:
  explicit Tile(int count) : numbers_(static_cast<std::size_t>(count) + 1, kGuard) {}
  ~Tile() { EXPECT_EQ(numbers_.back(), kGuard) << "written behind the tile"; }
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;
  operator poet_workspace*() { return reinterpret_cast<poet_workspace*>(numbers_.data()); }

 private:
  static constexpr float kGuard = 8191;
  Numbers numbers_;
};

class POET_COPIES : public testing::Test {
 protected:
  std::mt19937 random{20261126};

  int any(int least, int most) { return std::uniform_int_distribution(least, most)(random); }
  Numbers numbers(int count) {
    Numbers result(static_cast<std::size_t>(count));
    std::normal_distribution<float> draw;
    for (float& number : result) number = any(1, 8) == 1 ? 0.0f : draw(random);
    return result;
  }
  /// Groups of `size` numbers, of which one may be infinite or none be other than 0.
  Copy copy(int count, int size, bool keeps_sign = false) {
    Numbers x = numbers(count);
    if (any(1, 8) == 1)
      x[static_cast<std::size_t>(any(0, count - 1))] = any(0, 1) ? kInfinity : kNan;
    if (any(1, 8) == 1) std::fill_n(x.begin(), size, 0.0f);
    return Copy({.groups = count / size, .group_size = size, .keeps_sign = keeps_sign}, x);
  }
  static int cases(int usual) {
    const char* wanted = std::getenv("POET_CASES");
    return wanted != nullptr ? std::atoi(wanted) : usual;
  }

  /// `both` puts the gradients of `count` parameters into two sinks, by numbers and by bytes.
  void expect_same(
      int count,
      const std::function<void(const poet_sink* numbers, const poet_sink* bytes)>& both) {
    const Numbers before = numbers(count);
    poet_optimizer optimizer{};
    optimizer.learning_rate = 0.5f;
    for (const bool updates : {false, true}) {
      Numbers results[2] = {before, before};
      poet_sink sinks[2] = {};
      for (int i = 0; i < 2; ++i) {
        (updates ? sinks[i].parameters : sinks[i].gradient) = results[i].data();
        if (updates) sinks[i].optimizer = &optimizer;
      }
      both(&sinks[0], &sinks[1]);
      EXPECT_TRUE(same_bits(results[0], results[1])) << (updates ? "updates" : "stores");
    }
  }
};

TEST_F(POET_COPIES, BytesAreTheNearestAndScalesOfTheirGroups) {
  for (int i = 0; i < cases(200); ++i) {
    const int size = any(1, 40);
    const int groups = any(1, 5);
    const bool keeps_sign = any(0, 1) == 1;
    const Numbers x = numbers(groups * size);
    Copy made({.groups = groups, .group_size = size, .keeps_sign = keeps_sign}, x);
    for (int g = 0; g < groups; ++g) {
      float largest = 0;
      for (int j = 0; j < size; ++j) largest = std::max(largest, std::fabs(x[g * size + j]));
      ASSERT_EQ(made.scale(g), largest / 127);
      for (int j = g * size; j < (g + 1) * size; ++j) {
        float nearest = largest > 0 ? std::nearbyint(x[j] / made.scale(g)) : 0;
        nearest = std::clamp(nearest, -127.0f, 127.0f);
        if (keeps_sign && nearest == 0 && x[j] != 0) nearest = x[j] > 0 ? 1 : -1;
        ASSERT_EQ(made.byte(j), static_cast<int>(nearest)) << x[j] << " / " << made.scale(g);
      }
    }
  }
}

TEST_F(POET_COPIES, TiesGoToTheEvenByte) {
  const Numbers x = {127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f, -126.5f, 0.4f, -0.0f};
  const std::vector<int> expected = {127, 0, 2, 2, 0, -2, -2, 126, -126, 0, 0};
  Copy made({.groups = 1, .group_size = 11, .keeps_sign = 0}, x);
  Copy signs({.groups = 1, .group_size = 11, .keeps_sign = 1}, x);
  for (int i = 0; i < 11; ++i) {
    const float number = x[static_cast<std::size_t>(i)];
    const int sign = number > 0 ? 1 : number < 0 ? -1 : 0;
    EXPECT_EQ(made.byte(i), expected[static_cast<std::size_t>(i)]) << number;
    EXPECT_EQ(signs.byte(i), made.byte(i) == 0 ? sign : made.byte(i)) << number;
  }
}

// A diverging training must be seen, and in its channel only.
TEST_F(POET_COPIES, WhatIsNotFiniteMakesItsGroupNan) {
  for (const float what : {kInfinity, -kInfinity, kNan}) {
    Numbers x(24, 1.0f);
    x[9] = what;
    const Numbers seen = Copy({.groups = 3, .group_size = 8, .keeps_sign = 1}, x).numbers();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::isnan(seen[i]), i / 8 == 1) << i;
  }
}

TEST_F(POET_COPIES, GroupsOfZerosHaveScalesOfZero) {
  Copy made({.groups = 2, .group_size = 3, .keeps_sign = 1}, {0, -0.0f, 0, 1, 0, 0});
  EXPECT_EQ(made.scale(0), 0.0f);
  EXPECT_TRUE(same_bits(made.numbers(), {0, 0, 0, 127 * (1.0f / 127), 0, 0}));
}

TEST_F(POET_COPIES, SignsOutliveTheSmallestNumbersAndTheLargestStayFinite) {
  const float least = std::numeric_limits<float>::denorm_min();
  Copy made({.groups = 2, .group_size = 4, .keeps_sign = 1},
            {least, -least, 0, 5 * least, FLT_MAX / 2, -FLT_MAX / 2, least, 0});
  const Numbers seen = made.numbers();
  for (const std::size_t i : {0U, 3U, 4U, 6U}) EXPECT_GT(seen[i], 0.0f) << i;
  for (const std::size_t i : {1U, 5U}) EXPECT_LT(seen[i], 0.0f) << i;
  EXPECT_TRUE(std::isfinite(seen[4]));
}

/// A scale of few bits may be rounded down by a third.
TEST_F(POET_COPIES, BytesSaturate) {
  const float least = std::numeric_limits<float>::denorm_min();
  Copy made({.groups = 1, .group_size = 3, .keeps_sign = 0},
            {190 * least, -190 * least, 100 * least});
  EXPECT_EQ(made.scale(0), least);
  EXPECT_EQ(made.byte(0), 127);
  EXPECT_EQ(made.byte(1), -127);
  EXPECT_EQ(made.byte(2), 100);
}

/// relu6 gives 6 to all that it cuts off, and its gradient stops there.
TEST_F(POET_COPIES, SixStaysSix) {
  Copy made({.groups = 1, .group_size = 8, .keeps_sign = 1}, {6, 3, 0, 6, 1, 2, 5, 6});
  EXPECT_EQ(made.numbers()[0], 6.0f);
  EXPECT_EQ(made.numbers()[7], 6.0f);
}

TEST_F(POET_COPIES, ConvolutionsReadBytesAsNumbers) {
  for (int i = 0; i < cases(150); ++i) {
    poet_conv2d_copy_spec s{};
    poet_conv2d_spec& c = s.conv;
    const bool is_window = i % 5 == 0;  // depthwise, for which microcontrollers have loops
    c.batch = any(1, 3);
    c.groups = any(1, 3) == 1 ? any(2, 5) : 1;
    c.channels = c.groups * (any(1, 3) == 1 ? 1 : any(1, 11));
    c.filters = c.groups * any(1, 20);
    c.height = any(1, 9);
    c.width = any(1, 9);
    c.kernel_height = any(1, 3);
    c.kernel_width = any(1, 3);
    c.stride_height = any(1, 2);
    c.stride_width = any(1, 2);
    c.pad_top = any(c.kernel_height - 1, 2);
    c.pad_left = any(c.kernel_width - 1, 2);
    if (is_window) {
      c.channels = c.filters = c.groups;
      c.kernel_height = c.kernel_width = 3;
      c.stride_height = c.stride_width = c.pad_top = c.pad_left = 1;
    }
    c.dilation_height = c.dilation_width = 1;
    c.map_height = (c.height + 2 * c.pad_top - c.kernel_height) / c.stride_height + 1;
    c.map_width = (c.width + 2 * c.pad_left - c.kernel_width) / c.stride_width + 1;
    c.has_bias = any(0, 1);
    const int plane = c.height * c.width;
    // A group may be more than a plane; of a view's tensor, it may end within one.
    const std::vector<int> groups = {plane, plane, c.channels * plane, c.width, 3, 7 * c.width};
    const int wanted = groups[static_cast<std::size_t>(any(0, 5))];
    const int count = c.batch * c.channels * plane;
    Copy x = copy(count, count % wanted == 0 ? wanted : plane);
    s.copy = x.spec;
    const Numbers unpacked = x.numbers();
    const Numbers dy = numbers(c.batch * c.filters * c.map_height * c.map_width);
    Tile tile(c.batch * std::min(4, c.channels / c.groups) * plane);
    const int weights = c.filters * c.channels / c.groups * c.kernel_height * c.kernel_width;
    SCOPED_TRACE("case " + std::to_string(i));
    expect_same(weights + c.filters, [&](const poet_sink* of_numbers, const poet_sink* of_bytes) {
      poet_conv2d_gradw(&c, unpacked.data(), dy.data(), of_numbers);
      poet_conv2d_gradw_of_bytes(&s, x.bytes(), dy.data(), tile, of_bytes);
    });
    if (HasFailure()) return;
  }
}

TEST_F(POET_COPIES, DenseLayersReadBytesAsNumbers) {
  for (int i = 0; i < cases(100); ++i) {
    poet_linear_copy_spec s{};
    poet_linear_spec& l = s.linear;
    l = {.rows = any(0, 1) ? any(2, 9) : 1,
         .inputs = any(1, 150),
         .outputs = any(1, 40),
         .has_bias = any(0, 1)};
    Copy x = copy(l.rows * l.inputs, any(1, 3) == 1 ? l.rows * l.inputs : l.inputs);
    s.copy = x.spec;
    const Numbers unpacked = x.numbers();
    const Numbers dy = numbers(l.rows * l.outputs);
    Tile tile(l.rows * std::min(16, l.inputs));
    SCOPED_TRACE("case " + std::to_string(i));
    expect_same((l.inputs + 1) * l.outputs,
                [&](const poet_sink* of_numbers, const poet_sink* of_bytes) {
                  poet_linear_gradw(&l, unpacked.data(), dy.data(), of_numbers);
                  poet_linear_gradw_of_bytes(&s, x.bytes(), dy.data(), tile, of_bytes);
                });
    if (HasFailure()) return;
  }
}

TEST_F(POET_COPIES, NormsReadBytesAsNumbers) {
  for (int i = 0; i < cases(100); ++i) {
    poet_batch_norm_copy_spec s{};
    poet_batch_norm_spec& b = s.norm;
    b = {.batch = any(1, 4),
         .channels = any(1, 6),
         .plane = any(1, 20),
         .epsilon = 0.125f,
         .keep = 0.5f,
         .take = 0.5f};
    Copy x = copy(b.batch * b.channels * b.plane, b.plane < 8 ? b.channels * b.plane : b.plane);
    s.copy = x.spec;
    const Numbers unpacked = x.numbers();
    const Numbers dy = numbers(x.count());
    const Numbers gamma = numbers(b.channels);
    Tile tile(b.batch * b.plane);
    Numbers dx[2] = {dy, dy};  // over dy
    Numbers running[2] = {gamma, gamma};
    running[0].resize(2 * gamma.size());
    running[1].resize(2 * gamma.size());
    SCOPED_TRACE("case " + std::to_string(i));
    const auto number_kernel = std::vector{poet_batch_norm_grad, poet_batch_norm_grad_gamma,
                                           poet_batch_norm_grad_beta}[i % 3];
    const auto byte_kernel =
        std::vector{poet_batch_norm_grad_of_bytes, poet_batch_norm_grad_gamma_of_bytes,
                    poet_batch_norm_grad_beta_of_bytes}[i % 3];
    expect_same(2 * b.channels, [&](const poet_sink* of_numbers, const poet_sink* of_bytes) {
      poet_sink tracks[2] = {*of_numbers, *of_bytes};
      for (int k = 0; k < 2; ++k) tracks[k].running = running[k].data();
      dx[0] = dx[1] = dy;
      number_kernel(&b, unpacked.data(), dx[0].data(), gamma.data(), dx[0].data(), &tracks[0]);
      byte_kernel(&s, x.bytes(), dx[1].data(), gamma.data(), tile, dx[1].data(), &tracks[1]);
      EXPECT_TRUE(same_bits(dx[0], dx[1]));
      EXPECT_TRUE(same_bits(running[0], running[1]));
    });
    if (HasFailure()) return;
  }
}

TEST_F(POET_COPIES, NormsOfGroupsReadBytesAsNumbers) {
  for (int i = 0; i < cases(60); ++i) {
    poet_group_norm_copy_spec s{};
    poet_group_norm_spec& n = s.norm;
    const bool is_layer_norm = i % 2 == 0;
    n = {.samples = any(1, 4),
         .groups = is_layer_norm ? 1 : any(1, 3),
         .channels = is_layer_norm ? any(1, 150) : any(1, 4),
         .plane = is_layer_norm ? 1 : any(1, 9),
         .has_bias = any(0, 1),
         .epsilon = 0.125f};
    const int row = n.groups * n.channels * n.plane;
    Copy x = copy(n.samples * row, !is_layer_norm && n.plane >= 8 ? n.plane : row);
    s.copy = x.spec;
    const Numbers unpacked = x.numbers();
    const Numbers dy = numbers(x.count());
    const Numbers gamma = numbers(n.groups * n.channels);
    Tile tile(n.channels * n.plane);
    SCOPED_TRACE("case " + std::to_string(i));
    expect_same(2 * n.groups * n.channels, [&](const poet_sink* of_numbers,
                                               const poet_sink* of_bytes) {
      Numbers dx[2] = {dy, dy};
      poet_group_norm_grad(&n, unpacked.data(), dy.data(), gamma.data(), dx[0].data(), of_numbers);
      poet_group_norm_grad_of_bytes(&s, x.bytes(), dx[1].data(), gamma.data(), tile, dx[1].data(),
                                    of_bytes);
      EXPECT_TRUE(same_bits(dx[0], dx[1]));
    });
    if (HasFailure()) return;
  }
}

TEST_F(POET_COPIES, ActivationsReadBytesAsNumbers) {
  const std::vector kernels = {poet_relu_grad,         poet_relu6_grad,      poet_leaky_relu_grad,
                               poet_sigmoid_grad,      poet_tanh_grad,       poet_elu_grad,
                               poet_hard_sigmoid_grad, poet_hard_swish_grad, poet_silu_grad,
                               poet_gelu_grad};
  const std::vector of_bytes = {poet_relu_grad_of_bytes,         poet_relu6_grad_of_bytes,
                                poet_leaky_relu_grad_of_bytes,   poet_sigmoid_grad_of_bytes,
                                poet_tanh_grad_of_bytes,         poet_elu_grad_of_bytes,
                                poet_hard_sigmoid_grad_of_bytes, poet_hard_swish_grad_of_bytes,
                                poet_silu_grad_of_bytes,         poet_gelu_grad_of_bytes};
  for (int i = 0; i < cases(40); ++i) {
    const int size = any(1, 70);
    Copy x = copy(any(1, 4) * size, size, true);
    const poet_map_copy_spec s{.map = {.count = x.count(), .slope = 0.25f}, .copy = x.spec};
    const Numbers unpacked = x.numbers();
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      Numbers dx[2] = {numbers(x.count()), {}};
      dx[1] = dx[0];
      kernels[k](&s.map, unpacked.data(), dx[0].data(), dx[0].data());
      of_bytes[k](&s, x.bytes(), dx[1].data(), dx[1].data());
      ASSERT_TRUE(same_bits(dx[0], dx[1])) << "case " << i << ", kernel " << k;
    }
  }
}

TEST_F(POET_COPIES, AttentionReadsBytesAsNumbers) {
  for (int i = 0; i < cases(60); ++i) {
    poet_attention_copy_spec s{};
    poet_attention_spec& a = s.attention;
    a.batch = any(1, 2);
    a.heads = any(1, 3);
    a.queries = any(1, 20);
    a.keys = any(1, 40);
    a.head_dim = any(1, 9);
    a.causal = any(0, 1);
    poet_attention_layout(&a);
    const int plane = a.queries * a.keys;
    Copy p = copy(a.batch * a.heads * plane, plane);
    s.copy = p.spec;
    const Numbers unpacked = p.numbers();
    const Numbers dy = numbers(a.batch * a.queries * a.heads * a.head_dim);
    const Numbers v = numbers(a.batch * a.keys * a.heads * a.head_dim);
    Numbers ds[2] = {unpacked, unpacked}, dv[2] = {v, v};
    Tile row(a.keys), some_keys(a.queries * std::min(16, a.keys));
    poet_attention_grad_scores(&a, dy.data(), v.data(), unpacked.data(), ds[0].data());
    poet_attention_grad_scores_of_bytes(&s, dy.data(), v.data(), p.bytes(), row, ds[1].data());
    poet_attention_grad_v(&a, unpacked.data(), dy.data(), dv[0].data());
    poet_attention_grad_v_of_bytes(&s, p.bytes(), dy.data(), some_keys, dv[1].data());
    ASSERT_TRUE(same_bits(ds[0], ds[1])) << "case " << i;
    ASSERT_TRUE(same_bits(dv[0], dv[1])) << "case " << i;
  }
}

TEST_F(POET_COPIES, BitsOfRectifiersAreExact) {
  for (int i = 0; i < cases(60); ++i) {
    const poet_map_spec m{.count = any(1, 70), .slope = 0.25f};
    Numbers y = numbers(m.count);
    for (float& number : y) number = any(1, 20) == 1 ? kNan : any(1, 5) == 1 ? 6.0f : 4 * number;
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(m.count + 7) / 8 + 1, 0xa5);
    const Numbers dy = numbers(m.count);
    const auto expect_gradient = [&](auto make, auto of_numbers, auto of_bits) {
      Numbers dx[2] = {dy, dy};
      make(&m, y.data(), bits.data());
      EXPECT_EQ(bits.back(), 0xa5);
      of_numbers(&m, y.data(), dx[0].data(), dx[0].data());
      of_bits(&m, bits.data(), dx[1].data(), dx[1].data());
      EXPECT_TRUE(same_bits(dx[0], dx[1])) << "case " << i;
    };
    expect_gradient(poet_relu_bits, poet_relu_grad, poet_relu_grad_of_bits);
    expect_gradient(poet_relu6_bits, poet_relu6_grad, poet_relu_grad_of_bits);
    expect_gradient(poet_relu_bits, poet_leaky_relu_grad, poet_leaky_relu_grad_of_bits);
  }
}

}  // namespace
}  // namespace poet::test
