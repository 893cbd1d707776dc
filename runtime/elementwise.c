/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_block.h"
#include "poet_gates.h"
#include "poet_kernels.h"

static const poet_real kZero = 0;

/* What a condition chooses from is computed before it: a load or a product behind a condition keeps
 * a compiler from using vectors, and a host from going on. */

POET_KERNEL void poet_relu(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  POET_IN_PAIRS
  for (i = 0; i < m->count; ++i) y[i] = x[i] > kZero ? x[i] : kZero;
}

POET_KERNEL void poet_relu_grad(const struct poet_map_spec* m, const poet_real* y,
                                const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real gradient = dy[i];
    dx[i] = y[i] > kZero ? gradient : kZero;
  }
}

POET_KERNEL void poet_relu6(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  const poet_real six = 6;
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real limited = x[i] < six ? x[i] : six;
    y[i] = x[i] > kZero ? limited : kZero;
  }
}

POET_KERNEL void poet_relu6_grad(const struct poet_map_spec* m, const poet_real* y,
                                 const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real gradient = dy[i];
    const poet_real below_6 = y[i] < (poet_real)6 ? gradient : kZero;
    dx[i] = y[i] > kZero ? below_6 : kZero;
  }
}

POET_KERNEL void poet_leaky_relu(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real sloped = x[i] * m->slope;
    y[i] = x[i] > kZero ? x[i] : sloped;
  }
}

POET_KERNEL void poet_leaky_relu_grad(const struct poet_map_spec* m, const poet_real* y,
                                      const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real gradient = dy[i];
    const poet_real sloped = gradient * m->slope;
    dx[i] = y[i] > kZero ? gradient : sloped;
  }
}

POET_KERNEL void poet_sigmoid(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = poet_logistic(x[i]);
}

POET_KERNEL void poet_sigmoid_grad(const struct poet_map_spec* m, const poet_real* y,
                                   const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) dx[i] = dy[i] * (y[i] * (poet_unit - y[i]));
}

POET_KERNEL void poet_tanh(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = POET_TANH(x[i]);
}

POET_KERNEL void poet_tanh_grad(const struct poet_map_spec* m, const poet_real* y,
                                const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) dx[i] = dy[i] * (poet_unit - y[i] * y[i]);
}

/* relu6(x + 3) / 6, and its derivative (Howard et al., 2019, section 5.2) */
static poet_real hard_sigmoid_of(poet_real x) {
  const poet_real shifted = x + (poet_real)3;
  if (shifted <= kZero) return kZero;
  return shifted >= (poet_real)6 ? poet_unit : shifted / (poet_real)6;
}

static poet_real hard_sigmoid_slope(poet_real x) {
  return x > (poet_real)-3 && x < (poet_real)3 ? poet_unit / (poet_real)6 : kZero;
}

POET_KERNEL void poet_hard_sigmoid(const struct poet_map_spec* m, const poet_real* x,
                                   poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = hard_sigmoid_of(x[i]);
}

POET_KERNEL void poet_hard_sigmoid_grad(const struct poet_map_spec* m, const poet_real* x,
                                        const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) dx[i] = dy[i] * hard_sigmoid_slope(x[i]);
}

POET_KERNEL void poet_hard_swish(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = x[i] * hard_sigmoid_of(x[i]);
}

POET_KERNEL void poet_hard_swish_grad(const struct poet_map_spec* m, const poet_real* x,
                                      const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    dx[i] = dy[i] * (hard_sigmoid_of(x[i]) + x[i] * hard_sigmoid_slope(x[i]));
  }
}

POET_KERNEL void poet_silu(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = x[i] * poet_logistic(x[i]);
}

POET_KERNEL void poet_silu_grad(const struct poet_map_spec* m, const poet_real* x,
                                const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real s = poet_logistic(x[i]);
    dx[i] = dy[i] * (s * (poet_unit + x[i] * (poet_unit - s)));
  }
}

/* x Phi(x), Phi the distribution function of the normal distribution (Hendrycks and Gimpel, 2016),
 * by erf and not by its approximation with tanh. */
static poet_real normal_distribution(poet_real x) {
  return (poet_real)0.5 * (poet_unit + POET_ERF(x * (poet_real)0.70710678118654752440));
}

POET_KERNEL void poet_gelu(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = x[i] * normal_distribution(x[i]);
}

POET_KERNEL void poet_gelu_grad(const struct poet_map_spec* m, const poet_real* x,
                                const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real density =
        (poet_real)0.39894228040143267794 * POET_EXP((poet_real)-0.5 * x[i] * x[i]);
    dx[i] = dy[i] * (normal_distribution(x[i]) + x[i] * density);
  }
}

POET_KERNEL void poet_prelu(const struct poet_prelu_spec* p, const poet_real* x, const poet_real* w,
                            poet_real* y) {
  int32_t o, c, i;
  for (o = 0; o < p->outer; ++o) {
    for (c = 0; c < p->channels; ++c) {
      for (i = 0; i < p->inner; ++i, ++x) {
        const poet_real sloped = *x * w[c];
        *y++ = *x > kZero ? *x : sloped;
      }
    }
  }
}

POET_KERNEL void poet_prelu_grad(const struct poet_prelu_spec* p, const poet_real* x,
                                 const poet_real* dy, const poet_real* w, poet_real* dx) {
  int32_t o, c, i;
  for (o = 0; o < p->outer; ++o) {
    for (c = 0; c < p->channels; ++c) {
      for (i = 0; i < p->inner; ++i, ++dy) {
        const poet_real gradient = *dy;
        const poet_real sloped = gradient * w[c];
        *dx++ = *x++ > kZero ? gradient : sloped;
      }
    }
  }
}

POET_KERNEL void poet_prelu_gradw(const struct poet_prelu_spec* p, const poet_real* x,
                                  const poet_real* dy, const struct poet_sink* dw) {
  int32_t o, c, i;
  for (c = 0; c < p->channels; ++c) {
    poet_real sum = 0;
    for (o = 0; o < p->outer; ++o) {
      const int32_t first = (o * p->channels + c) * p->inner;
      for (i = first; i < first + p->inner; ++i) {
        if (!(x[i] > kZero)) sum += dy[i] * x[i];
      }
    }
    poet_sink_put(dw, c, sum);
  }
}

POET_KERNEL void poet_accumulate(const struct poet_map_spec* m, const poet_real* a,
                                 const poet_real* b, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = a[i] + b[i];
}

void poet_softmax_line(const poet_real* x, int32_t step, int32_t count, poet_real* y) {
  const poet_real* at = x;
  poet_real* to = y;
  poet_real largest = x[0], sum = 0;
  int32_t i;
  for (i = count; i > 0; --i, at += step) largest = *at > largest ? *at : largest;
  for (i = count, at = x; i > 0; --i, at += step, to += step) {
    *to = POET_EXP_BELOW(*at - largest);
    sum += *to;
  }
  for (i = count; i > 0; --i, y += step) *y /= sum;
}

POET_KERNEL void poet_softmax(const struct poet_softmax_spec* s, const poet_real* x, poet_real* y) {
  int32_t o, i;
  for (o = 0; o < s->outer; ++o) {
    for (i = 0; i < s->inner; ++i) {
      const int32_t first = o * s->axis * s->inner + i;
      poet_softmax_line(x + first, s->inner, s->axis, y + first);
    }
  }
}

POET_KERNEL void poet_softmax_grad(const struct poet_softmax_spec* s, const poet_real* y,
                                   const poet_real* dy, poet_real* dx) {
  int32_t o, i, j;
  for (o = 0; o < s->outer; ++o) {
    for (i = 0; i < s->inner; ++i) {
      const int32_t first = o * s->axis * s->inner + i;
      const int32_t end = first + s->axis * s->inner;
      poet_real dot = 0;
      for (j = first; j < end; j += s->inner) dot += y[j] * dy[j];
      for (j = first; j < end; j += s->inner) dx[j] = y[j] * (dy[j] - dot);
    }
  }
}

/* x - largest - log(sum of exp(x - largest)): no overflow, and no logarithm of 0. */
POET_KERNEL void poet_log_softmax(const struct poet_softmax_spec* s, const poet_real* x,
                                  poet_real* y) {
  int32_t o, i, j;
  for (o = 0; o < s->outer; ++o) {
    for (i = 0; i < s->inner; ++i) {
      const int32_t first = o * s->axis * s->inner + i;
      const int32_t end = first + s->axis * s->inner;
      poet_real largest = x[first];
      poet_real sum = 0, log_sum;
      for (j = first; j < end; j += s->inner) {
        if (x[j] > largest) largest = x[j];
      }
      for (j = first; j < end; j += s->inner) sum += POET_EXP_BELOW(x[j] - largest);
      log_sum = POET_LOG(sum);
      for (j = first; j < end; j += s->inner) y[j] = (x[j] - largest) - log_sum;
    }
  }
}

POET_KERNEL void poet_log_softmax_grad(const struct poet_softmax_spec* s, const poet_real* y,
                                       const poet_real* dy, poet_real* dx) {
  int32_t o, i, j;
  for (o = 0; o < s->outer; ++o) {
    for (i = 0; i < s->inner; ++i) {
      const int32_t first = o * s->axis * s->inner + i;
      const int32_t end = first + s->axis * s->inner;
      poet_real sum = 0;
      for (j = first; j < end; j += s->inner) sum += dy[j];
      for (j = first; j < end; j += s->inner) dx[j] = dy[j] - POET_EXP(y[j]) * sum;
    }
  }
}

/* A bijection of 32-bit words in which every bit of the result depends on every bit of the word:
 * products with odd numbers (the fractions of the golden ratio and of e) and shifts. */
static uint32_t mix(uint32_t word) {
  word ^= word >> 16;
  word *= 0x9e3779b9u;
  word ^= word >> 15;
  word *= 0xb7e15163u;
  return word ^ (word >> 16);
}

/* The hash mix(mix(mix(b) + seed[0]) + seed[1]) of block b; its upper 24 bits are a fraction, to be
 * at least the rate. No state: any block can be asked for at any time, in any order. */
static inline int is_kept(uint32_t block, uint32_t seed0, uint32_t seed1, int32_t rate) {
  return (int32_t)(mix(mix(mix(block) + seed0) + seed1) >> 8) >= rate;
}

static int32_t rate_of(const struct poet_dropout_spec* d) {
  return (int32_t)(d->rate * (poet_real)16777216);
}

POET_KERNEL int poet_keeps(const struct poet_dropout_spec* d, int32_t block) {
  return is_kept((uint32_t)block, d->seed[0], d->seed[1], rate_of(d));
}

POET_KERNEL void poet_dropout(const struct poet_dropout_spec* d, const poet_real* x, poet_real* y) {
  const poet_real scale = poet_unit / (poet_unit - d->rate);
  const uint32_t seed0 = d->seed[0], seed1 = d->seed[1];
  const int32_t rate = rate_of(d);
  const poet_real* const end = x + d->count;
  uint32_t block = 0;
  int32_t i;
  for (; d->block == 1 && x < end; ++block) {
    const poet_real scaled = *x++ * scale;
    *y++ = is_kept(block, seed0, seed1, rate) ? scaled : kZero;
  }
  for (; x < end; ++block) {
    const int keeps = is_kept(block, seed0, seed1, rate);
    for (i = d->block; i > 0; --i) {
      const poet_real scaled = *x++ * scale;
      *y++ = keeps ? scaled : kZero;
    }
  }
}

POET_KERNEL void poet_copy(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t i;
  for (i = 0; i < m->count; ++i) y[i] = x[i];
}

POET_KERNEL void poet_dropout_grad(const struct poet_dropout_spec* d, const poet_real* dy,
                                   poet_real* dx) {
  poet_dropout(d, dy, dx);
}
