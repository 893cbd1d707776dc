/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions that give the same bits on every machine and with every compiler.
 *
 * They use float32 additions, multiplications, divisions and comparisons in a fixed order, and
 * integers: no libm, no fused multiply-add, no table. Compile with -ffp-contract=off and without
 * -ffast-math. Arguments may be any float; NaN gives NaN.
 *
 * Largest error, in units in the last place of the result, found on every seventh float against
 * libm's double functions: poet_expf 0.96, poet_logf 0.86, poet_erff 1.33, poet_tanhf 1.43.
 * poet_sqrtf is correctly rounded, and POET_SQRT has its bits. tests/unit/runtime holds them to 1,
 * 1, 1.5, 2 and that.
 */
#ifndef POET_MATH_H
#define POET_MATH_H

#include <stdint.h>
#include <string.h>

/* Arduino compiles libraries with flags of its own, which fuse products with sums. */
#if defined(ARDUINO) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif

/* The type of all tensor elements. Tests build the kernels with -DPOET_REAL=double as well, to
 * compare gradients with central differences; that build takes its functions from libm. */
#ifndef POET_REAL
#define POET_REAL float
#endif
#define POET_KIND_float 1
#define POET_KIND_double 2
#define POET_KIND_OF(type) POET_KIND_JOIN(type)
#define POET_KIND_JOIN(type) POET_KIND_##type
typedef POET_REAL poet_real;

#ifdef __cplusplus
extern "C" {
#endif

float poet_expf(float x);
float poet_logf(float x);
float poet_erff(float x);
float poet_tanhf(float x);
float poet_sqrtf(float x);

#ifdef __cplusplus
}
#endif

#if POET_KIND_OF(POET_REAL) == POET_KIND_double
#include <math.h>
#define POET_EXP exp
#define POET_EXP_BELOW exp
#define POET_LOG log
#define POET_ERF erf
#define POET_TANH tanh
#define POET_SQRT sqrt
#else
#define POET_EXP poet_expf
#define POET_EXP_BELOW poet_exp_below
#define POET_LOG poet_logf
#define POET_ERF poet_erff
#define POET_TANH poet_tanhf
#define POET_SQRT poet_rootf
#endif

#ifndef __cplusplus /* whose warnings do not like casts of C */
/* x = n ln 2 + r with |r| <= ln(2) / 2, and e^r = 1 + r + r^2 P(r), P a Chebyshev fit of error
 * 1.4e-9: gives e^r and n. `half` is 0.5 with the sign of x. ln 2 is in two parts, of which the
 * first has 15 bits, so that its product with an exponent is exact. */
static inline float poet_exp_parts(float x, float half, int32_t* n) {
  float r, p;
  *n = (int32_t)(x * 1.44269504f + half);
  r = (x - (float)*n * 0.693145751953125f) - (float)*n * 1.42860682e-6f;
  p = 1.989098271e-4f;
  p = p * r + 1.393364269e-3f;
  p = p * r + 8.333310933e-3f;
  p = p * r + 4.166646499e-2f;
  p = p * r + 1.666666668e-1f;
  p = p * r + 5.000000013e-1f;
  return 1.0f + (r + (r * r) * p);
}

/* 2^n for -126 <= n <= 127 */
static inline float poet_power_of_2(int32_t n) {
  const uint32_t bits = (uint32_t)(n + 127) << 23;
  float power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

/* poet_expf() of a number that is not positive, for loops. Down to -87, one power of 2 is enough.
 */
static inline float poet_exp_below(float x) {
  uint32_t bits;
  int32_t n;
  float y;
  memcpy(&bits, &x, sizeof bits);
  if (bits << 1 > 0x42ae0000u << 1) return poet_expf(x);
  y = poet_exp_parts(x, -0.5f, &n);
  return y * poet_power_of_2(n);
}
#endif

/* IEEE 754 has the square root of an FPU correctly rounded, so that it has the bits of
 * poet_sqrtf(). The instruction itself: sqrtf() of libc would have to set errno. Zeros, negative
 * numbers and NaN go to poet_sqrtf(), as FPUs differ in the NaN. */
#if defined(__GNUC__) && defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 4)
#define POET_FPU_SQRT(y, x) __asm("vsqrt.f32 %0, %1" : "=t"(y) : "t"(x))
#elif defined(__GNUC__) && defined(__aarch64__)
#define POET_FPU_SQRT(y, x) __asm("fsqrt %s0, %s1" : "=w"(y) : "w"(x))
#elif defined(__GNUC__) && defined(__riscv_flen)
#define POET_FPU_SQRT(y, x) __asm("fsqrt.s %0, %1" : "=f"(y) : "f"(x))
#elif defined(__GNUC__) && defined(__SSE__)
#define POET_FPU_SQRT(y, x) __asm("sqrtss %1, %0" : "=x"(y) : "x"(x))
#endif

static inline float poet_rootf(float x) {
#ifdef POET_FPU_SQRT
  if (x > 0.0f) {
    float y;
    POET_FPU_SQRT(y, x);
    return y;
  }
#endif
  return poet_sqrtf(x);
}

#endif
