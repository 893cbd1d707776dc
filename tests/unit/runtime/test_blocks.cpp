// The kernels that sum products, against plain loops in the same order, on random geometry. This
// file is compiled for each kind of block that the runtime has (CMakeLists.txt); POET_BLOCKS names
// it.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "same_bits.hpp"

extern "C" {
#include "plain_sums.h"
}

namespace poet::test {
namespace {

class POET_BLOCKS : public testing::Test {
 protected:
  std::mt19937 random{20240607};
  bool has_limits = false;  ///< zeros of both signs, and infinity

  int any(int least, int most) { return std::uniform_int_distribution(least, most)(random); }
  bool chance(int of) { return any(1, of) == 1; }
  Numbers numbers(int count) {
    Numbers result(static_cast<std::size_t>(count));
    std::uniform_real_distribution<float> draw(-1, 1);
    for (float& number : result) number = draw(random);
    if (has_limits) {
      for (float& number : result) {
        if (chance(8)) number = chance(2) ? -0.0f : 0.0f;
        if (chance(64)) number = std::numeric_limits<float>::infinity();
      }
    }
    return result;
  }
  static int cases(int usual) {
    const char* wanted = std::getenv("POET_CASES");
    return wanted != nullptr ? std::atoi(wanted) : usual;
  }
};

// Everything that a sink can do, side by side with a second one.
struct Sinks {
  Sinks(int kind, const Numbers& first) {
    const Numbers zeros(first.size());
    for (int i = 0; i < 2; ++i) {
      parameters[i] = first;
      gradients[i] = sums[i] = seconds[i] = zeros;
      firsts[i] = first;
      sinks[i] = {};
      optimizers[i] = poet_optimizer{};
      optimizers[i].kind = kind % 4;
      optimizers[i].learning_rate = 0.25f;
      optimizers[i].momentum = optimizers[i].beta1 = 0.5f;
      optimizers[i].beta2 = 0.75f;
      optimizers[i].epsilon = 0.125f;
      optimizers[i].weight_decay = kind % 2 == 1 ? 0.125f : 0.0f;
      optimizers[i].largest_gradient = kind % 3 == 2 ? 0.5f : 0.0f;
      poet_begin_step(&optimizers[i]);
      const bool updates = kind % 4 < 3;
      if (!updates || kind >= 8) sinks[i].gradient = gradients[i].data();
      if (kind >= 4) sinks[i].sum = firsts[i].data();
      if (kind >= 12) {
        sinks[i].observe = [](void* context, std::int32_t, float) {
          ++*static_cast<int*>(context);
        };
        sinks[i].context = &calls[i];
      }
      if (!updates) continue;
      sinks[i].optimizer = &optimizers[i];
      sinks[i].parameters = parameters[i].data();
      sinks[i].first = sums[i].data();
      sinks[i].second = seconds[i].data();
    }
  }

  void expect_same() const {
    EXPECT_TRUE(same_bits(parameters[0], parameters[1]));
    EXPECT_TRUE(same_bits(gradients[0], gradients[1]));
    EXPECT_TRUE(same_bits(sums[0], sums[1]));
    EXPECT_TRUE(same_bits(seconds[0], seconds[1]));
    EXPECT_EQ(calls[0], calls[1]);
  }

  Numbers parameters[2], gradients[2], sums[2], firsts[2], seconds[2];
  poet_optimizer optimizers[2];
  poet_sink sinks[2];
  int calls[2] = {0, 0};
};

TEST_F(POET_BLOCKS, ProductHasTheBitsOfPlainLoops) {
  for (int i = 0; i < cases(150); ++i) {
    const bool is_large = i % 10 == 0;
    has_limits = i % 5 == 0;
    poet_product_spec p{};
    p.rows = any(1, is_large ? 150 : 12);
    p.inner = any(1, is_large ? 300 : 12);
    p.columns = any(1, is_large ? 150 : 40);
    const int apart = chance(4) ? any(2, 3) : 1;  // heads that lie between each other
    const bool a_is_transposed = chance(2);
    const bool b_is_transposed = chance(2);
    const bool out_is_transposed = chance(3);
    p.a_row = apart * (a_is_transposed ? 1 : p.inner);
    p.a_inner = apart * (a_is_transposed ? p.rows : 1);
    p.b_inner = apart * (b_is_transposed ? 1 : p.columns);
    p.b_column = apart * (b_is_transposed ? p.inner : 1);
    p.out_row = apart * (out_is_transposed ? 1 : p.columns);
    p.out_column = apart * (out_is_transposed ? p.rows : 1);
    p.first = any(0, apart - 1);
    const Numbers a = numbers(p.rows * p.inner * apart);
    const Numbers b = numbers(p.inner * p.columns * apart);
    const Numbers start = numbers(p.rows + p.columns);
    p.a = a.data();
    p.b = b.data();
    if (chance(3)) p.start = start.data();
    if (p.start == nullptr && chance(3)) p.row_start = start.data();
    Sinks both(chance(2) ? 3 : any(0, 15), numbers(p.rows * p.columns * apart + apart));
    poet_product(&p, &both.sinks[0]);
    plain_product(&p, &both.sinks[1]);
    SCOPED_TRACE("case " + std::to_string(i));
    both.expect_same();
    if (HasFailure()) return;
  }
}

class Geometry {
 public:
  explicit Geometry(std::mt19937& random) : random_(random) {
    is_large_ = any(1, 6) == 1;
    spec.batch = any(1, 3);
    spec.groups = any(1, 3) == 1 ? any(2, 5) : 1;
    const int kind = any(1, 4);
    spec.channels = spec.groups * (kind == 1 ? 1 : any(1, is_large_ ? 40 : 9));
    spec.filters = spec.groups * (kind == 1 ? any(1, 2) : any(1, is_large_ ? 40 : 9));
    axis(spec.height, spec.map_height, spec.kernel_height, spec.stride_height, spec.pad_top,
         spec.dilation_height);
    axis(spec.width, spec.map_width, spec.kernel_width, spec.stride_width, spec.pad_left,
         spec.dilation_width);
    if (any(1, 4) == 1) pointwise();
    if (any(1, 4) == 1) windows();
    spec.has_bias = 1;
  }

  int image() const { return spec.batch * spec.channels * spec.height * spec.width; }
  int map() const { return spec.batch * spec.filters * spec.map_height * spec.map_width; }
  int weights() const {
    return spec.filters * spec.channels / spec.groups * spec.kernel_height * spec.kernel_width;
  }

  poet_conv2d_spec spec{};

 private:
  int any(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  void axis(std::int32_t& extent, std::int32_t& map, std::int32_t& kernel, std::int32_t& stride,
            std::int32_t& pad, std::int32_t& dilation) {
    extent = any(1, is_large_ ? 24 : 9);
    kernel = any(1, is_large_ ? (any(1, 8) == 1 ? 20 : 7) : 5);
    stride = any(1, 3);
    dilation = any(1, 2);
    const int reach = (kernel - 1) * dilation + 1;
    if (any(1, 3) == 1) {  // "same"
      map = (extent + stride - 1) / stride;
      const int needed = (map - 1) * stride + reach - extent;
      pad = needed > 0 ? needed / 2 : 0;
    } else {
      pad = any(0, reach);
      if (extent + 2 * pad < reach) pad = reach;
      map = (extent + 2 * pad - reach) / stride + 1;
    }
  }

  void pointwise() {
    spec.kernel_height = spec.kernel_width = spec.stride_height = spec.stride_width = 1;
    spec.pad_top = spec.pad_left = 0;
    spec.map_height = spec.height;
    spec.map_width = spec.width;
  }

  /// The kernel of most networks, which blocks and depthwise convolutions have code of their own
  /// for.
  void windows() {
    spec.kernel_height = spec.kernel_width = 3;
    spec.stride_height = spec.stride_width = spec.dilation_height = spec.dilation_width = 1;
    spec.pad_top = spec.pad_left = 1;
    spec.map_height = spec.height;
    spec.map_width = spec.width;
  }

  std::mt19937& random_;
  bool is_large_ = false;
};

TEST_F(POET_BLOCKS, ConvolutionsHaveTheBitsOfPlainLoops) {
  for (int i = 0; i < cases(300); ++i) {
    has_limits = i % 5 == 0;
    const Geometry g(random);
    const poet_conv2d_spec& c = g.spec;
    const Numbers image = numbers(g.image());
    const Numbers map = numbers(g.map());
    const Numbers w = numbers(g.weights());
    const Numbers bias = numbers(c.channels + c.filters);
    const float* start = chance(2) ? bias.data() : nullptr;
    Numbers found(map.size()), expected(map.size());
    SCOPED_TRACE("case " + std::to_string(i));
    poet_conv2d(&c, image.data(), w.data(), start, found.data());
    plain_to_map(&c, image.data(), w.data(), start, expected.data());
    EXPECT_TRUE(same_bits(found, expected));
    poet_conv_transpose2d_grad(&c, image.data(), w.data(), found.data());
    plain_to_map(&c, image.data(), w.data(), nullptr, expected.data());
    EXPECT_TRUE(same_bits(found, expected)) << "gradient of a transposed one";
    found.resize(image.size());
    expected.resize(image.size());
    poet_conv2d_grad(&c, map.data(), w.data(), found.data());
    plain_to_image(&c, map.data(), w.data(), nullptr, expected.data());
    EXPECT_TRUE(same_bits(found, expected)) << "gradient";
    poet_conv_transpose2d(&c, map.data(), w.data(), start, found.data());
    plain_to_image(&c, map.data(), w.data(), start, expected.data());
    EXPECT_TRUE(same_bits(found, expected)) << "transposed";
    if (HasFailure()) return;
  }
}

TEST_F(POET_BLOCKS, GradientsOfWeightsHaveTheBitsOfPlainLoops) {
  for (int i = 0; i < cases(300); ++i) {
    has_limits = i % 5 == 0;
    Geometry g(random);
    poet_conv2d_spec& c = g.spec;
    c.has_bias = 0;
    const Numbers image = numbers(g.image());
    const Numbers map = numbers(g.map());
    Sinks both(any(0, 15), numbers(g.weights()));
    const bool is_transposed = chance(2);
    if (is_transposed) {
      poet_conv_transpose2d_gradw(&c, map.data(), image.data(), &both.sinks[0]);
    } else {
      poet_conv2d_gradw(&c, image.data(), map.data(), &both.sinks[0]);
    }
    plain_conv_weights(&c, image.data(), map.data(), &both.sinks[1]);
    SCOPED_TRACE("case " + std::to_string(i));
    both.expect_same();
    if (HasFailure()) return;
  }
}

/// Weights as bytes with a scale for each row, and as the floats that they stand for.
struct WeightsOfBytes {
  WeightsOfBytes(std::mt19937& random, int rows, int count) {
    std::uniform_int_distribution byte(-127, 127);
    std::uniform_int_distribution bits(1, 1 << 16);
    for (int row = 0; row < rows; ++row) {
      scales.push_back(std::ldexp(static_cast<float>(bits(random)), bits(random) % 12 - 26));
    }
    for (int i = 0; i < count; ++i) {
      bytes.push_back(static_cast<std::int8_t>(byte(random)));
      products.push_back(static_cast<float>(bytes.back()) *
                         scales[static_cast<std::size_t>(i / (count / rows))]);
    }
  }

  std::vector<std::int8_t> bytes;
  Numbers scales, products;
};

TEST_F(POET_BLOCKS, ConvolutionsByBytesHaveTheBitsOfTheirProducts) {
  for (int i = 0; i < cases(300); ++i) {
    has_limits = i % 5 == 0;
    const Geometry g(random);
    const poet_conv2d_spec& c = g.spec;
    const WeightsOfBytes w(random, c.filters, g.weights());
    const Numbers image = numbers(g.image());
    const Numbers map = numbers(g.map());
    const Numbers bias = numbers(c.filters);
    const float* start = chance(2) ? bias.data() : nullptr;
    Numbers found(map.size()), expected(map.size());
    SCOPED_TRACE("case " + std::to_string(i));
    poet_conv2d_int8(&c, image.data(), w.bytes.data(), w.scales.data(), start, found.data());
    plain_to_map(&c, image.data(), w.products.data(), start, expected.data());
    EXPECT_TRUE(same_bits(found, expected));
    found.resize(image.size());
    expected.resize(image.size());
    poet_conv2d_int8_grad(&c, map.data(), w.bytes.data(), w.scales.data(), found.data());
    plain_to_image(&c, map.data(), w.products.data(), nullptr, expected.data());
    EXPECT_TRUE(same_bits(found, expected)) << "gradient";
    if (HasFailure()) return;
  }
}

TEST_F(POET_BLOCKS, DenseLayersByBytesHaveTheBitsOfTheirProducts) {
  for (int i = 0; i < cases(200); ++i) {
    has_limits = i % 5 == 0;
    const bool is_large = i % 10 == 0;
    const poet_linear_spec l{any(1, is_large ? 40 : 9), any(1, is_large ? 300 : 20),
                             any(1, is_large ? 150 : 20), 1};
    const WeightsOfBytes w(random, l.outputs, l.outputs * l.inputs);
    const Numbers x = numbers(l.rows * l.inputs);
    const Numbers dy = numbers(l.rows * l.outputs);
    const Numbers bias = numbers(l.outputs);
    const float* start = chance(2) ? bias.data() : nullptr;
    Numbers found(dy.size()), expected(dy.size());
    SCOPED_TRACE("case " + std::to_string(i));
    poet_linear_int8(&l, x.data(), w.bytes.data(), w.scales.data(), start, found.data());
    poet_linear(&l, x.data(), w.products.data(), start, expected.data());
    EXPECT_TRUE(same_bits(found, expected));
    poet_linear_relu_int8(&l, x.data(), w.bytes.data(), w.scales.data(), start, found.data());
    poet_linear_relu(&l, x.data(), w.products.data(), start, expected.data());
    EXPECT_TRUE(same_bits(found, expected)) << "with a rectifier";
    found.resize(x.size());
    expected.resize(x.size());
    poet_linear_int8_grad(&l, dy.data(), w.bytes.data(), w.scales.data(), found.data());
    poet_linear_grad(&l, dy.data(), w.products.data(), expected.data());
    EXPECT_TRUE(same_bits(found, expected)) << "gradient";
    if (HasFailure()) return;
  }
}

// Over P there is no room for dP, so that it is computed in parts; the bits are those of a whole
// row.
TEST_F(POET_BLOCKS, GradientsOfScoresAreTheSameInPlace) {
  for (const int keys : {1, 5, 16, 17, 40, 511, 513, 700}) {
    poet_attention_spec a{};
    a.batch = 2;
    a.heads = 2;
    a.queries = any(1, 20);
    a.keys = keys;
    a.head_dim = any(1, 9);
    poet_attention_layout(&a);
    const int rows = a.batch * a.heads * a.head_dim;
    const Numbers dy = numbers(rows * a.queries);
    const Numbers v = numbers(rows * a.keys);
    const Numbers p = numbers(a.batch * a.heads * a.queries * a.keys);
    Numbers apart(p.size());
    Numbers over = p;
    poet_attention_grad_scores(&a, dy.data(), v.data(), p.data(), apart.data());
    poet_attention_grad_scores(&a, dy.data(), v.data(), over.data(), over.data());
    EXPECT_TRUE(same_bits(apart, over)) << keys;
    Numbers expected(p.size());
    const float scale = 1 / poet_sqrtf(static_cast<float>(a.head_dim));
    for (int n = 0; n < a.batch * a.heads; ++n) {
      const int first = n % a.heads * a.head_dim;
      for (int s = 0; s < a.queries; ++s) {
        const auto gradient = [&](int t) {
          float sum = 0;
          for (int d = 0; d < a.head_dim; ++d) {
            const int width = a.heads * a.head_dim;
            const float product =
                dy[static_cast<std::size_t>((n / a.heads * a.queries + s) * width + first + d)] *
                v[static_cast<std::size_t>((n / a.heads * a.keys + t) * width + first + d)];
            sum += product;
          }
          return sum;
        };
        const int row = (n * a.queries + s) * a.keys;
        const auto at = [&](int t) { return static_cast<std::size_t>(row + t); };
        float dot = 0;
        for (int t = 0; t < keys; ++t) {
          const float product = p[at(t)] * gradient(t);
          dot += product;
        }
        for (int t = 0; t < keys; ++t) expected[at(t)] = p[at(t)] * (gradient(t) - dot) * scale;
      }
    }
    EXPECT_TRUE(same_bits(apart, expected)) << keys;
  }
}

}  // namespace
}  // namespace poet::test
