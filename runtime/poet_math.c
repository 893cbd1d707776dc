/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_math.h"

#include <float.h>

#if defined(__FAST_MATH__)
#error "-ffast-math reorders sums: results would differ between compilers"
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16 /* 16: _Float16 as such, and float as float */
#error "float expressions must be evaluated as float: on 32-bit x86, use -msse2 -mfpmath=sse"
#endif

/* ln 2 in two parts: the first has 15 bits, so that its product with an exponent is exact. */
static const float kLn2High = 0.693145751953125f;
static const float kLn2Low = 1.42860682e-6f;

static const uint32_t kSignBit = 0x80000000u;
static const uint32_t kInfinityBits = 0x7f800000u;
static const uint32_t kNanBits = 0x7fc00000u;
static const uint32_t kMantissaBits = 0x007fffffu;
static const uint32_t kOneBits = 0x3f800000u;

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* 2^n is applied in two factors beyond 87, so that a subnormal result is rounded once. */
float poet_expf(float x) {
  const float sign = x < 0.0f ? -0.5f : 0.5f;
  float y;
  int32_t n, half;
  if (x <= 87.0f && x >= -87.0f) {
    y = poet_exp_parts(x, sign, &n);
    return y * poet_power_of_2(n);
  }
  if (x != x) return x;
  if (x > 88.7228394f) return float_of(kInfinityBits);
  if (x < -103.972084f) return 0.0f;
  y = poet_exp_parts(x, sign, &n);
  half = n / 2;
  return (y * poet_power_of_2(half)) * poet_power_of_2(n - half);
}

/* x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); s = f / (2 + f), and
 * log(1 + f) = 2 atanh(s) = 2 s + s R, R = 2/3 s^2 + 2/5 s^4 + 2/7 s^6 + 2/9 s^8, the rest below
 * 2e-9. 2 s is written as f - (f^2/2 - s f^2/2), which loses no bits of a small f. */
float poet_logf(float x) {
  uint32_t bits;
  int32_t exponent = -127;
  float m, f, s, z, r, half_square;
  if (x != x) return x;
  if (x < 0.0f) return float_of(kNanBits);
  if (x == 0.0f) return float_of(kInfinityBits | kSignBit);
  if (bits_of(x) == kInfinityBits) return x;
  if (bits_of(x) <= kMantissaBits) {
    x *= 33554432.0f; /* 2^25 makes a subnormal number normal */
    exponent -= 25;
  }
  bits = bits_of(x);
  exponent += (int32_t)(bits >> 23);
  m = float_of((bits & kMantissaBits) | kOneBits);
  if (m > 1.41421356f) {
    m *= 0.5f;
    exponent += 1;
  }
  f = m - 1.0f;
  s = f / (2.0f + f);
  z = s * s;
  r = z * (0.666666667f + z * (0.4f + z * (0.285714286f + z * 0.222222222f)));
  half_square = 0.5f * f * f;
  return (float)exponent * kLn2High -
         ((half_square - (s * (half_square + r) + (float)exponent * kLn2Low)) - f);
}

/* Up to 1: x + x P(x^2), P a Chebyshev fit of relative error 1.2e-9. Above: 1 - e^-Q(x), Q a fit of
 * -log erfc(x) of error 1.7e-8. From 4 on erf rounds to 1. */
float poet_erff(float x) {
  const float a = float_of(bits_of(x) & ~kSignBit);
  float p, z;
  if (x != x) return x;
  if (a < 1.0f) {
    z = x * x;
    p = 7.875875063e-5f;
    p = p * z - 8.016864287e-4f;
    p = p * z + 5.189087423e-3f;
    p = p * z - 2.685421201e-2f;
    p = p * z + 1.128359472e-1f;
    p = p * z - 3.761262667e-1f;
    p = p * z + 1.28379166e-1f;
    return x + x * p;
  }
  if (a >= 4.0f) return x < 0.0f ? -1.0f : 1.0f;
  p = -1.637151415e-6f;
  p = p * a + 4.605804269e-5f;
  p = p * a - 5.968056257e-4f;
  p = p * a + 4.759596293e-3f;
  p = p * a - 2.642113601e-2f;
  p = p * a + 1.100800829e-1f;
  p = p * a + 6.318260516e-1f;
  p = p * a + 1.130233435f;
  p = p * a - 3.201380497e-4f;
  p = 1.0f - poet_expf(-p);
  return x < 0.0f ? -p : p;
}

/* Up to 2^-13: x, as x^3 / 3 is below half a unit. Up to 0.55, with relative error below 1e-9:
 * Lambert's continued fraction x / (1 + x^2 / (3 + x^2 / (5 + x^2 / (7 + x^2 / 9)))), written as x
 * less the rest. Above: 1 - 2 / (e^2x + 1). From 9.02 on tanh rounds to 1. */
float poet_tanhf(float x) {
  const float a = float_of(bits_of(x) & ~kSignBit);
  float z, y;
  if (x != x || a < 1.220703125e-4f) return x;
  if (a < 0.55f) {
    z = x * x;
    return x - x * ((z * (14.0f * z + 315.0f)) / ((15.0f * z + 420.0f) * z + 945.0f));
  }
  y = a > 9.02f ? 1.0f : 1.0f - 2.0f / (poet_expf(2.0f * a) + 1.0f);
  return x < 0.0f ? -y : y;
}

/* Digit by digit in integers: the root of m 2^s, with s such that the root has 25 bits, one more
 * than a float. A tie would need an odd root, whose square is odd, and m 2^s is even. */
float poet_sqrtf(float x) {
  uint32_t bits = bits_of(x);
  uint64_t rest, trial;
  uint32_t root = 0;
  uint32_t digit;
  int32_t exponent;
  if (x != x || x == 0.0f || bits == kInfinityBits) return x;
  if (x < 0.0f) return float_of(kNanBits);
  exponent = (int32_t)(bits >> 23);
  if (exponent == 0) {
    bits = bits_of(x * 16777216.0f); /* 2^24 makes a subnormal number normal */
    exponent = (int32_t)(bits >> 23) - 24;
  }
  exponent -= 127 + 23; /* x = m 2^exponent, m of 24 bits */
  rest = (bits & kMantissaBits) | (kMantissaBits + 1u);
  rest <<= (exponent & 1) != 0 ? 25 : 26;
  exponent -= (exponent & 1) != 0 ? 25 : 26;
  /* now x = rest 2^exponent, exponent even, 2^48 <= rest < 2^50 */
  for (digit = 1u << 24; digit != 0; digit >>= 1) {
    trial = ((uint64_t)root << 1 | digit) * digit;
    if (trial > rest) continue;
    rest -= trial;
    root |= digit;
  }
  root = (root + 1u) >> 1;
  return (float)root * poet_power_of_2(exponent / 2 + 1);
}
