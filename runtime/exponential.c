/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_kernels.h"

static const poet_real kNought = 0;
static const poet_real kWhole = 1;

/* e^x - 1 for x <= 0, without losing the digits of a small x: 2 t / (1 - t) with t = tanh(x / 2).
 */
static poet_real exp_less_1(poet_real x) {
  const poet_real t = POET_TANH((poet_real)0.5 * x);
  return (poet_real)2 * t / (kWhole - t);
}

/* log(1 + e) for 0 <= e <= 1. What 1 + e loses of e, the quotient e / ((1 + e) - 1) puts back. */
static poet_real log_1_plus(poet_real e) {
  const poet_real u = kWhole + e;
  return u > kWhole ? POET_LOG(u) * (e / (u - kWhole)) : e;
}

POET_KERNEL void poet_elu(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = x[i] > kNought ? x[i] : m->slope * exp_less_1(x[i]);
}

/* Below 0 the derivative is alpha e^x = y + alpha. */
POET_KERNEL void poet_elu_grad(const struct poet_map_spec* m, const poet_real* y,
                               const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real gradient = dy[i];
    const poet_real sloped = gradient * (y[i] + m->slope);
    dx[i] = y[i] > kNought ? gradient : sloped;
  }
}

/* log(1 + e^z) = max(z, 0) + log(1 + e^-|z|): no overflow. */
POET_KERNEL void poet_softplus(const struct poet_softplus_spec* s, const poet_real* x,
                               poet_real* y) {
  int32_t i;
  for (i = 0; i < s->count; ++i) {
    const poet_real z = s->beta * x[i];
    const poet_real e = POET_EXP(z > kNought ? -z : z);
    const poet_real soft = ((z > kNought ? z : kNought) + log_1_plus(e)) / s->beta;
    y[i] = z > s->threshold ? x[i] : soft;
  }
}

POET_KERNEL void poet_softplus_grad(const struct poet_softplus_spec* s, const poet_real* x,
                                    const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < s->count; ++i) {
    const poet_real z = s->beta * x[i];
    const poet_real e = POET_EXP(z > kNought ? -z : z);
    const poet_real slope = (z > kNought ? kWhole : e) / (kWhole + e);
    dx[i] = z > s->threshold ? dy[i] : dy[i] * slope;
  }
}
