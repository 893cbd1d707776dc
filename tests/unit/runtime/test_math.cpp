// The elementary functions against the libm's double ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

extern "C" {
#include "poet_math.h"
}

namespace poet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Every 40009th float, negative and subnormal ones included; 40009 is a prime.
template <class Visit>
void for_floats(Visit visit) {
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 40009) {
    visit(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

/// The distance of two results in units of the last place of a float of the size of `exact`.
double error_in_ulp(float found, double exact) {
  if (std::isnan(exact)) return std::isnan(found) ? 0 : kInfinity;
  if (static_cast<float>(exact) == found) return 0;  // infinities too
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(found - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

double largest_error(float (*function)(float), double (*exact)(double)) {
  double largest = 0;
  for_floats([&](float x) { largest = std::max(largest, error_in_ulp(function(x), exact(x))); });
  return largest;
}

TEST(Math, ExpIsWithinItsBound) {
  EXPECT_LE(largest_error(poet_expf, std::exp), 1.0);
}

TEST(Math, LogIsWithinItsBound) {
  EXPECT_LE(largest_error(poet_logf, std::log), 1.0);
}

TEST(Math, ErfIsWithinItsBound) {
  EXPECT_LE(largest_error(poet_erff, std::erf), 1.5);
}

TEST(Math, TanhIsWithinItsBound) {
  EXPECT_LE(largest_error(poet_tanhf, std::tanh), 2.0);
}

// A double root of a float, rounded to a float, is correctly rounded: double has more than twice
// the bits of a float (Figueroa, 1995).
TEST(Math, SqrtIsCorrectlyRounded) {
  std::mt19937 random(1);
  for (int i = 0; i < 300000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0x7fffffffu);
    if (std::isnan(x)) continue;
    const auto exact = static_cast<float>(std::sqrt(static_cast<double>(x)));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(poet_sqrtf(x)), std::bit_cast<std::uint32_t>(exact))
        << x;
  }
}

TEST(Math, HasTheLimitsOfEachFunction) {
  EXPECT_EQ(poet_expf(kInfinity), kInfinity);
  EXPECT_EQ(poet_expf(-kInfinity), 0.0F);
  EXPECT_EQ(poet_expf(0.0F), 1.0F);
  EXPECT_EQ(poet_logf(0.0F), -kInfinity);
  EXPECT_EQ(poet_logf(1.0F), 0.0F);
  EXPECT_EQ(poet_logf(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(poet_logf(-1.0F)));
  EXPECT_EQ(poet_erff(-kInfinity), -1.0F);
  EXPECT_EQ(poet_tanhf(kInfinity), 1.0F);
  EXPECT_EQ(poet_sqrtf(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(poet_sqrtf(-1.0F)));
  for (const auto function : {poet_erff, poet_tanhf, poet_sqrtf}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(function(-0.0F)), 0x80000000u);
  }
  for (const auto function : {poet_expf, poet_logf, poet_erff, poet_tanhf, poet_sqrtf}) {
    EXPECT_TRUE(std::isnan(function(kNan)));
  }
}

// The FPU's root where there is one, with every sign, zeros and NaN.
TEST(Math, SqrtOfTheFpuHasTheSameBits) {
  const auto expect_same = [](float x) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(POET_SQRT(x)),
              std::bit_cast<std::uint32_t>(poet_sqrtf(x)))
        << x;
  };
  for_floats(expect_same);
  for (const float x : {0.0F, -0.0F, -1.0F, kInfinity, -kInfinity, kNan, -kNan, 1e-45F, -1e-45F})
    expect_same(x);
}

// The number was computed once; see KernelDigest.
TEST(Math, GivesTheSameBitsWithEveryCompilerAndOnEveryMachine) {
  std::uint64_t hash = 14695981039346656037u;
  for (const auto function : {poet_expf, poet_logf, poet_erff, poet_tanhf, poet_sqrtf}) {
    for_floats([&](float x) {
      const float y = function(x);
      hash = (hash ^ (std::isnan(y) ? 0u : std::bit_cast<std::uint32_t>(y))) * 1099511628211u;
    });
  }
  EXPECT_EQ(hash, 17967536649819044694u);
}

}  // namespace
}  // namespace poet
